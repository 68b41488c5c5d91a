"""What a rule found in a text: where, and what follows."""

from __future__ import annotations

from dataclasses import dataclass

from tripwire.model.say import SayAction, SayRule


@dataclass(frozen=True, slots=True)
class SayFinding:
    """One match. Offsets are raw code points of its channel; the text is not kept (SAY-56)."""

    rule: str
    """The label."""
    action: SayAction
    start: int
    end: int
    reason: str
    remedy: str = ""
    id: str = ""
    evidence: tuple[str, ...] = ()


def finding_of(rule: SayRule, start: int, end: int, reason: str = "") -> SayFinding:
    """The finding of a match in a stream."""
    return SayFinding(
        rule.label,
        rule.action,
        start,
        end,
        reason or violation_of(rule.label),
        rule.retry_hint,
        rule.id,
    )


def violation_of(label: str) -> str:
    """How a match in a stream reads (say.md §4.1)."""
    return f"{label}: pattern matched in stream"
