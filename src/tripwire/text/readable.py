"""What bytes say: their readable parts, UTF-16, and what compressed streams hold (flow.md DLP-5).

Decoding the same run at every alignment gives many short pieces of noise. They are looked at in
one pass of an automaton; only what it finds is worth more.
"""

from __future__ import annotations

import functools
import re
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import re2

BREAK = "\x1f"
"""Stands between readable parts that noise kept apart."""

GAP = b"\xff\xff"
"""Between decoded runs: no text holds it, in any encoding that is looked for."""

_MAX_INFLATED = 262_144
"""Bytes that one compressed stream may open into."""

_MAX_STREAMS = 8
"""Compressed streams that are tried in one text."""

_EXACT_BYTES = 8192
_ZEROED = bytes(c if 32 <= c < 127 or c in b"\t\r\n" else 0 for c in range(256))
_NOT_ZERO = re.compile(rb"[^\x00]{6,}")


def _latin() -> re2.Options:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    return options


def _stream_starts() -> bytes:
    """A pattern for where a stream can begin that `_inflated` opens, and no other.

    gzip (RFC 1952 §2.3.1), or the two header bytes of zlib for every window: a multiple of 31, no
    preset dictionary (RFC 1950 §2.2), then a block of a type that exists (RFC 1951 §3.2.3).
    """
    headers = (
        bytes((method, flags))
        for method in range(0x08, 0x80, 0x10)
        for flags in range(256)
        if (method << 8 | flags) % 31 == 0 and not flags & 0x20
    )
    block = bytes(first for first in range(256) if first & 0b110 != 0b110)
    zlibs = b"|".join(map(re.escape, headers))
    return rb"\x1f\x8b\x08|(?:" + zlibs + rb")[" + re.escape(block) + rb"]"


_STREAM = re2.compile(_stream_starts(), _latin())


WIDE_CHARS = 3
_WIDE = rb"(?s)(?:[\t-~]\x00(?:\x00\x00|.[\xd8-\xdf])*){3}"
"""So many characters of ASCII in a row in UTF-16; zeros and lone surrogates between are dropped."""


@functools.cache
def _hiding() -> Any:
    table = re2.Set.SearchSet(_latin())
    table.Add(_stream_starts())
    table.Add(_WIDE)
    table.Compile()
    return table


_READABLE = re2.compile(
    rb"(?:[\x20-\x7e\t\r\n]|[\xc2-\xf4][\x80-\xbf]{1,3}){6,}",
    _latin(),
)


def texts_of(parts: Sequence[bytes]) -> Iterator[str]:
    """What each of these says: its readable parts as one text, and what its streams hold."""
    whole = GAP.join(parts)
    readable = _readable(parts, whole)
    streams = list(_STREAM.finditer(whole))
    if not streams and b"\0" not in whole and not any(readable):
        return
    end = 0
    for data, runs in zip(parts, readable, strict=True):
        start, end = end, end + len(data)
        if runs:
            yield BREAK.encode().join(runs).decode("utf-8", "ignore")
        yield from _wide(data)
        if streams:
            yield from _opened(
                data, [s.start() - start for s in streams if start <= s.start() < end]
            )
        end += len(GAP)


def starts(data: bytes) -> list[int]:
    """Where a compressed stream may begin: everywhere that the library would not refuse at once."""
    return [found.start() for found in _STREAM.finditer(data)]


def may_hide(data: bytes) -> bool:
    """Whether a stream may begin anywhere, or `WIDE_CHARS` characters of ASCII stand in UTF-16."""
    return bool(_hiding().Match(data))


def hidden_texts(parts: Sequence[bytes], whole: bytes) -> list[str]:
    """Of what `texts_of` gives, that which is UTF-16 or compressed; `whole` is the parts joined."""
    found: list[str] = []
    if parts and whole.count(0) > min(map(len, parts)) // 5:
        found += [text for data in parts for text in _wide(data)]
    if _STREAM.search(whole):
        found += [text for data in parts for text in _opened(data, starts(data))]
    return found


def _wide(data: bytes) -> Iterator[str]:
    if data.count(0) > len(data) // 5:
        for odd in (0, 1):
            yield data[odd:].decode("utf-16-le", "ignore").replace("\0", "")


def _opened(data: bytes, starts: list[int]) -> Iterator[str]:
    for start in starts[:_MAX_STREAMS]:
        inflated = _inflated(data[start:])
        if inflated:
            yield from texts_of((inflated,))


def _readable(parts: Sequence[bytes], whole: bytes) -> list[list[bytes]]:
    """The readable runs of each part. No run crosses a gap, so one pass finds those of all."""
    if any(len(data) > _EXACT_BYTES for data in parts):
        return [_plain_runs(d) if len(d) > _EXACT_BYTES else _READABLE.findall(d) for d in parts]
    found: list[list[bytes]] = [[] for _ in parts]
    at, end = 0, len(parts[0]) if parts else 0
    for hit in _READABLE.finditer(whole):
        while hit.start() >= end:
            at += 1
            end += len(GAP) + len(parts[at])
        found[at].append(hit.group())
    return found


def _plain_runs(data: bytes) -> list[bytes]:
    """Readable runs of large data, the fast way; other than ASCII only where a part is UTF-8."""
    runs = _NOT_ZERO.findall(data.translate(_ZEROED))
    return runs + [part for part in data.split(GAP) if not part.isascii() and _is_utf8(part)]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _inflated(data: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=47).decompress(data, _MAX_INFLATED)
    except zlib.error:
        return _inflated_partly(data)


def _inflated_partly(data: bytes) -> bytes:
    # A damaged or cut stream still gives what comes before the damage.
    machine = zlib.decompressobj(wbits=47)
    out = bytearray()
    try:
        for start in range(0, min(len(data), 4096), 16):
            out += machine.decompress(data[start : start + 16], 4096)
    except zlib.error:
        pass
    return bytes(out)
