"""ascii85, base85 (RFC 1924 alphabet) and Z85 at any alignment, without padding rules."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

_MAX_CHARS = 8192
"""Characters of candidate words that are decoded; each is read in 3 alphabets at 5 alignments."""

_SPACED_CHARS = 4096
_ALPHABETS = (
    bytes(range(33, 118)),
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~",
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#",
)
_TABLES = tuple(
    (re.compile(b"[" + re.escape(letters) + b"]{10,}"), bytes.maketrans(letters, bytes(range(85))))
    for letters in _ALPHABETS
)
_WORD = re.compile(r"[!-~]{10,}")
_DENSE = re.compile(r"[^A-Za-z0-9\s]")


def decodings(text: str) -> Iterator[bytes]:
    """What the dense words of the text decode to, per alphabet and alignment."""
    data = "\n".join(_candidates(text)).encode("ascii", "ignore")
    for run, table in _TABLES:
        runs = [found.translate(table) for found in run.findall(data)]
        for alignment in range(5):
            out = b"\xff\xff".join(_decoded(values[alignment:]) for values in runs)
            if out:
                yield out


def _candidates(text: str) -> Iterator[str]:
    room = _MAX_CHARS
    words = _WORD.findall(text)
    squeezed = "".join(text.split()) if len(text) <= _SPACED_CHARS else ""
    spaced = 0 < len(squeezed) < len(text) * 7 // 8
    if spaced and len(_DENSE.findall(squeezed)) * 8 >= len(squeezed):
        yield squeezed
    for word in words:
        if room <= 0:
            return
        if len(_DENSE.findall(word)) * 12 >= len(word):
            room -= len(word)
            yield word


def _decoded(values: bytes) -> bytes:
    """Groups of five base-85 digits as four bytes each; the last group may be short."""
    short = -len(values) % 5
    padded = values + b"\x54" * short
    out = bytearray()
    for i in range(0, len(padded), 5):
        a, b, c, d, e = padded[i : i + 5]
        number = (((a * 85 + b) * 85 + c) * 85 + d) * 85 + e
        out += struct.pack(">I", number & 0xFFFFFFFF)
    return bytes(out[: len(out) - short]) if short else bytes(out)
