"""judge and learn: where the rooms meet. judge never remembers, learn never decides.

The only broad `except` of Tripwire is here: a broken rule must not become an open door.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from tripwire.act import facts, lesson, params
from tripwire.act.approval import approved_rules
from tripwire.act.rules import RULES as ACT_RULES
from tripwire.memory.memory import Memory
from tripwire.model.event import Event, SessionOpened, ToolCall, ToolResult, UserSaid
from tripwire.model.label import ALL_LABELS, Label, Origin, Trust
from tripwire.model.policy import Policy
from tripwire.model.verdict import ALLOWED, Action, Finding, Verdict
from tripwire.read import lesson as read_lesson
from tripwire.read.rules import RULES as READ_RULES
from tripwire.rule import Case, Rule

RULES: tuple[Rule, ...] = (*ACT_RULES, *READ_RULES)
"""Every rule, room by room."""
T = TypeVar("T")
_Broken = Callable[[Exception], tuple[Finding, ...]]
"""What a rule's crash is, as findings."""


class Engine:
    """One session's policy and memory, and the rules that look at both."""

    def __init__(
        self, policy: Policy, memory: Memory | None = None, rules: tuple[Rule, ...] = RULES
    ) -> None:
        self.policy = policy
        self.memory = memory if memory is not None else Memory()
        self.rules = rules
        self._by_type: dict[type, tuple[tuple[Rule, _Broken], ...]] = {}

    def case(self) -> Case:
        """Everything that one judgement may look at."""
        return Case(self.policy, self.memory)

    def judge(self, event: Event, case: Case | None = None) -> Verdict:
        """What the rules say of `event`; pure: the same event gives the same verdict again.

        A caller that needs the facts derived on the way gives the `case` that keeps them.
        """
        case = case or self.case()
        findings: list[Finding] = []
        for rule, broken in self._watching(type(event)):
            findings += _tried(broken, _found, rule, event, case)
        verdict = Verdict.of(*findings) if findings else ALLOWED
        if not isinstance(event, ToolCall):
            return verdict
        summary = _tried(_broken_summary, facts.summary, event, case)
        verdict = verdict | summary if findings else summary
        return verdict.approved(*approved_rules(event, case))

    def _watching(self, kind: type) -> tuple[tuple[Rule, _Broken], ...]:
        """The rules for events of this type, each with what is found if it breaks."""
        kept = self._by_type.get(kind)
        if kept is None:
            kept = self._by_type[kind] = tuple(
                (rule, partial(_broken_rule, rule.id))
                for rule in self.rules
                if issubclass(kind, rule.watches)
            )
        return kept

    def consequential(self, event: ToolCall, case: Case) -> bool:
        """Whether the attempt must be on disk before the call runs: guarded or writing (E-3)."""
        # A call that nobody understands may do anything.
        return _tried(_certainly, _consequential, event, case)

    def reads_secrets(self, event: ToolResult, case: Case) -> bool:
        """Whether a result comes from a place that holds credentials (flow.md DLP-2)."""
        # Covering too much in a receipt loses nothing: replay uncovers it.
        return _tried(_certainly, _reads_secrets, event, case)

    def learn(self, event: Event, verdict: Verdict, case: Case | None = None) -> None:
        """Fold `event` into the memory; `verdict` tells whether a call was let through.

        `case` is that of the judgement, if nothing was learnt since: its facts still hold.
        What could not be learnt may have been anything: all labels are held then (HOOK-4).
        """
        _tried(self._assume_worst, lesson.learn, event, verdict, case or self.case())
        _tried(self._assume_worst, read_lesson.learn, event, verdict, self.memory)

    def _assume_worst(self, bug: Exception) -> None:
        origin = Origin(self.memory.receipts, "tripwire", type(bug).__name__, Trust.WORLD)
        for label in ALL_LABELS:
            self.memory.labels.add(label, origin)


_FIRST_EVENTS: tuple[Event, ...] = (
    SessionOpened("warm", cwd="/project"),
    UserSaid("Read \u0430 page and send it on"),
    # Before a secret is known: from then on texts are read in another way.
    ToolCall("0", "claude-code", "WebFetch", {"url": "https://b.example/docs/page57"}),
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
    ToolResult("6", "claude-code", "mail", {}, "Amount due: 12 EUR, first of 2 instalments"),
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


def _broken_summary(bug: Exception) -> Verdict:
    return Verdict.of(*_broken_rule("act/internal", bug))


def _certainly(_: Exception) -> bool:
    return True


def _reads_secrets(event: ToolResult, case: Case) -> bool:
    return Label.SECRET in facts.result_facts(event, case).reads


def _consequential(event: ToolCall, case: Case) -> bool:
    if params.rule_of(event, case) is not None:
        return True
    found = facts.call_facts(event, case)
    if not found.judged:
        return params.call_effect(case, event.source, event.tool) == "write"
    return bool(found.classes or found.leaves or found.deletions)


def _tried(otherwise: Callable[[Exception], T], work: Callable[..., T], *args: Any) -> T:
    """What `work` gives, or what is to hold because it failed: never an open door."""
    try:
        return work(*args)
    except Exception as bug:  # noqa: BLE001  (a broken rule must not become an open door)
        return otherwise(bug)
