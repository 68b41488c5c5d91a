"""ascii85, base85 (RFC 1924 alphabet) and Z85 at any alignment, without padding rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tripwire.text.readable import GAP

_MAX_CHARS = 8192
"""Characters of candidate words that are decoded; each is read in 3 alphabets at 5 alignments."""

_SPACED_CHARS = 4096
_ALPHABETS = (
    bytes(range(33, 118)),
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~",
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#",
)
_DIGITS = tuple(bytes.maketrans(letters, bytes(range(85))) for letters in _ALPHABETS)
_RUNS = tuple(
    {least: re.compile(b"[" + re.escape(letters) + b"]{%d,}" % least) for least in (10, 14)}
    for letters in _ALPHABETS
)
_LAST = tuple(b"\x54" * n for n in range(5))
"""What fills up the last group."""

_WORD = re.compile(
    r"(?:[a-z]{2,8}://[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?::[0-9]+)?(?=/))?([!-~]{10,})"
)
"""A word that may be encoded; of a URL what follows its host: encoded text is hardly ever one."""
_DENSE = re.compile(r"[^A-Za-z0-9\s]")


def decodings(text: str, least: int = 10) -> list[bytes]:
    """What the dense words of the text decode to, per alphabet and alignment.

    Runs of fewer than `least` (10 or 14) characters are left out.
    """
    groups = _groups(text, least)
    whole = _decoded(groups)
    out, at = [], 0
    for runs in groups:
        decoded = []
        for run in runs:
            size = len(run) * 4 // 5
            decoded.append(whole[at : at + size])
            at += (len(run) + 4) // 5 * 4
        out.append(GAP.join(decoded))
    return out


def all_decodings(text: str, least: int = 10) -> bytes:
    """All of `decodings` in one, with up to four bytes more after each run."""
    return _decoded(_groups(text, least))


def _groups(text: str, least: int) -> list[list[bytes]]:
    """Runs of digits, one group an alphabet and alignment."""
    data = "\n".join(_candidates(text)).encode("ascii", "ignore")
    if not data:
        return []
    found = [
        [digits.translate(table) for digits in runs[least].findall(data)]
        for runs, table in zip(_RUNS, _DIGITS, strict=True)
    ]
    return [[run[start:] for run in runs] for runs in found if runs for start in range(5)]


def _decoded(groups: list[list[bytes]]) -> bytes:
    """Each run, filled up to whole groups of digits, one after the other."""
    return _numbers(b"".join([run + _LAST[-len(run) % 5] for runs in groups for run in runs]))


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


def _numbers(digits: bytes) -> bytes:
    """Groups of five base-85 digits as four bytes each.

    All groups at once: each has eight bytes of one large number, which is enough for 85 ** 5.
    """
    count = len(digits) // 5
    lane = bytearray(8 * count)
    number = 0
    for place in range(5):
        lane[7::8] = digits[place::5]
        number = number * 85 + int.from_bytes(lane, "big")
    lanes = number.to_bytes(8 * count, "big")
    out = bytearray(4 * count)
    for place in range(4):
        out[place::4] = lanes[4 + place :: 8]
    return bytes(out)
