"""Names in a text: capitalised runs, and whole words that are compared without case (SAY-30)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_CAPITALISED = re.compile(r"[A-Z][A-Za-z0-9&'-]*")
_GAP = re.compile(r"[ \t]{1,3}")


@dataclass(frozen=True, slots=True)
class Ways:
    """What makes a run of words a name, and what excuses it."""

    suffixes: frozenset[str]
    openers: frozenset[str]
    """Words that begin a sentence and no name."""
    words: tuple[int, int]
    """Words of a name, at least and at most, its suffix not counted if `prefix`."""
    prefix: bool = False
    """Whether a known name as the first whole words excuses it."""


def form(name: str) -> str:
    """How names are compared."""
    return " ".join(name.casefold().split())


def stands_in(name: str, text: str) -> bool:
    """Whether the name stands in the text as whole words."""
    return next(places_of(name, text), None) is not None


def places_of(name: str, text: str) -> Iterator[tuple[int, int]]:
    """Where the name stands as whole words, whatever their case and the blanks between them."""
    words = name.split()
    if not words or words[0].casefold() not in text.casefold():
        return
    pattern = r"\s+".join(map(re.escape, words))
    for hit in re.finditer(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE):
        yield hit.span()


def invented(text: str, known: set[str], ways: Ways) -> Iterator[tuple[int, int, str]]:
    """Names in the text that are none of the known ones: start, end, and the name."""
    seen: set[str] = set()
    for run in _runs(text):
        for last, (_, end, word) in enumerate(run):
            if word.casefold() not in ways.suffixes:
                continue
            first = max(0, last + 1 - ways.words[1] - ways.prefix)
            found = run[first : last + 1]
            while found and found[0][2].casefold() in ways.openers and len(found) > 1:
                found = found[1:]
            name = " ".join(part[2] for part in found)
            least = ways.words[0] + (1 if ways.prefix else 0)
            if len(found) < least or form(name) in seen or _excused(found, known, ways):
                continue
            seen.add(form(name))
            yield found[0][0], end, name


def _excused(found: list[tuple[int, int, str]], known: set[str], ways: Ways) -> bool:
    """Whether the name, or the end of it that may be one, is known."""
    words = [part[2].casefold() for part in found]
    for start in range(len(words) - 1):
        if " ".join(words[start:]) in known and all(w in ways.openers for w in words[:start]):
            return True
    if not ways.prefix:
        return " ".join(words) in known
    return any(" ".join(words[:count]) in known for count in range(1, len(words) + 1))


def _runs(text: str) -> Iterator[list[tuple[int, int, str]]]:
    """Capitalised words with nothing but blanks between them."""
    run: list[tuple[int, int, str]] = []
    for hit in _CAPITALISED.finditer(text):
        start, end = hit.span()
        before = text[start - 1] if start else " "
        if before.isalnum() or before == "_":
            continue
        if run and not _GAP.fullmatch(text, run[-1][1], start):
            yield run
            run = []
        run.append((start, end, hit.group()))
    if run:
        yield run
