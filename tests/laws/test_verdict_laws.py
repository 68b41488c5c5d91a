"""A verdict is a join: commutative, associative, idempotent, never more lenient."""

from hypothesis import given
from tests.laws.strategies import findings, verdicts

from tripwire.model.verdict import ALLOWED, Action, Verdict


@given(verdicts, verdicts, verdicts)
def test_join(a, b, c):
    assert a | b == b | a
    assert (a | b) | c == a | (b | c)
    assert a | a == a
    assert a | ALLOWED == a


@given(verdicts, verdicts)
def test_joining_never_loosens(a, b):
    assert (a | b).action == max(a.action, b.action)
    assert set(a.findings) <= set((a | b).findings)
    assert set(a.not_scanned) <= set((a | b).not_scanned)


@given(verdicts, findings)
def test_one_more_finding_never_loosens(a, finding):
    assert (a | Verdict.of(finding)).action >= a.action


@given(verdicts)
def test_modes(a):
    assert a.at_most(Action.INFORM).passes
    assert a.at_most(Action.BLOCK) == a
    assert a.unattended().question is None
    assert a.unattended().action >= a.action
    assert a.passes == (a.action <= Action.INFORM)
    assert len(a.unattended().findings) <= len(a.findings)


@given(verdicts)
def test_an_approval_never_lifts_a_block(a):
    every_rule = frozenset(f.rule for f in a.findings)
    blocked = a.action is Action.BLOCK
    assert (a.approved(every_rule, "yes").action is Action.BLOCK) == blocked
