"""act/unmatched-tool — no rule matches the call, and the policy blocks such calls.

Does not catch: a rule whose glob is wider than was meant; see `tripwire check`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.act.params import rule_of
from tripwire.model.event import ToolCall
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule

ID = "act/unmatched-tool"


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """`defaults.on_unmatched: block` for the tools of upstreams."""
    policy = case.policy
    if policy.on_unmatched != "block" or rule_of(event, case) is not None:
        return
    if policy.upstream(event.source) is None:
        return  # a client's own tools and servers are judged by the flow rules alone
    yield Finding(
        ID,
        Action.BLOCK,
        f"no rule mentions {event.exposed}",
        remedy=f"Use another tool, or ask the operator to add a rule for {event.exposed}.",
        code="unmatched_tool",
        at=policy.path,
    )


RULE = Rule(ID, ToolCall, check)
