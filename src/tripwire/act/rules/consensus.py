"""act/consensus — the call does not fit the goal, or its amount is not what the documents say.

Does not catch: a wrong goal that the user stated, or a wrong figure that every document states.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.act import offline
from tripwire.act.grounding import Grounding, grounding
from tripwire.act.params import rule_of
from tripwire.model.event import ToolCall
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule

ID = "act/consensus"

_NEXT = {
    "intent_match": "Check the recipient against the goal and repeat the call with the right one.",
    "source_grounding": "Look the guarded values up again and repeat the call with them.",
    "bounds_and_sanity": "Read the document that states what is due and repeat the call with that "
    "figure and its currency, or ask the user.",
}


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """The offline verifier, once the structural checks have passed (C-7)."""
    rule = rule_of(event, case)
    if rule is None or "consensus" not in rule.verify.tiers:
        return
    found = grounding(event, case) or Grounding(rule, (), ())
    if found.violations:
        return
    if any(name != "offline" for name in rule.verify.panel) or not rule.verify.panel:
        yield Finding(
            ID,
            Action.BLOCK,
            "the panel names a verifier that this version cannot ask",
            remedy="The operator has to write `panel: [offline]`.",
            code="consensus_failed",
            at=rule.at,
        )
        return
    outcomes = offline.review(found, event, case)
    failed = [outcome for outcome in outcomes if not outcome.passed]
    if not failed:
        return
    yield Finding(
        ID,
        Action.ASK if rule.verify.on_fail == "hold" else Action.BLOCK,
        "; ".join(f"{outcome.check}: {outcome.reason}" for outcome in failed),
        remedy=" ".join(_NEXT[outcome.check] for outcome in failed),
        code="consensus_failed",
        at=rule.at,
        checks=outcomes,
    )


RULE = Rule(ID, ToolCall, check)
