"""What a recorded decision teaches may wait until the door has passed the event on.

Nothing is lost by it: the record is written, and a process that dies before it has learnt resumes
by replay, which learns it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tripwire.engine import Engine
from tripwire.model.event import Approved, Event, SessionOpened, ToolCall, ToolResult
from tripwire.model.verdict import Verdict
from tripwire.rule import Case

Later = Callable[[Callable[[], None]], object]
"""Calls a function soon, in this thread or another."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A recorded decision that is still to be learnt; `receipts` is their number after it."""

    event: Event
    verdict: Verdict
    case: Case
    receipts: int

    def learn(self, engine: Engine) -> bool:
        """Learn it; whether the memory then counts the receipts as the journal does."""
        engine.learn(self.event, self.verdict, self.case)
        return engine.memory.receipts == self.receipts


def may_wait(event: Event, verdict: Verdict) -> bool:
    """Whether a door passes something on after this decision."""
    return isinstance(event, ToolResult) or (isinstance(event, ToolCall) and verdict.passes)


def must_last(event: Event, verdict: Verdict, case: Case, engine: Engine) -> bool:
    """Whether the record must be on disk before anything follows from it (gateway.md E-3)."""
    if isinstance(event, ToolCall):
        return verdict.passes and engine.consequential(event, case)
    return isinstance(event, Approved | SessionOpened)
