"""Which value came from where, and what a trusted result may vouch for (gateway.md §3.4).

Does not decide: guards ask `lookup`, and act/rules/sensitive_params judges the answer.
Events are queued, and taken in in their order: one by one as they come where the policy has guards
(act/lesson calls `settle`), else only what waits beyond a bound, as nobody will ask. So no decision
pays for the past; a lookup takes constant time however much was taken in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

from tripwire.memory.evidence import Evidence
from tripwire.memory.figures import Figures
from tripwire.memory.records import Records
from tripwire.memory.supplied import Sent
from tripwire.memory.value_index import HEAD, Entry, Mark, ValueIndex, origins_of, trimmed
from tripwire.model.event import ToolCall, ToolResult
from tripwire.model.label import Origin, Trust
from tripwire.model.policy import ToolOptions
from tripwire.text import fold, values
from tripwire.text.values import Value


@dataclass(frozen=True, slots=True)
class Standing:
    """The answer to a lookup: the current marks, and why there are none."""

    trusted: tuple[Mark, ...] = ()
    others: tuple[Mark, ...] = ()
    stale: bool = False
    derived: bool = False
    origins: tuple[Origin, ...] = ()
    total: int = 0

    @property
    def current(self) -> tuple[Mark, ...]:
        """Every current mark, trusted ones first."""
        return (*self.trusted, *self.others)


UNKNOWN = Standing()
MAX_WAITING = 16 << 20
"""Characters of events that may wait: beyond it the oldest are taken in."""
_BASE = 4096
"""What an event weighs beside its text."""


@dataclass(slots=True)
class Provenance:
    """Value → origins and state; a fold over results, calls and the user's words."""

    _index: ValueIndex = field(default_factory=ValueIndex)
    _pending: deque[tuple[int, Callable[[], None]]] = field(default_factory=deque)
    """What waits, oldest first, each with its weight in characters."""
    _waiting: int = 0
    _incomplete: bool = False
    """An event could not be taken in: from then on nothing is known for sure."""

    def learn_result(
        self,
        event: ToolResult,
        receipt: int,
        *,
        trust: Trust,
        options: ToolOptions,
        effect: str,
        locale: str,
    ) -> None:
        """Take in what a call gave back (P-1); an error result teaches nothing."""
        self._wait(
            _weight(event.result),
            lambda: self._take_result(event, receipt, trust, options, effect, locale),
        )

    def learn_call(self, event: ToolCall, *, effect: str, trust: Trust) -> None:
        """Remember what the agent supplied in a call that was let through (P-9)."""
        self._wait(_BASE, lambda: self._take_call(event, effect, trust))

    def learn_user(self, text: str, receipt: int) -> None:
        """The user's own words are trusted evidence (I-1)."""
        self._wait(_BASE + len(text), lambda: self._take_user(text, receipt))

    def settle(self) -> ValueIndex:
        """Take in what is queued; every question does."""
        self._take_in(0)
        return self._index

    def _wait(self, weight: int, take: Callable[[], None]) -> None:
        self._pending.append((weight, take))
        self._waiting += weight
        self._take_in(MAX_WAITING)

    def _take_in(self, most: int) -> None:
        """Take in the oldest events until at most so many characters wait."""
        while self._pending and self._waiting > most:
            weight, take = self._pending.popleft()
            self._waiting -= weight
            complete = False
            try:
                take()
                complete = True
            finally:
                self._incomplete = self._incomplete or not complete

    # ── questions ────────────────────────────────────────────────────────────────────────────

    def lookup(self, value: Value) -> Standing:
        """What is known of a value; constant time."""
        entry = self._entry(value)
        if entry is None:
            return UNKNOWN
        trusted = tuple(mark for mark in entry.granted if mark.current)
        others = tuple(mark for mark in entry.others if mark.current)
        held = bool(entry.granted or entry.others)
        return Standing(
            trusted,
            others,
            stale=held and len(trusted) + len(others) == 0,
            derived=entry.derived is not None,
            origins=origins_of(entry),
            total=entry.total,
        )

    def stale_grant(self, value: Value) -> bool:
        """Whether trusted results held it, but newer ones have replaced them all (P-13)."""
        entry = self._entry(value)
        if entry is None or not entry.granted:
            return False
        return not any(mark.current for mark in entry.granted)

    def user_says(self, norm: str) -> bool:
        """Whether the user's words hold this name or id as whole words."""
        words = " ".join(_folded_words(norm))
        if not words:
            return False
        edge = "" if not words.isascii() else " "
        return any(f"{edge}{words}{edge}" in text for text in self.settle().user_texts)

    def voucher(self, kind: str) -> str:
        """A trusted tool whose results hold values of this kind, "" if none was seen."""
        return next(reversed(self.settle().vouchers.get(kind, {})), "")

    @property
    def figures(self) -> Figures:
        """The labelled figures of the documents."""
        return self.settle().figures

    @property
    def records(self) -> Records:
        """The records of trusted sources."""
        return self.settle().records

    @property
    def amounts(self) -> deque[tuple[Decimal, str, Trust]]:
        """The latest labelled amounts."""
        return self.settle().amounts

    def snapshot(self) -> object:
        """A comparable copy."""
        return (self.settle().snapshot(), self._incomplete)

    # ── taking in ────────────────────────────────────────────────────────────────────────────

    def _entry(self, value: Value) -> Entry | None:
        index = self.settle()
        return None if self._incomplete else index.entry(value.key)

    def _take_result(
        self,
        event: ToolResult,
        receipt: int,
        trust: Trust,
        options: ToolOptions,
        effect: str,
        locale: str,
    ) -> None:
        sent = self._index.open_calls.pop(event.call_id, None)
        if event.is_error or event.omitted or _is_error(event.result):
            return
        sent = sent if sent is not None else Sent(event.args)
        taking = Evidence(self._index, event, receipt, trust, options, effect, locale, sent)
        taking.take()

    def _take_call(self, event: ToolCall, effect: str, trust: Trust) -> None:
        index, sent = self._index, Sent(event.args)
        index.open_calls[event.call_id] = sent
        if effect == "read" and trust >= Trust.PLATFORM:
            index.soft.update(sent.values)
            return
        for key in sent.values:
            only = index.hard.get(key, event.call_id) == event.call_id
            index.hard[key] = event.call_id if only else ""
        index.hard_words.update(sent.words)
        index.hard_heads.update(word[:HEAD] for word in sent.words)

    def _take_user(self, text: str, receipt: int) -> None:
        origin = Origin(receipt, "", "user", Trust.USER)
        for value in values.leaf(text):
            entry = self._index.opened(value.key)
            mark = Mark(origin, (), value.currency, value.ambiguous)
            entry.granted = trimmed((*entry.granted, mark))
            entry.first = entry.first or origin
            entry.total += 1
        self._index.user_texts.append(f" {' '.join(_folded_words(text))} ")


def _weight(result: object) -> int:
    """About how many characters a result holds."""
    if isinstance(result, str):
        return _BASE + len(result)
    blocks = result.get("content") if isinstance(result, dict) else None
    if not isinstance(blocks, list):
        return _BASE
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    return _BASE + sum(len(text) for text in texts if isinstance(text, str))


def _is_error(result: object) -> bool:
    return isinstance(result, dict) and result.get("isError") is True


def _folded_words(text: str) -> list[str]:
    return [w.strip(".,:;!?()[]{}\"'“”„«»") for w in fold.nfkc(text).casefold().split()]
