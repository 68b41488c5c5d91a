"""Brace ranges of path globs: `{1..10}`, `{01..10}`, `{1..9..2}`, `{c..a}` (read.md CTX-16)."""

from __future__ import annotations

import re

from tripwire.errors import PolicyError

MAX_VALUES = 1000
_NUMBERS = re.compile(r"(-?[0-9]{1,18})\.\.(-?[0-9]{1,18})(?:\.\.(-?[0-9]{1,18}))?")
_LETTERS = re.compile(r"([^\W\d_])\.\.([^\W\d_])(?:\.\.(-?[0-9]{1,18}))?")


def range_of(body: str) -> tuple[str, ...] | None:
    """The values of `1..3` or `a..c`; None if `body` is no range.

    Raises PolicyError for more than 1,000 values.
    """
    if found := _NUMBERS.fullmatch(body):
        low, high = found[1], found[2]
        padded = any(re.match(r"-?0[0-9]", bound) for bound in (low, high))
        width = max(len(low), len(high)) if padded else 0
        return tuple(f"{value:0{width}d}" for value in _steps(int(low), int(high), found[3]))
    if found := _LETTERS.fullmatch(body):
        return tuple(chr(value) for value in _steps(ord(found[1]), ord(found[2]), found[3]))
    return None


def _steps(low: int, high: int, step: str | None) -> range:
    size = abs(int(step or 1)) or 1
    values = range(low, high + 1, size) if low <= high else range(low, high - 1, -size)
    # len() of a range refuses what does not fit a machine word.
    if abs(high - low) // size >= MAX_VALUES:
        raise PolicyError(
            f"a brace range holds more than {MAX_VALUES} values",
            fix="Use `*`, or several triggers.",
        )
    return values
