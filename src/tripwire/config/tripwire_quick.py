"""The common form of a tripwire file, read line by line: several times as quick as the YAML parser.

That is the keys of the table with words, quoted text, `[a, "b"]`, lists of `- item` and texts
after `|`; and comments. Every other text is given up (None), and `tripwire_yaml.py` reads it:
errors, places and rarer YAML are its affair alone. A property in the tests says that both agree
wherever this one answers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MAX_BYTES = 8 << 10
"""A longer file is none of the common form; the bounds of CTX-5 lie far above this one."""

Value = str | bool | tuple[str, ...]

_KEYS = (
    "triggers|context|severity|created_by|learned_from|tags|expires|depends_on|active|repeat|source"
)
_END = r"[ ]*(?:[ ]\#.*)?"
_QUOTED = r"""(?:"[^"\\]*"|'[^']*')"""
# A word without quotes begins with a letter, `/` or `_`, or is a date: so it is never a number. A
# colon in it is followed by more of the word: so it ends no key.
_CHAR = r"[A-Za-z0-9_./@*+!()&%$=;?',-]"
_REST = rf"{_CHAR}+(?::{_CHAR}+)*"
_WORD = rf"[A-Za-z/_]{_CHAR}*(?::{_CHAR}+)*"
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_PLAIN = rf"(?:{_WORD}(?:[ ]{{1,3}}{_REST})*|{_DATE})"
_ITEM = rf"(?:{_QUOTED}|[A-Za-z/_][A-Za-z0-9_./@*+-]*)"
_FLOW = rf"\[[ ]*(?:{_ITEM}(?:[ ]*,[ ]*{_ITEM})*)?[ ]*\]"
_ENTRY = re.compile(
    rf"({_KEYS}):(?:[ ]+(?:({_QUOTED})|({_PLAIN})|({_FLOW})|(\|))?)?{_END}", re.VERBOSE
)
_LISTED = re.compile(rf"([ ]*)-[ ]+(?:({_QUOTED})|({_PLAIN})){_END}", re.VERBOSE)
_ITEMS = re.compile(_ITEM, re.VERBOSE)
_REMARK = re.compile(r"[ ]*(?:#.*)?")
_NO_TEXT = frozenset({"null", "Null", "NULL"})
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


@dataclass(frozen=True, slots=True)
class Common:
    """The values of a file, and where they stand: dotted key path → line, 1-based."""

    values: dict[str, Value]
    lines: dict[str, int]


class _OtherError(Exception):
    """The text is not of the common form."""


def read(raw: bytes) -> Common | None:
    """The values of a file of the common form; None for any other, be it right or wrong."""
    if len(raw) > MAX_BYTES or not raw.endswith(b"\n"):
        return None
    try:
        rows = raw.decode("utf-8").split("\n")
        if not "".join(rows).isprintable():  # tabs, CR, BOM and all that ends a line elsewhere
            return None
        return _Reading(rows).read()
    except (UnicodeDecodeError, _OtherError):
        return None


@dataclass(slots=True)
class _Reading:
    rows: list[str]
    at: int = 0
    values: dict[str, Value] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def read(self) -> Common:
        """Entry after entry. Raises _OtherError."""
        rows = self.rows
        while self.at < len(rows):
            row = rows[self.at]
            entry = _ENTRY.fullmatch(row)
            self.at += 1
            if entry is None:
                if _REMARK.fullmatch(row) is None:
                    raise _OtherError
                continue
            key, quoted, plain, flow, block = entry.groups()
            if key in self.lines:
                raise _OtherError
            self.lines[key] = self.at
            if quoted is not None:
                self.values[key] = quoted[1:-1]
            elif plain is not None:
                self.values[key] = _BOOL[plain] if plain in _BOOL else _text(plain)
            elif block is not None:
                self.values[key] = self._block()
            else:
                self.values[key] = self._listed(key) if flow is None else self._flow(key, flow)
        if not self.values:
            raise _OtherError
        return Common(self.values, self.lines)

    def _flow(self, key: str, written: str) -> tuple[str, ...]:
        found = tuple(
            item[1:-1] if item[0] in "\"'" else _text(item) for item in _ITEMS.findall(written)
        )
        for number in range(len(found)):
            self.lines[f"{key}.{number}"] = self.at
        return found

    def _listed(self, key: str) -> tuple[str, ...]:
        """The lines `- item` that follow, all as far in."""
        found: list[str] = []
        indent: str | None = None
        while self.at < len(self.rows):
            item = _LISTED.fullmatch(self.rows[self.at])
            if item is None:
                if _REMARK.fullmatch(self.rows[self.at]) is None:
                    break
                self.at += 1
                continue
            before, quoted, plain = item.groups()
            if indent is None:
                indent = before
            if before != indent:
                raise _OtherError
            self.at += 1
            self.lines[f"{key}.{len(found)}"] = self.at
            found.append(_text(plain) if quoted is None else quoted[1:-1])
        if not found:
            raise _OtherError
        return tuple(found)

    def _block(self) -> str:
        """A text after `|`: as far in as its first line, without the blank lines at its end."""
        rows, start = self.rows, self.at
        first = rows[start] if start < len(rows) else ""
        indent = len(first) - len(first.lstrip(" "))
        if not indent or indent == len(first):
            raise _OtherError
        margin = first[:indent]
        found: list[str] = []
        at = start
        while at < len(rows) and (rows[at].startswith(margin) or not rows[at]):
            if rows[at].isspace():
                raise _OtherError
            found.append(rows[at][indent:])
            at += 1
        if at < len(rows) and rows[at].startswith(" "):
            raise _OtherError
        self.at = at
        while not found[-1]:
            found.pop()
        return "\n".join(found) + "\n"


def _text(word: str) -> str:
    """A word without quotes that is text. Raises _OtherError."""
    if word in _NO_TEXT or word in _BOOL:
        raise _OtherError
    return word
