"""Memory as a fold over the journal: records back to events, in order (flow.md STATE-1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import orjson

from tripwire.engine import Engine
from tripwire.errors import JournalTampered
from tripwire.io.journal import Recorded
from tripwire.ledger import codec, fired, receipt
from tripwire.model.event import Event, OutcomeUnknown, ToolCall, ToolResult
from tripwire.model.label import Label, Origin, Trust
from tripwire.model.verdict import ALLOWED

_REFUSED = frozenset({"tool_call_blocked", "tool_call_held"})


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call that was let through and has no outcome yet."""

    seq: int
    at: float
    holder: str
    event: ToolCall


@dataclass(slots=True)
class Attempts:
    """The calls in flight, by call id."""

    open: dict[str, list[Attempt]] = field(default_factory=dict)

    def begin(self, event: ToolCall, seq: int, holder: str, at: float) -> None:
        """A call was let through."""
        self.open.setdefault(event.call_id, []).append(Attempt(seq, at, holder, event))

    def find(self, event: ToolResult | OutcomeUnknown) -> Attempt | None:
        """The oldest attempt that this outcome belongs to."""
        return next(
            (
                a
                for a in self.open.get(event.call_id, ())
                if (a.event.source, a.event.tool) == (event.source, event.tool)
            ),
            None,
        )

    def end(self, seq: int) -> None:
        """The attempt at audit number `seq` has its outcome."""
        for call_id, attempts in list(self.open.items()):
            kept = [a for a in attempts if a.seq != seq]
            if kept:
                self.open[call_id] = kept
            elif attempts:
                del self.open[call_id]

    def all(self) -> Iterator[Attempt]:
        """Every open attempt."""
        for attempts in list(self.open.values()):
            yield from attempts


def event_of(record: Recorded) -> Event | None:
    """The event of a record, None if it teaches nothing. Raises JournalTampered."""
    if record.entry.type in _REFUSED:
        return None
    try:
        if record.receipt is not None:
            secrets = orjson.loads(record.sealed) if record.sealed else ()
            return receipt.event_of(record.receipt, [(str(a), str(b)) for a, b in secrets])
        return codec.opened_event(record.sealed) if record.sealed else None
    except (KeyError, TypeError, ValueError):
        where = f"audit.jsonl:{record.entry.seq}"
        raise JournalTampered("edited: the record is no event", where=where) from None


def fold(record: Recorded, engine: Engine, attempts: Attempts) -> None:
    """Learn one record. Raises JournalTampered."""
    if record.entry.type == "labels_gained":
        keep_labels(record, engine)
    elif record.entry.type == fired.KIND:
        keep_shown(record, engine)
        return
    event = event_of(record)
    if event is None:
        return
    if isinstance(event, ToolCall):
        attempts.begin(event, record.entry.seq, str(record.entry.data.get("holder", "")), 0.0)
    elif isinstance(event, ToolResult | OutcomeUnknown):
        attempts.end(int(record.entry.data.get("attempt_seq", 0)))
    engine.learn(event, ALLOWED)


def keep_shown(record: Recorded, engine: Engine) -> None:
    """Remember what an agent was shown (read.md CTX-34). Raises JournalTampered."""
    try:
        engine.memory.shown.learn(fired.firing_of(record.entry.data))
    except (KeyError, TypeError, ValueError):
        where = f"audit.jsonl:{record.entry.seq}"
        raise JournalTampered("edited: the record is no firing", where=where) from None


def keep_labels(record: Recorded, engine: Engine) -> None:
    """Hold at least the labels that the journal says were held (STATE-6)."""
    held = engine.memory.labels
    receipts = record.entry.data.get("receipts") or [0]
    for name in record.entry.data.get("labels", ()):
        label = Label(name)
        if label not in held:
            held.add(label, Origin(int(receipts[0]), "tripwire", "journal", Trust.WORLD))
