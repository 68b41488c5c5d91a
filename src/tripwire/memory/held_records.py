"""Records that results held, and which of them the user picked out (flow-rules.md §3.1).

A record is one mapping of a tool whose role says `records`. Its *structural* leaves are written by
the system (ids, addresses, numbers), its free text by whoever filled it. Scored when learnt and
when the user speaks, so that a decision looks up and never searches. Decides nothing.

Does not catch: a record whose structural leaf a stranger could type (a preset must not call such a
tool's result `records`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tripwire.model.label import Trust
from tripwire.text.lexicon import lexicon

FREE_KEYS = lexicon(
    "subject title body content text description message location note notes comment comments "
    "review reviews summary"
)
NAME_KEYS = lexicon(
    "title subject name filename path sender owner author organizer recipient recipients channel "
    "user participants id email"
)
AUTHOR_KEYS = lexicon("sender from author owner organizer created_by")
MAX_RECORDS = 20_000
"""Beyond it no record gives anything any more: what is left out could be the second of its name."""
MAX_TEXTS = 512
START = 8
"""Characters by which a private leaf is looked up in what a call would carry."""
_MAX_TEXT = 65_536
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}")
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)?(?![\w]|[.,]\d)")
_EXTENSION = re.compile(r"\.[a-z0-9]{1,5}$")


@dataclass(frozen=True, slots=True)
class Source:
    """Where records come from: one result."""

    kind: str
    trust: Trust
    private: bool
    receipt: int
    asked: bool = False
    """The call was given words to look for …"""
    asked_by_user: bool = True
    """… and the user had typed them."""
    own_only: bool = False
    """Outsiders fill in its fields, so that only the user's own records vouch for a recipient."""


@dataclass(frozen=True, slots=True)
class Held:
    """One record."""

    source: Source
    leaves: tuple[tuple[str, str], ...]
    own: bool
    author: str

    @property
    def structural(self) -> Iterator[tuple[str, str]]:
        """The leaves that the system wrote."""
        return ((key, value) for key, value in self.leaves if is_structural(key, value))

    def holds(self, value: str) -> bool:
        """Whether a structural leaf is this value; case counts in ids only."""
        folded = value.casefold() if "@" in value else value
        return any((v.casefold() if "@" in v else v) == folded for _, v in self.structural)


@dataclass(frozen=True, slots=True)
class Pin:
    """How well the user's words name a record, and by which of them."""

    score: float
    words: frozenset[str]
    value: str


@dataclass(frozen=True, slots=True)
class Text:
    """Free text of somebody, or a document fetched from somewhere."""

    where: str
    """Its author, or the address it was fetched by."""
    text: str


def is_structural(key: str, value: str) -> bool:
    """A leaf that is no free text: its key says so, and it is one word."""
    return key not in FREE_KEYS and not any(c.isspace() for c in value)


