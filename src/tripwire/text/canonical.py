"""Canonical JSON (RFC 8785) and its digest: the bytes that hashes and signatures cover.

Never rounds: what RFC 8785 cannot express raises NotCanonical. The fast path is taken only where
it gives the same bytes (gateway.md E-2): no floats, integers within ±2^53, strings below U+D800.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from math import isfinite

import orjson
import rfc8785

from tripwire.errors import NotCanonical

MAX_DEPTH = 200
"""Levels of nesting that are written; deeper values are refused, never recursed into."""

_MAX_INT = 2**53 - 1
_FIRST_EXPONENT = 10**21
_FIRST_SURROGATE = "\ud800"


def canonical_bytes(value: object) -> bytes:
    """The RFC 8785 form of a JSON value, UTF-8.

    Tuples are arrays. Raises NotCanonical for NaN, infinities, integers that would be rounded, lone
    surrogates, keys that are not text, other types (Decimal, bytes, sets), and depth > MAX_DEPTH.
    """
    if is_plain(value):
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    plain, fast = _checked(value, MAX_DEPTH)
    if fast:
        return orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)
    return _slow(plain)


def digest(value: object) -> str:
    """SHA-256 of the canonical form, lower-case hex."""
    return hashlib.sha256(canonical_bytes(value)).hexdigest()


def any_digest(value: object) -> str:
    """SHA-256 hex of any JSON-like value, however its keys are ordered; not the RFC 8785 form.

    For comparing what a stranger sent, which RFC 8785 may refuse.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=repr)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_plain(value: object, room: int = MAX_DEPTH, *, floats: bool = False) -> bool:
    """Whether orjson's sorted form of `value`, as it is, is the RFC 8785 form: the usual case.

    Exact types only, and nothing that would have to be changed or refused. With `floats` finite
    floats count as well: orjson gives them back, but writes them in its own way.
    """
    kind = type(value)
    if kind is str:
        return _fast_text(value)  # type: ignore[arg-type]
    if kind is dict:
        if room <= 0:
            return False
        for key, item in value.items():  # type: ignore[attr-defined]
            if type(key) is not str or not (key.isascii() or _fast_text(key)):
                return False
            if type(item) is str and item.isascii():  # most are: no call for each of them
                continue
            if not is_plain(item, room - 1, floats=floats):
                return False
        return True
    if kind is list:
        if room <= 0:
            return False
        return all(is_plain(item, room - 1, floats=floats) for item in value)  # type: ignore[attr-defined]
    if kind is int:
        return -_MAX_INT <= value <= _MAX_INT  # type: ignore[operator]
    if kind is float:
        return floats and isfinite(value)  # type: ignore[arg-type]
    return value is None or kind is bool


def _slow(value: object) -> bytes:
    try:
        return bytes(rfc8785.dumps(value))  # type: ignore[arg-type]
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise NotCanonical(f"no canonical JSON form: {type(error).__name__}") from None


def _checked(value: object, room: int) -> tuple[object, bool]:
    """The value in plain JSON types, and whether the fast path gives the same bytes."""
    kind = type(value)
    if kind is str:
        return value, _fast_text(value)  # type: ignore[arg-type]
    if value is None or kind is bool:
        return value, True
    if kind is int:
        return _checked_int(value)  # type: ignore[arg-type]
    if kind is float:
        return value, False
    if room <= 0:
        raise NotCanonical(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        return _checked_object(value, room - 1)
    if isinstance(value, list | tuple):
        return _checked_array(value, room - 1)
    return _checked_subclass(value)


def _checked_subclass(value: object) -> tuple[object, bool]:
    # An IntEnum or StrEnum is written as the number or text that it is.
    if isinstance(value, str):
        text = str.__str__(value)
        return text, _fast_text(text)
    if isinstance(value, int):
        return _checked_int(int(value))
    if isinstance(value, float):
        return float(value), False
    raise NotCanonical(f"a {type(value).__name__} is no JSON value")


def _checked_object(value: Mapping[object, object], room: int) -> tuple[object, bool]:
    plain: dict[str, object] = {}
    fast = True
    for key, item in value.items():
        if not isinstance(key, str):
            raise NotCanonical(f"an object key is a {type(key).__name__}, not text")
        plain[str.__str__(key)], item_fast = _checked(item, room)
        fast = fast and item_fast and _fast_text(key)
    return plain, fast


def _checked_array(value: list[object] | tuple[object, ...], room: int) -> tuple[object, bool]:
    plain = []
    fast = True
    for item in value:
        item_plain, item_fast = _checked(item, room)
        plain.append(item_plain)
        fast = fast and item_fast
    return plain, fast


def _checked_int(number: int) -> tuple[int | float, bool]:
    if -_MAX_INT <= number <= _MAX_INT:
        return number, True
    # A larger double is written as an integer below 1e21 and must read back as the same text.
    if abs(number) < _FIRST_EXPONENT and _slow(float(number)) == str(number).encode():
        return float(number), False
    raise NotCanonical("an integer beyond ±(2^53-1); it would be rounded")


def _fast_text(text: str) -> bool:
    return text.isascii() or max(text) < _FIRST_SURROGATE
