"""memory/shown: what each agent was shown, denials, calls (read.md CTX-29, CTX-34)."""

from dataclasses import replace

from tripwire.memory.shown import MAX_CALLS, RAW_READ, ShownTripwires, call_of, scope_of, settled
from tripwire.model.tripwire import Firing, Shown
from tripwire.model.verdict import ALLOWED, Action, Finding, Verdict

FIRING = Firing(
    "read",
    "src/a.ts",
    real_path="lib/a.ts",
    call="c-1",
    tripwires=(Shown("a", "high", "d1"), Shown("b", "info", "d2", outcome="context_budget")),
    problems="p1",
    files=(".tripwires/bad.yml",),
)


def blocked(rule):
    return Verdict.of(
        Finding(rule, Action.BLOCK, "no"), Finding("read/tripwire", Action.INFORM, "")
    )


def test_only_what_was_shown_is_remembered():
    shown = ShownTripwires()
    shown.learn(FIRING)
    assert shown.seen("") == {"a": "d1", ".tripwires/bad.yml": "p1"}
    assert shown.told("", "c-1") == {"a"}
    assert shown.told("", "") == frozenset()
    assert shown.seen("a-x") == {}


def test_agents_have_contexts_of_their_own():
    shown = ShownTripwires()
    shown.learn(FIRING)
    shown.learn(replace(FIRING, agent="a-x"))
    shown.clear("")
    assert not shown.seen("")
    assert shown.seen("a-x")
    shown.clear("never seen")


def test_a_block_shows_nothing():
    firing = settled(FIRING, blocked("act/own-state"))
    assert [s.outcome for s in firing.tripwires] == ["denied", "context_budget"]
    assert (firing.denied_by, firing.problems, firing.files) == ("act/own-state", "", ())
    shown = ShownTripwires()
    shown.learn(firing)
    assert not shown.seen("")
    assert shown.denials("", "lib/a.ts") == 0
    assert settled(FIRING, ALLOWED) is FIRING


def test_denials_of_raw_reads_are_counted_by_path_until_a_read_through_tripwire():
    shown = ShownTripwires()
    denied = settled(FIRING, blocked(RAW_READ))
    shown.learn(denied)
    shown.learn(replace(denied, call="c-2"))
    assert shown.denials("", "lib/a.ts") == 2
    assert shown.denials("", "other") == 0
    shown.learn(replace(FIRING, path="x", real_path=""))
    assert shown.denials("", "lib/a.ts") == 2
    shown.learn(replace(FIRING, observed=True))
    assert shown.denials("", "lib/a.ts") == 0


def test_two_hooks_of_one_call_are_one_denial():
    shown = ShownTripwires()
    denied = settled(FIRING, blocked(RAW_READ))
    for firing in (denied, denied, replace(denied, call="c-2")):
        shown.learn(firing)
    assert shown.denials("", "lib/a.ts", "c-3") == 2
    assert shown.denials("", "lib/a.ts", "c-2") == 1
    for _ in range(2):
        shown.learn(replace(denied, call=""))
    assert shown.denials("", "lib/a.ts") == 4


def test_calls_do_not_pile_up():
    shown = ShownTripwires()
    for number in range(MAX_CALLS + 5):
        shown.learn(replace(FIRING, call=f"c-{number}"))
    assert shown.told("", "c-0") == frozenset()
    assert shown.told("", f"c-{MAX_CALLS + 4}") == {"a"}


def test_names_of_scopes_and_calls_say_nothing():
    assert scope_of("") == call_of("") == ""
    assert scope_of("x") != scope_of("y")
    assert len(scope_of("\ud800" * 9999)) == 18
    assert call_of("toolu_1").startswith("c-")


def test_snapshots_compare():
    one, two = ShownTripwires(), ShownTripwires()
    for shown in (one, two):
        shown.learn(FIRING)
    assert one.snapshot() == two.snapshot()
    two.learn(replace(FIRING, call="c-2"))
    assert one.snapshot() != two.snapshot()
