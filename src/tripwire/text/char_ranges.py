"""Sets of characters as sorted, disjoint ranges of code points."""

from __future__ import annotations

from collections.abc import Iterable

Ranges = tuple[tuple[int, int], ...]
"""First and last code point of each range."""

LAST = 0x10FFFF
DIGIT: Ranges = ((48, 57),)
WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122))
SPACE: Ranges = ((9, 13), (32, 32))
NEWLINE: Ranges = ((10, 10),)
ALL: Ranges = ((0, LAST),)


def union(sets: Iterable[Ranges]) -> Ranges:
    """What is in one of them."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(pair for ranges in sets for pair in ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return tuple(found)


def inverse(ranges: Ranges) -> Ranges:
    """What is not in it."""
    found, start = [], 0
    for low, high in union([ranges]):
        if start < low:
            found.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        found.append((start, LAST))
    return tuple(found)


def common(one: Ranges, other: Ranges) -> Ranges:
    """What is in both."""
    return inverse(union([inverse(one), inverse(other)]))


def within(one: Ranges, other: Ranges) -> bool:
    """Whether all of `one` is in `other`."""
    return not common(one, inverse(other))


def both_cases(ranges: Ranges) -> Ranges:
    """With the other case of each letter; large ranges beyond ASCII are taken as they are."""
    more: list[Ranges] = [ranges]
    for low, high in ranges:
        codes = range(low, min(high, low + 2048) + 1)
        swapped = {ord(s) for code in codes if len(s := chr(code).swapcase()) == 1}
        more.append(tuple((code, code) for code in sorted(swapped)))
    return union(more)
