"""act/policy — the operator said that this call always waits for a person, or never passes.

Does not catch: the same effect reached through another tool.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.act.params import rule_of
from tripwire.model.event import ToolCall
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule

ID = "act/policy"
_ACTIONS = {"hold": Action.ASK, "block": Action.BLOCK}


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """`verify.always` of the rule that matches."""
    rule = rule_of(event, case)
    if rule is None or rule.verify.always == "none":
        return
    action = _ACTIONS.get(rule.verify.always, Action.BLOCK)
    held = action is Action.ASK
    yield Finding(
        ID,
        action,
        f"rule {rule.id} {'asks a person before' if held else 'blocks'} every {event.exposed}",
        remedy="Wait for the answer." if held else "Do not repeat the call; tell the user.",
        code="policy_block",
        at=rule.at,
    )


RULE = Rule(ID, ToolCall, check)
