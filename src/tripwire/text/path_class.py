"""Character classes of path globs: `[abc]`, `[a-c]`, `[^a]`, `[[:alpha:]]` (read.md CTX-16).

`[!a]` is no negation: it matches `!` or `a`. A class with a reversed range never matches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_POSIX = frozenset(
    {
        *("alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph"),
        *("lower", "print", "punct", "space", "upper", "word", "xdigit"),
    }
)
_SPECIAL = frozenset("\\]^-[&~|")


@dataclass(frozen=True, slots=True)
class CharClass:
    """One code point of a set; a class that does not negate may hold `/`."""

    regex: str
    """As an RE2 class, or "" if it never matches."""
    written: str
    """A class also matches its own text: `pages/[id].tsx` is a file of some frameworks."""


def class_at(pattern: str, start: int) -> tuple[CharClass, int] | None:
    """The class that begins at `[` and the position after it; None if it does not close."""
    negated = pattern[start + 1 : start + 2] == "^"
    first = start + (2 if negated else 1)
    end = _closing(pattern, first)
    if end < 0:
        return None
    members = list(_members(pattern[first:end]))
    written = pattern[start : end + 1]
    if any(high and low > high for low, high in members):
        return CharClass("", written), end + 1
    inside = "".join(
        f"{_quoted(low)}-{_quoted(high)}" if high else low if len(low) > 1 else _quoted(low)
        for low, high in members
    )
    regex = f"[^{inside}/]" if negated and inside else f"[{inside}]"
    return CharClass(regex, written), end + 1


def _closing(pattern: str, first: int) -> int:
    """Position of the `]` that closes; one that comes first stands for itself."""
    at = first + 1 if pattern[first : first + 1] == "]" else first
    while at < len(pattern):
        if pattern[at] == "]":
            return at
        if name := _posix(pattern, at):
            at += len(name)
        else:
            at += 2 if pattern[at] == "\\" else 1
    return -1


def _posix(text: str, at: int) -> str:
    """`[:alpha:]` at this position, or ""."""
    if text[at : at + 2] != "[:":
        return ""
    end = text.find(":]", at + 2, at + 12)
    return text[at : end + 2] if end > 0 and text[at + 2 : end] in _POSIX else ""


def _members(body: str) -> Iterator[tuple[str, str]]:
    """(code point or POSIX name, upper end of a range or "")."""
    at = 0
    while at < len(body):
        if name := _posix(body, at):
            at += len(name)
            yield name, ""
            continue
        low, at = _char(body, at)
        if body[at : at + 1] == "-" and at + 1 < len(body) and not _posix(body, at + 1):
            high, at = _char(body, at + 1)
            yield low, high
        else:
            yield low, ""


def _char(body: str, at: int) -> tuple[str, int]:
    if body[at] == "\\" and at + 1 < len(body):
        return body[at + 1], at + 2
    return body[at], at + 1


def _quoted(char: str) -> str:
    if char == "\0":
        return r"\x00"
    return f"\\{char}" if char in _SPECIAL else char
