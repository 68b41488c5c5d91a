"""act/intent — a guarded call without a stated goal, or after the agent changed its goal.

Does not catch: a call that serves the stated goal badly; see act/consensus.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.act.params import rule_of
from tripwire.model.event import ToolCall
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule

ID = "act/intent"
_ON_CHANGE = {"flag": Action.INFORM, "hold": Action.ASK, "block": Action.BLOCK}
_STATE = "State the goal with tripwire__declare_intent, then repeat the call."
_LATE = "Ask the user to state the goal: what an agent declares after such a text does not count."


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """Findings of I-1 and I-3 for calls that a rule asks a goal of."""
    rule = rule_of(event, case)
    if rule is None or not (rule.verify.require_intent or "consensus" in rule.verify.tiers):
        return
    goals = case.memory.goals
    if rule.verify.require_intent and not goals.current:
        yield Finding(
            ID,
            Action.ASK if rule.verify.on_fail == "hold" else Action.BLOCK,
            f"{event.exposed} needs a stated goal: {goals.missing}",
            remedy=_LATE if goals.late else _STATE,
            code="intent_required",
            at=rule.at,
        )
    if goals.changed:
        yield Finding(
            ID,
            _ON_CHANGE.get(case.policy.intent_on_change, Action.BLOCK),
            "the agent changed its goal after it read an untrusted text",
            remedy="Go on with the earlier goal (tripwire__declare_intent takes it again), "
            "or ask the user to state the new one.",
            code="intent_changed",
            at=rule.at,
        )


RULE = Rule(ID, ToolCall, check)
