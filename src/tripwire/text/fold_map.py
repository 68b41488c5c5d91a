"""Folding with a way back: what rules see of a text, and where each character of it came from.

One raw code point maps to zero or more folded ones, by what stands to its left alone (say.md SAY-1
to SAY-3), so that the map is the same however a stream is cut. ASCII stands for itself.
"""

from __future__ import annotations

import functools
import unicodedata
from dataclasses import dataclass

from tripwire.text.fold import is_invisible, skeleton

_DASHES = frozenset("\u2043\u2212\u301c\u3030")
_NEWLINES = frozenset("\u2028\u2029\x85")
_BLANKS = frozenset("\u2800\xa0")
_REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text; `starts[i]` is the raw offset of its character i, None if all are the same.

    `starts` has one more entry: the raw length.
    """

    text: str
    starts: tuple[int, ...] | None = None
    ends_ascii: bool = True
    """Whether a mark that follows would stand on an ASCII character."""

    def raw(self, at: int) -> int:
        """Where folded character `at` begins in the raw text."""
        return at if self.starts is None else self.starts[at]

    def raw_end(self, at: int, length: int) -> int:
        """Where the raw text of a span that ends at folded `at` ends: dropped ones go with it."""
        if self.starts is None:
            return at
        return self.starts[at] if at < len(self.text) else length


def folded(text: str, *, after_ascii: bool = True) -> Folded:
    """The folded form of `text`, which follows a character that folded to ASCII or not."""
    if text.isascii():
        return Folded(text, None, ends_ascii=True if text else after_ascii)
    out: list[str] = []
    starts: list[int] = []
    for at, char in enumerate(text):
        made = char if char.isascii() else fold_char(char)
        if made and not char.isascii():
            made = _without_marks(made, after_ascii=after_ascii)
        if made:
            out.append(made)
            starts += [at] * len(made)
            after_ascii = made[-1].isascii()
    starts.append(len(text))
    return Folded("".join(out), tuple(starts), after_ascii)


@functools.lru_cache(maxsize=16_384)
def fold_char(char: str) -> str:
    """What one code point beyond ASCII folds to, marks included."""
    kind = unicodedata.category(char)
    code = ord(char)
    if kind in ("Cf", "Me") or is_invisible(char):
        return ""
    if kind == "Cs" or code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:
        return _REPLACEMENT
    if kind == "Nd":
        return str(unicodedata.decimal(char))
    if kind == "Pd" or char in _DASHES:
        return "-"
    if char in _NEWLINES:
        return "\n"
    if kind == "Zs" or char in _BLANKS:
        return " "
    out = "".join(map(_likeness, unicodedata.normalize("NFKD", char)))
    return out if out == char or out.isascii() else "".join(map(_likeness, out))


def _likeness(char: str) -> str:
    """The ASCII character that one code point looks like or is a digit of; else itself."""
    if char.isascii():
        return char
    if unicodedata.category(char) == "Nd":
        return str(unicodedata.decimal(char))
    like = skeleton(char)
    return like if len(like) == 1 and like.isascii() else char


def _without_marks(made: str, *, after_ascii: bool) -> str:
    """Without marks on a character that folded to ASCII."""
    if made.isascii():
        return made
    out = []
    for char in made:
        if unicodedata.category(char) == "Mn":
            if after_ascii:
                continue
        else:
            after_ascii = char.isascii()
        out.append(char)
    return "".join(out)