@dataclass(slots=True)
class HeldRecords:
    """Every record of the session, and what the user said so far."""

    records: list[Held] = field(default_factory=list)
    pins: dict[int, Pin] = field(default_factory=dict)
    letters: list[Text] = field(default_factory=list)
    """Free texts of colleagues, by author (delegated if the user named the author)."""
    documents: list[Text] = field(default_factory=list)
    """Strangers' texts, by the address they were fetched by."""
    listed: set[str] = field(default_factory=set)
    """Elements of plain lists that systems gave."""
    created: set[tuple[str, str]] = field(default_factory=set)
    """Kind and id of what this session made."""
    by_id: dict[str, list[int]] = field(default_factory=dict)
    own_addresses: set[str] = field(default_factory=set)
    private_starts: dict[str, list[int]] = field(default_factory=dict)
    """First characters of private leaves → the records that hold them."""
    opened: dict[str, set[str]] = field(default_factory=dict)
    """Host → addresses that were opened on a colleague's word."""
    paid: set[tuple[str, str, str]] = field(default_factory=set)
    """Source, tool and recipient of what was paid or booked."""
    full: bool = False
    words: frozenset[str] = frozenset()
    """The user's words, folded."""
    numbers: frozenset[float] = frozenset()
    _said: str = ""

    # ── learning ─────────────────────────────────────────────────────────────────────────────

    def user_said(self, text: str) -> None:
        """The user's words; every record is scored again."""
        self._said += " " + " ".join(_words(text)) + " ,"
        self.words |= frozenset(_words(text))
        self.numbers |= frozenset(numbers(text))
        self.pins = {}
        for index in range(len(self.records)):
            self._score(index)

    def add(self, record: Held) -> None:
        """One more record."""
        if len(self.records) >= MAX_RECORDS:
            self.full = True
            return
        index = len(self.records)
        self.records.append(record)
        self._score(index)
        if record.source.private:
            for start in {value[:START] for _, value in record.leaves if _telling(value)}:
                self.private_starts.setdefault(start, []).append(index)
        for key, value in record.structural:
            if is_id(key):
                self.by_id.setdefault(value, []).append(index)
            if record.own and "@" in value:
                self.own_addresses.add(value.casefold())

    def write(self, kept: list[Text], where: str, text: str) -> None:
        """Keep a free text; the oldest go first."""
        kept.append(Text(where, text[:_MAX_TEXT]))
        if len(kept) > MAX_TEXTS:
            del kept[0]

    def _score(self, index: int) -> None:
        pin = self._pin(self.records[index])
        if pin is not None:
            self.pins[index] = pin

    def _pin(self, record: Held) -> Pin | None:
        best: Pin | None = None
        for key, value in record.leaves:
            found = self._named(value) if key in NAME_KEYS else self._numbered(value)
            if found is not None and (best is None or found.score > best.score):
                best = found
        return best

    def _named(self, value: str) -> Pin | None:
        bare = _EXTENSION.sub("", value.casefold())
        words = _words(bare)
        if not words or not any(c.isalpha() for c in value) or len(value) < 3:
            return None
        if self._spoken(_words(value)) or self._spoken(words):
            return Pin(1.0, frozenset(words), value)
        for length in range(len(words) - 1, 1, -1):
            for start in range(len(words) - length + 1):
                run = words[start : start + length]
                if 2 * length >= len(words) and self._spoken(run):
                    return Pin(length / len(words), frozenset(run), value)
        return None

    def _numbered(self, value: str) -> Pin | None:
        number = number_of(value)
        if number is None or number not in self.numbers:
            return None
        return Pin(1.0, frozenset({value}), value)

    def _spoken(self, words: list[str]) -> bool:
        return f" {' '.join(words)} " in self._said

    # ── questions ────────────────────────────────────────────────────────────────────────────

    def pinned(self, index: int) -> Pin | None:
        """How the user picked this record out; None if another of its kind fits better."""
        pin = self.pins.get(index)
        if pin is None or self.full:
            return None
        kind = self.records[index].source.kind
        for other, rival in self.pins.items():
            better = rival.score > pin.score and rival.words & pin.words
            if other != index and better and self.records[other].source.kind == kind:
                return None
        return pin

    def ambiguous(self, index: int) -> bool:
        """Whether the same words pick out another record that is not the same thing."""
        mine, pin = self.records[index], self.pins[index]
        if mine.own:
            return False
        for other, rival in self.pins.items():
            record = self.records[other]
            same = record.source.kind == mine.source.kind and rival.value == pin.value
            if same and other != index and not record.own and record.leaves != mine.leaves:
                return True
        return False

    def said(self, phrase: str) -> bool:
        """Whether the user said these words in a row."""
        return bool(_words(phrase)) and self._spoken(_words(phrase))

    def private_in(self, text: str) -> Iterator[int]:
        """Records of which a private leaf may stand in `text`; time grows with the text alone."""
        starts = self.private_starts
        if not starts:
            return
        seen: set[int] = set()
        for at in range(len(text) - START + 1):
            for index in starts.get(text[at : at + START], ()):
                if index not in seen:
                    seen.add(index)
                    yield index

    def snapshot(self) -> object:
        """A comparable copy."""
        return (
            tuple(self.records),
            tuple(self.letters),
            tuple(self.documents),
            frozenset(self.listed),
            frozenset(self.created),
            {host: frozenset(held) for host, held in self.opened.items()},
            frozenset(self.paid),
            self._said,
            self.full,
        )


def _telling(value: str) -> bool:
    """A private leaf that tells something by itself: an id or number, or a longer text."""
    if len(value) < START or (_DATED.match(value) and len(value) < 2 * START + 8):
        return False
    return len(value) >= 2 * START + 4 or any(c.isdigit() for c in value)


def is_id(key: str) -> bool:
    """Whether a leaf of this key is an id of its record."""
    return key in ("id", "id_", "uuid", "key") or key.endswith("_id")


def number_of(value: str) -> float | None:
    """The number that a leaf is, if it can name a record: a decimal point, or three digits."""
    plain = value.strip()
    if not plain.replace(".", "", 1).isdigit() or ("." not in plain and len(plain) < 3):
        return None
    return float(plain)


def numbers(text: str) -> Iterator[float]:
    """The numbers that stand alone in a text."""
    for found in _NUMBER.findall(text):
        plain = found.replace(",", ".")
        if "." in plain or len(plain) >= 3:
            yield float(plain)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text.replace("_", " "))]


def records_in(value: object, author_key: str = "") -> Iterator[tuple[tuple[str, str], ...]]:
    """Each mapping of a document as its leaves, inner mappings also by themselves."""
    del author_key
    if isinstance(value, Mapping):
        leaves = tuple(_leaves(value, "", 0))
        if leaves:
            yield leaves
        for item in value.values():
            if isinstance(item, list | tuple):
                yield from records_in([each for each in item if isinstance(each, Mapping)])
    elif isinstance(value, list | tuple):
        for item in value:
            if isinstance(item, Mapping):
                yield from records_in(item)


def _leaves(value: object, key: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth > 8:
        return
    if isinstance(value, Mapping):
        for name, item in value.items():
            spelled = str(name)
            if "@" in spelled or any(c.isdigit() for c in spelled):
                yield (key or "key", spelled)
            yield from _leaves(item, spelled.casefold(), depth + 1)
    elif isinstance(value, list | tuple):
        for item in value:
            if not isinstance(item, Mapping):
                yield from _leaves(item, key, depth + 1)
    elif value is not None and not isinstance(value, bool):
        yield (key, str(value))


def author_of(leaves: Iterable[tuple[str, str]]) -> str:
    """Who wrote a record, "" if it does not say."""
    return next((value for key, value in leaves if key in AUTHOR_KEYS and value), "")
