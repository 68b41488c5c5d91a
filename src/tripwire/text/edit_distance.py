"""The nearest of a few known words, by edit distance (read.md §2.1: at most 2)."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST = 64
"""A longer word is no typo of a key; comparing it would only cost time."""


def distance(one: str, other: str) -> int:
    """Insertions, deletions and substitutions of code points between two words."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


def nearest(word: str, known: Iterable[str], most: int = 2) -> str:
    """The known word at the smallest distance, if that is at most `most`; else ""."""
    if len(word) > LONGEST:
        return ""
    near = min(((distance(word, each), each) for each in known), default=(most + 1, ""))
    return near[1] if near[0] <= most else ""
