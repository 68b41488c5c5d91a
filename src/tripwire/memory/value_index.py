"""What is known of each value: its marks, and what the agent supplied (gateway.md P-5, P-9, P-13).

Data and its upkeep only; memory/evidence fills it, memory/provenance answers from it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from decimal import Decimal

from tripwire.memory.figures import Figures
from tripwire.memory.leaves import Record
from tripwire.memory.records import Records
from tripwire.memory.supplied import Sent
from tripwire.model.label import Origin, Trust

MAX_ORIGINS = 8
HEAD = 4


class Slot:
    """One field of one source: `receipt` is the latest that filled it (P-13)."""

    __slots__ = ("receipt",)

    def __init__(self) -> None:
        self.receipt = 0


@dataclass(slots=True)
class Mark:
    """One place a value stands; current while no newer result fills one of its slots."""

    origin: Origin
    slots: tuple[Slot, ...]
    currency: str = ""
    ambiguous: bool = False
    record: Record | None = None

    @property
    def current(self) -> bool:
        """Whether nothing newer has taken its place."""
        return all(slot.receipt <= self.origin.receipt for slot in self.slots)


@dataclass(slots=True)
class Entry:
    """What is known of one value."""

    granted: tuple[Mark, ...] = ()
    others: tuple[Mark, ...] = ()
    first: Origin | None = None
    total: int = 0
    untrusted_first: bool = False
    derived: Origin | None = None


def entry_of(mark: Mark) -> Entry:
    """The entry of a value that has been seen once, there."""
    if mark.origin.trust >= Trust.PLATFORM:
        return Entry((mark,), (), mark.origin, 1)
    return Entry((), (mark,), mark.origin, 1, untrusted_first=True)


@dataclass(slots=True)
class ValueIndex:
    """Everything the guards may ask about."""

    entries: dict[str, Entry | Mark] = field(default_factory=dict)
    """By key of the value. Most are seen once: a mark alone stands for `entry_of(mark)`."""
    slots: dict[str, Slot] = field(default_factory=dict)
    hard: dict[str, str] = field(default_factory=dict)
    """Value → the one call that sent it to a write or an untrusted tool; "" for several."""
    soft: set[str] = field(default_factory=set)
    """Values sent to reads of trusted upstreams (P-12)."""
    hard_words: set[str] = field(default_factory=set)
    hard_heads: set[str] = field(default_factory=set)
    """The first `HEAD` characters of those words."""
    open_calls: dict[str, Sent] = field(default_factory=dict)
    user_texts: list[str] = field(default_factory=list)
    figures: Figures = field(default_factory=Figures)
    records: Records = field(default_factory=Records)
    vouchers: dict[str, dict[str, None]] = field(default_factory=dict)
    """Kind of value → trusted tools whose results held one, latest last."""
    amounts: deque[tuple[Decimal, str, Trust]] = field(default_factory=lambda: deque(maxlen=64))
    """The latest labelled amounts, for `derive: [sum]`."""

    def entry(self, key: str) -> Entry | None:
        """What is known of a value, to read."""
        held = self.entries.get(key)
        return entry_of(held) if isinstance(held, Mark) else held

    def opened(self, key: str) -> Entry:
        """The entry of a value, to write."""
        held = self.entries.get(key)
        if not isinstance(held, Entry):
            held = self.entries[key] = Entry() if held is None else entry_of(held)
        return held

    def slot(self, key: str) -> Slot:
        """The slot of that key."""
        found = self.slots.get(key)
        if found is None:
            found = self.slots[key] = Slot()
        return found

    def snapshot(self) -> object:
        """A comparable copy."""
        return {
            "values": {
                key: _entry_copy(entry_of(held) if isinstance(held, Mark) else held)
                for key, held in self.entries.items()
            },
            "hard": dict(self.hard),
            "soft": frozenset(self.soft),
            "words": frozenset(self.hard_words),
            "open": frozenset(self.open_calls),
            "user": tuple(self.user_texts),
            "amounts": tuple(self.amounts),
            "figures": self.figures.snapshot(),
            "records": self.records.snapshot(),
        }


def added(marks: tuple[Mark, ...], mark: Mark) -> tuple[Mark, ...]:
    """With the newest mark of each set of slots."""
    for position, old in enumerate(marks):
        if old.slots == mark.slots:
            return (*marks[:position], mark, *marks[position + 1 :])
    return trimmed((*marks, mark))


def trimmed(marks: tuple[Mark, ...]) -> tuple[Mark, ...]:
    """At most `MAX_ORIGINS`: outdated ones go first, then the middle of the list."""
    if len(marks) <= MAX_ORIGINS:
        return marks
    for position, mark in enumerate(marks[:-1]):
        if not mark.current:
            return (*marks[:position], *marks[position + 1 :])
    return (marks[0], *marks[2:])


def origins_of(entry: Entry) -> tuple[Origin, ...]:
    """At most `MAX_ORIGINS`, the earliest and the latest always among them (P-5)."""
    found = [mark.origin for mark in (*entry.granted, *entry.others)]
    if entry.first is not None:
        found.append(entry.first)
    if entry.derived is not None and not found:
        found.append(entry.derived)
    ordered = sorted(set(found), key=lambda origin: (origin.receipt, origin.field))
    if len(ordered) <= MAX_ORIGINS:
        return tuple(ordered)
    return (ordered[0], *ordered[-(MAX_ORIGINS - 1) :])


def _entry_copy(entry: Entry) -> object:
    return (
        tuple((m.origin, m.currency, m.ambiguous, m.current) for m in entry.granted),
        tuple((m.origin, m.currency, m.ambiguous, m.current) for m in entry.others),
        entry.first,
        entry.total,
        entry.untrusted_first,
        entry.derived,
    )
