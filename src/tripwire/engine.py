"""judge and learn: where the rooms meet. judge never remembers, learn never decides.

The only broad `except` of Tripwire is here: a broken rule must not become an open door.
"""

from __future__ import annotations

from collections.abc import Callable

from tripwire.act import facts, lesson
from tripwire.act.approval import approved_rules
from tripwire.act.rules import RULES
from tripwire.memory.memory import Memory
from tripwire.model.event import Event, ToolCall
from tripwire.model.policy import Policy
from tripwire.model.verdict import Action, Finding, Verdict
from tripwire.rule import Case, Rule


class Engine:
    """One session's policy and memory, and the rules that look at both."""

    def __init__(
        self, policy: Policy, memory: Memory | None = None, rules: tuple[Rule, ...] = RULES
    ) -> None:
        self.policy = policy
        self.memory = memory if memory is not None else Memory()
        self.rules = rules

    def judge(self, event: Event) -> Verdict:
        """What the rules say of `event`; pure: the same event gives the same verdict again."""
        case = Case(self.policy, self.memory)
        verdict = Verdict()
        for rule in self.rules:
            if isinstance(event, rule.watches):
                verdict |= _guarded(rule.id, lambda r=rule: Verdict.of(*r.check(event, case)))  # type: ignore[misc]
        if not isinstance(event, ToolCall):
            return verdict
        verdict |= _guarded("act/internal", lambda: facts.summary(event, case))
        return verdict.approved(*approved_rules(event, case))

    def learn(self, event: Event, verdict: Verdict) -> None:
        """Fold `event` into the memory; `verdict` tells whether a call was let through."""
        lesson.learn(event, verdict, Case(self.policy, self.memory))


def _guarded(name: str, work: Callable[[], Verdict]) -> Verdict:
    try:
        return work()
    except Exception as bug:  # a broken rule must not become an open door
        reason = f"internal error in {name}: {type(bug).__name__}"
        return Verdict.of(Finding(name, Action.BLOCK, reason, remedy="Report it: see SECURITY.md."))
