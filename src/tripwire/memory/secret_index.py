"""An index of normal forms: which known values a text holds whole, and how much of the others.

Whole values: one automaton over nearly all, a small one over the recent, a scan of the newest.
Parts: every run of four characters of a value is looked up; runs that follow each other in both
the text and the value count, others are chance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ahocorasick_rs import AhoCorasick

GRAM = 4
"""Characters (bytes of UTF-8) of one run that is looked up."""

LONG_GRAM = 8
"""In a large text a part shorter than this is taken for chance."""

MAX_SURE = 2048
"""Values from secret sources whose parts are indexed; of more, only the whole is found."""

MAX_PLANTED = 256
"""The same for values that any text may have brought: planting many must not slow a look down."""

_MIN_PARTIAL_CHARS = 12
_MAX_POSTINGS = 32
_MAX_PLACES = 20_000
_NEWEST = 64
_BEGINNING = 12
_LARGE_TEXT = 16_384


@dataclass(slots=True)
class Whole:
    """Finds which of its needles occur in a text."""

    needles: list[str] = field(default_factory=list)
    _parts: list[tuple[AhoCorasick | None, int]] = field(default_factory=lambda: [(None, 0)] * 2)

    def add(self, needle: str) -> None:
        """The next needle; its position is its number."""
        self.needles.append(needle)

    def found(self, text: str) -> set[int]:
        """Numbers of the needles that occur in `text`."""
        self._settle()
        hits: set[int] = set()
        start = 0
        for automaton, end in self._parts:
            if automaton is not None:
                for i, at, _ in automaton.find_matches_as_indexes(text, overlapping=True):
                    if text.startswith(self.needles[start + i], at):
                        hits.add(start + i)
            start = max(start, end)
        newest = range(start, len(self.needles))
        hits.update(i for i in newest if self.needles[i] in text)
        return hits

    def _settle(self) -> None:
        total = len(self.needles)
        (_, base), (_, recent) = self._parts
        done = max(base, recent)
        if total - done < _NEWEST:
            return
        if total - base >= max(16 * _NEWEST, base // 4):
            self._parts = [(_automaton(self.needles), total), (None, total)]
        else:
            self._parts[1] = (_automaton(self.needles[base:]), total)


def _automaton(needles: list[str]) -> AhoCorasick:
    # The beginnings alone keep the automaton small enough for the processor's cache.
    return AhoCorasick([needle[:_BEGINNING] for needle in needles])


@dataclass(slots=True)
class Parts:
    """Finds how much of each value a text holds, as a mask of its positions."""

    lengths: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    grams: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    long_grams: set[int] = field(default_factory=set)
    room: dict[bool, int] = field(default_factory=lambda: {True: MAX_SURE, False: MAX_PLANTED})

    def add(self, normal: str, *, sure: bool) -> None:
        """The next value; its position is its number."""
        data = normal.encode("utf-8", "surrogatepass")
        number = len(self.lengths)
        self.lengths.append(len(data))
        self.weights.append(_bits_per_char(normal))
        if len(data) < _MIN_PARTIAL_CHARS or self.room[sure] <= 0:
            return
        self.room[sure] -= 1
        self.long_grams.update(
            memoryview(data[at : at + LONG_GRAM]).cast("Q")[0]
            for at in range(len(data) - LONG_GRAM + 1)
        )
        for at in range(len(data) - GRAM + 1):
            gram = memoryview(data[at : at + GRAM]).cast("I")[0]
            postings = self.grams.setdefault(gram, [])
            if len(postings) < _MAX_POSTINGS:
                postings.append((number, at))

    def found(self, normal: str) -> dict[int, int]:
        """Number of a value → mask of its characters that stand in the text in runs."""
        if not self.grams or len(normal) < GRAM:
            return {}
        data = normal.encode("utf-8", "surrogatepass")
        return self._runs(data, self._places(data))

    def _places(self, data: bytes) -> list[int]:
        if len(data) > _LARGE_TEXT and not self._has_long(data):
            return []
        known = self.grams.keys()
        places: list[int] = []
        for shift in range(GRAM):
            usable = data[shift : shift + (len(data) - shift) // GRAM * GRAM]
            numbers = memoryview(usable).cast("I") if usable else memoryview(b"")
            if not known.isdisjoint(numbers):
                places += [GRAM * i + shift for i, n in enumerate(numbers) if n in known]
        return sorted(places)[:_MAX_PLACES]

    def _has_long(self, data: bytes) -> bool:
        for shift in range(LONG_GRAM):
            usable = data[shift : shift + (len(data) - shift) // LONG_GRAM * LONG_GRAM]
            if usable and not self.long_grams.isdisjoint(memoryview(usable).cast("Q")):
                return True
        return False

    def _runs(self, data: bytes, places: list[int]) -> dict[int, int]:
        """Runs that go on in the text as in the value, written into masks."""
        masks: dict[int, int] = {}
        open_runs: dict[tuple[int, int], tuple[int, int]] = {}

        def close(number: int, first: int, last: int) -> None:
            if last - first + GRAM >= needed_run(self.weights[number], len(data)):
                bits = ((1 << (last - first + GRAM)) - 1) << first
                masks[number] = masks.get(number, 0) | bits

        for place in places:
            gram = memoryview(data[place : place + GRAM]).cast("I")[0]
            for number, at in self.grams[gram]:
                line = (number, place - at)
                first, last = open_runs.get(line, (at, at - 1))
                if last != at - 1:
                    close(number, first, last)
                    first = at
                open_runs[line] = (first, at)
        for (number, _), (first, last) in open_runs.items():
            close(number, first, last)
        return masks

    def share(self, number: int, mask: int) -> float:
        """Which part of value `number` a mask covers."""
        return mask.bit_count() / self.lengths[number]


def _bits_per_char(normal: str) -> float:
    """How much one character of a value tells; words tell least."""
    if normal.isdigit():
        return 3.3
    if all(char in "0123456789abcdef" for char in normal):
        return 4.0
    return 4.7 if any(map(str.isdigit, normal)) else 2.0


def needed_run(bits: float, size: int) -> int:
    """Characters in a row that are no chance in a text of `size` characters."""
    return max(GRAM, math.ceil((math.log2(max(size, 256)) + 10) / bits))
