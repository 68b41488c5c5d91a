"""A JSON value as it is persisted: one form that gives it back, one that hashes cover.

The persisted form keeps key order and the difference of 1 and 1.0; the hash covers the RFC 8785
form. What RFC 8785 cannot express is stored as JSON text under `<key>_raw`, and the hash is over
those raw bytes (gateway.md §2).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from tripwire.errors import EvidenceUnavailable, NotCanonical
from tripwire.ledger.keys import sha256
from tripwire.text.canonical import MAX_DEPTH, canonical_bytes, is_plain

_FLAT, _FEW = 8, 64
"""Levels, and values on each, up to which a value is looked through faster than written."""


@dataclass(frozen=True, slots=True)
class Packed:
    """`line` is what is written, `canonical` what a MAC covers, both JSON; `digest` is hex."""

    suffix: str
    line: bytes
    canonical: bytes
    digest: str


def pack(value: object) -> Packed:
    """Raises EvidenceUnavailable for a value that no JSON text can hold."""
    try:
        canonical = canonical_bytes(value)
    except NotCanonical:
        return _raw(value)
    return Packed("", orjson.dumps(value, default=_plain), canonical, sha256(canonical))


def stored(value: object) -> tuple[str, bytes]:
    """Suffix and line of `pack`, for what no MAC or hash of its own covers."""
    if is_plain(value, floats=True):
        return "", orjson.dumps(value)
    packed = pack(value)
    return packed.suffix, packed.line


def unpack(fields: Mapping[str, object], key: str) -> object:
    """The value that was packed under `key`."""
    raw = fields.get(f"{key}_raw")
    return json.loads(raw) if isinstance(raw, str) else fields[key]


def joined(pieces: Mapping[str, bytes]) -> bytes:
    """One JSON object of pieces that are JSON already, keys sorted; keys are plain ASCII."""
    return b"{" + b",".join(b'"%s":%s' % (k.encode(), pieces[k]) for k in sorted(pieces)) + b"}"


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(type(value).__name__)


def _raw(value: object) -> Packed:
    try:
        text = json.dumps(value, separators=(",", ":"))
        _check_keys(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise EvidenceUnavailable(
            f"a value cannot be recorded ({type(error).__name__})",
            fix="Send plain JSON values, nested less than 200 levels.",
        ) from None
    quoted = json.dumps(text).encode()
    return Packed("_raw", quoted, canonical_bytes(text), sha256(text.encode()))


def _check_keys(value: object) -> None:
    """Raises TypeError for a key that is no text: json would write another one in its place."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(type(key).__name__)
            _check_keys(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_keys(item)


def is_deep(value: object) -> bool:
    """Whether a JSON value is nested deeper than MAX_DEPTH; never recurses."""
    if not _exceeds(value, _FLAT, most=_FEW):
        return False
    try:
        orjson.dumps(value, default=_plain)
    except TypeError:
        return _exceeds(value, MAX_DEPTH + 1)
    return False  # orjson itself refuses what would exhaust a stack


def _exceeds(value: object, levels: int, *, most: int = 1 << 62) -> bool:
    """Whether there are more levels than that, or more than `most` values on one of them."""
    level = [value]
    for _ in range(levels):
        inner: list[object] = []
        for item in level:
            if type(item) is str:
                continue
            if isinstance(item, dict) or isinstance(item, Mapping):  # noqa: SIM101 — far cheaper
                inner.extend(item.values())
            elif isinstance(item, list | tuple):
                inner.extend(item)
        if not inner:
            return False
        if len(inner) > most:
            return True
        level = inner
    return True
