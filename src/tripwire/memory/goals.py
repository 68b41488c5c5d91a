"""What the user wants: their words, the declared goals, and when a goal changed (gateway.md §3.5).

Does not judge a call against a goal: act/offline and act/rules/intent do.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tripwire.model.event import IntentDeclared
from tripwire.text import values

MAX_TEXTS = 64
MAX_LATEST = 16_384
"""Characters of the latest texts that are read clause by clause."""


@dataclass(slots=True)
class Goals:
    """Goals in the order they were stated."""

    said: list[str] = field(default_factory=list)
    """What a person typed, oldest first."""
    goals: list[str] = field(default_factory=list)
    """Declared goals that hold: those stated before any untrusted read."""
    changed: list[str] = field(default_factory=list)
    """Goals declared after an untrusted read that differ from the one that holds (I-3)."""
    late: list[str] = field(default_factory=list)
    """Goals first declared after an untrusted read: they grant nothing (I-2)."""
    values: set[str] = field(default_factory=set)
    """Values of goals declared before any untrusted read: they satisfy `any` (I-2)."""

    def user_said(self, text: str, receipt: int, person: bool) -> None:  # noqa: FBT001 - agreed contract
        """The user's words: the primary goal if a person typed them (I-1)."""
        del receipt
        if person and text.strip():
            self.said.append(text)
            self.changed.clear()
            self.late.clear()

    def declared(self, event: IntentDeclared, receipt: int, after_untrusted: bool) -> None:  # noqa: FBT001 - agreed contract
        """The agent reports its goal; the same goal again is no change (I-2, I-3)."""
        del receipt
        goal = event.goal.strip()
        if not goal or any(_same(goal, held) for held in self.goals):
            return
        if not after_untrusted:
            self.goals.append(goal)
            self.values.update(v.key for v in values.leaf(goal))
        elif self.said or self.goals:
            self.changed.append(goal)
        elif not any(_same(goal, held) for held in self.late):
            self.late.append(goal)

    @property
    def current(self) -> str:
        """The goal that calls are judged against; "" if none was stated."""
        return "\n".join(self.stated)

    @property
    def stated(self) -> tuple[str, ...]:
        """The texts that `current` is made of, oldest first."""
        return tuple(self.said[-MAX_TEXTS:]) or tuple(self.goals[-1:])

    @property
    def latest(self) -> tuple[str, ...]:
        """The last of `stated` that fit into `MAX_LATEST`, one at least, oldest first."""
        found: list[str] = []
        room = MAX_LATEST
        for text in reversed(self.stated):
            room -= len(text)
            if found and room < 0:
                break
            found.append(text)
        return tuple(reversed(found))

    @property
    def missing(self) -> str:
        """Why no goal holds."""
        if self.late:
            return "the only goal was declared after an untrusted text was read"
        return "no goal was stated"

    @property
    def source(self) -> str:
        """Who stated it: user, declared, or "" for nobody."""
        if self.said:
            return "user"
        return "declared" if self.goals else ""

    def holds(self, key: str) -> bool:
        """Whether a goal declared before any untrusted read names this value."""
        return key in self.values

    def snapshot(self) -> object:
        """A comparable copy."""
        stated = (self.said, self.goals, self.changed, self.late)
        return (*map(tuple, stated), frozenset(self.values))


def _same(one: str, other: str) -> bool:
    return " ".join(one.casefold().split()) == " ".join(other.casefold().split())
