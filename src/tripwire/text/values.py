"""Typed values in a text: addresses, IBANs, amounts, ids, … (gateway.md P-2, P-3, P-15).

One linear pass: chunks between separators, each read by patterns that cannot backtrack; a chunk
longer than `MAX_TOKEN` is no value. A type consumes its inner words and digits. Does not know
where a text came from.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from tripwire.text import numerals, shapes
from tripwire.text.number_context import (
    beside,
    bracketed,
    identifies,
    not_money,
    point_groups,
    prepare,
    word_before,
)
from tripwire.text.numerals import GROUP, Comma

MAX_TOKEN = 256
"""Characters of the longest value that is no URL."""

MAX_URL = 4096
MAX_TEXT = 256
MAX_CACHED = 80

_BREAK = (
    r"\s\"'<>()\[\]{}|`;“”„«»‹›"
    r"\u3000-\u303f\uff0c\uff1a\uff1b\uff08\uff09"  # CJK punctuation
    r"\u0e00-\u0e7f\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts without spaces
)
_CHUNK = re.compile(rf"(?<![^{_BREAK}])[^{_BREAK}\d@:#]*+[\d@:#][^{_BREAK}]*+")
_ASCII_BREAK = r"\t-\r\x1c-\x20\"'<>()\[\]{}|`;"
_ASCII_CHUNK = re.compile(
    rf"(?<![^{_ASCII_BREAK}])[^{_ASCII_BREAK}0-9@:#]*+[0-9@:#][^{_ASCII_BREAK}]*+"
)
"""As `_CHUNK`, for ASCII texts: sets that are tested in one step."""

_DASHES = "-\u2013\u2014"
_TRAILING = ".,:;!?…·'’*_~"
_LEADING = ".,:;!?…·'’*_~/\\&="


class Value(NamedTuple):
    """One typed value: equal means equal `kind` and `norm` (P-2).

    `ambiguous`: the text allows this reading and another one. `currency` only for amounts.
    `start` and `end` are positions in the scanned text, after NFKC.
    """

    kind: str
    norm: str
    currency: str = ""
    ambiguous: bool = False
    start: int = 0
    end: int = 0

    @property
    def key(self) -> str:
        """What a memory stores it under."""
        return f"{self.kind}:{self.norm}"


_TELLING = re.compile(r"[\d@:#]")


def may_hold(text: str) -> bool:
    """Whether a text can hold a typed value at all: each has a digit or one of these marks."""
    return _TELLING.search(text) is not None


def scan(text: str, *, comma: Comma = None, key: str = "") -> list[Value]:
    """The typed values of a text in order; `key` is the field that holds it, if any.

    `comma` says how its locale writes decimals; None lets the document itself decide.
    """
    if not text or (text.isascii() and not may_hold(text)):
        return []
    return scan_prepared(prepare(text), comma=comma, key=key)


def scan_prepared(text: str, *, comma: Comma = None, key: str = "") -> list[Value]:
    """`scan` of a text that `prepare` gave."""
    if comma is None and ("," in text or "." in text):
        comma = numerals.convention(text)
    key = key if shapes.labelled_key(key) else ""
    return list(_long(text, comma, key)) if len(text) > MAX_TEXT else _scanned(text, comma, key)


@functools.lru_cache(maxsize=2)
def _long(text: str, comma: Comma, key: str) -> tuple[Value, ...]:
    """The same text is asked for its values and for its figures, one after the other."""
    return tuple(_scanned(text, comma, key))


def _scanned(text: str, comma: Comma, key: str) -> list[Value]:
    found: list[Value] = []
    busy = 0
    for match in (_ASCII_CHUNK if text.isascii() else _CHUNK).finditer(text):
        start, end = match.span()
        if start < busy:
            continue
        may_go_on = end - start <= 5 or text[start] in "+0"
        span = shapes.wide(text, start, end) if may_go_on else None
        if span is not None:
            kind, norm, busy = span
            found.append(Value(kind, norm, "", False, start, busy))
        elif end - start <= MAX_CACHED:
            _add(found, _known_parts(match[0], comma), text, start, key)
        elif end - start <= MAX_URL:
            _add(found, _parts(match[0], 0, end - start, comma), text, start, key)
    return found


def _add(found: list[Value], parts: Iterable[_Part], text: str, at: int, key: str) -> None:
    """The values of a chunk that begins at `at`; numbers are read by what stands around them."""
    for part in parts:
        if isinstance(part, Value):
            kind, norm, currency, ambiguous, start, end = part
            found.append(Value(kind, norm, currency, ambiguous, at + start, at + end))
        else:
            found.extend(_amount(text, at, part, key))


def whole(text: str, *, comma: Comma = None, key: str = "") -> Value | None:
    """A leaf or argument as one value, if it is one of the typed kinds as a whole."""
    bare = text.strip()
    if not bare or len(bare) > MAX_URL:
        return None
    found = scan(bare, comma=comma, key=key)
    if not found:
        return None
    ready = prepare(bare).strip(_TRAILING + "$€£¥")
    first = found[0]
    if first.kind == "id" and first.norm != ready.lstrip("#"):
        return None
    covered = first.end - first.start
    return first if covered >= len(ready) and first.start <= 1 else None


def text_value(text: str) -> Value | None:
    """A whole leaf as text (P-2): trimmed, NFKC, case folded."""
    bare = " ".join(unicodedata.normalize("NFKC", text).split()).casefold()
    return Value("text", bare) if 0 < len(bare) <= MAX_TEXT else None


def leaf(text: str, *, comma: Comma = None, key: str = "") -> list[Value]:
    """Everything a string leaf of a result is evidence of."""
    if len(text) <= MAX_CACHED:
        return list(_short_leaf(text, comma, key if text.isdecimal() else ""))
    return _leaf(text, comma, key)


@functools.lru_cache(maxsize=8192)
def _short_leaf(text: str, comma: Comma, key: str) -> tuple[Value, ...]:
    return tuple(_leaf(text, comma, key))


def _leaf(text: str, comma: Comma, key: str) -> list[Value]:
    found = scan(text, comma=comma, key=key)
    if len(text) > MAX_TEXT:
        return found
    if found and found[0].end - found[0].start >= len(text.strip()) and found[0].kind != "amount":
        return found
    words = text_value(text)
    bare = text.strip()
    if bare.isdecimal() and not any(v.kind == "id" for v in found):
        found.append(Value("id", bare))
    return [*found, words] if words is not None else found


def number(value: float | Decimal, *, currency: str = "") -> Value | None:
    """A JSON number as an amount, exactly: a float stands for its shortest decimal text."""
    try:
        exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    except InvalidOperation:
        return None
    return Value("amount", numerals.key(exact), currency) if exact.is_finite() else None


def amount(text: str, *, comma: Comma = None) -> tuple[Value, ...]:
    """A string argument read as an amount, currency included; two values if it is ambiguous."""
    ready = prepare(text.strip())
    found = [v for v in scan_prepared(ready, comma=comma) if v.kind == "amount"]
    ends = {(v.start, v.end) for v in found}
    if len(ends) != 1:
        return ()
    rest = ready[: found[0].start] + ready[found[0].end :]
    left = rest.strip(" .:,+")
    return tuple(found) if not left or numerals.currency(left) else ()


# ── one chunk ────────────────────────────────────────────────────────────────────────────────


class _Written(NamedTuple):
    """A number in a chunk, before it is known what stands around it."""

    text: str
    norms: tuple[str, ...]
    code: str
    negative: bool
    start: int
    end: int


_Part = Value | _Written


@functools.lru_cache(maxsize=16_384)
def _known_parts(chunk: str, comma: Comma) -> tuple[_Part, ...]:
    return tuple(_parts(chunk, 0, len(chunk), comma))


def _parts(text: str, start: int, end: int, comma: Comma) -> Iterator[_Part]:
    mark = text.find("://", start, end)
    if mark > 0:
        scheme = shapes.scheme_start(text, start, mark)
        if scheme is not None:
            if scheme > start:
                yield from _pieces(text, start, scheme, comma)
            stop = shapes.url_end(text, mark, end)
            norm = shapes.url(text[scheme:stop])
            yield Value(
                "url" if norm else "untraceable", norm or text[scheme:stop], "", False, scheme, stop
            )
            return
    yield from _pieces(text, start, end, comma)


def _pieces(text: str, start: int, end: int, comma: Comma) -> Iterator[_Part]:
    while (
        start < end
        and text[start] in _LEADING
        and not text[start : start + 2].strip(".").isdecimal()
    ):
        start += 1
    while end > start and text[end - 1] in _TRAILING:
        end -= 1
    if start >= end:
        return
    piece = text[start:end]
    if len(piece) > MAX_TOKEN:
        if "," in piece or "=" in piece or ":" in piece or "&" in piece:
            yield from _split(text, start, end, comma)
        return
    typed = shapes.typed(piece)
    if typed is not None:
        yield Value(typed[0], typed[1], "", False, start, end)
        return
    number = _written(piece, start, end, comma)
    if number is not None:
        if number.norms:
            yield number
    elif _SPLIT.search(piece):
        yield from _split(text, start, end, comma)
    elif shapes.is_id(piece):
        yield Value("id", piece.lstrip("#"), "", False, start, end)


_SPLIT = re.compile(r"[,:=&?]")
_SPLITS = re.compile(r"[^,:=&?]++")


def _split(text: str, start: int, end: int, comma: Comma) -> Iterator[_Part]:
    for match in _SPLITS.finditer(text, start, end):
        if match.span() != (start, end):
            yield from _pieces(text, *match.span(), comma)


_ATTACHED = re.compile(
    rf"(?P<before>[-\u2212\u2013]?[^\W\d_]{{0,5}}[€$£¥₹₽₩₺₿₴₫₱₦₪Ξ฿]?)"
    rf"(?P<number>[-\u2212\u2013+]?[\d.,{GROUP}]*\d(?:bn|[kKmMB](?![^\W\d_]))?)"
    r"(?P<after>[€$£¥₹₽₩₺₿₴₫₱₦₪Ξ฿]|[^\W\d_]{2,8}|%|[.,][-\u2013\u2014]{1,2}|-)?(?:/-)?"
)


_PLAIN = re.compile(r"([0-9]{1,15})(?:\.([0-9]{1,2}|[0-9]{4,12}))?")
"""Digits that every convention reads alike."""


def _written(piece: str, start: int, end: int, comma: Comma) -> _Written | None:
    """The number a piece is; one without readings if it is none that counts, None for no number."""
    if found := _PLAIN.fullmatch(piece):
        whole, fraction = found[1].lstrip("0") or "0", (found[2] or "").rstrip("0")
        norm = f"{whole}.{fraction}" if fraction else whole
        return _Written(piece, (norm,), "", False, start, end)
    found = _ATTACHED.fullmatch(piece)
    if found is None:
        return None
    before, after = found["before"], found["after"] or ""
    if dashes := after[:1] if after[1:2] in _DASHES and after[1:] else "":
        comma = dashes == ","
    parsed = numerals.parse(found["number"], comma=comma)
    if parsed is None:
        return None
    negative = before[:1] in ("-", "\u2212", "\u2013") and before != ""
    code = numerals.currency(before.lstrip("-\u2212\u2013")) or numerals.currency(after)
    if (before.lstrip("-\u2212\u2013") or after) and not code and after != "-" and not dashes:
        return _Written(piece, (), "", negative, start, end) if after == "%" else None
    norms = tuple(map(numerals.key, parsed.readings))
    return _Written(found["number"], norms, code, negative or after == "-", start, end)


def _amount(text: str, at: int, number: _Written, key: str) -> list[Value]:
    """What the number is by the words around it: an amount, an id, or nothing that counts."""
    digits, norms, code, negative, start, end = number
    start, end = at + start, at + end
    word = word_before(text, start) if start else ""
    code = code or beside(text, end, word)
    if not code:
        if digits.isdecimal() and identifies(word, key):
            return [Value("id", text[start:end], "", False, start, end)]
        if not_money(text, end, digits, word, text[max(0, start - 16) : start]):
            return []
    if len(norms) > 1 and point_groups(text, end, digits, code):
        norms = norms[1:]
    if negative or bracketed(text, start, end):
        norms = tuple(numerals.key(-Decimal(norm)) for norm in norms)
    ambiguous = len(norms) > 1
    return [Value("amount", norm, code, ambiguous, start, end) for norm in norms]
