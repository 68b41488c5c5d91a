"""One function per encoding: a text to what its encoded parts say (flow.md DLP-5).

Each yields texts, possibly none, in time linear in its input. They look for encoded runs anywhere
in a text, at any alignment, wrapped or with separators; what decodes to noise is thrown away.
"""

from __future__ import annotations

import binascii
import functools
import html
import re
from collections.abc import Callable, Iterator
from itertools import repeat

import re2

from tripwire.text import ascii85, spelled
from tripwire.text.readable import BREAK, GAP, texts_of

_JOINED = re.compile(r"""["'`]\s{0,4}[+.,]?\s{0,4}["'`]|\\[nrt]|[\s\\]""")


# ── base64, hex, base32, binary: runs of the alphabet in the text without separators ────────────

_NOT_B64 = bytes(c for c in range(256) if not ((chr(c).isalnum() and c < 128) or c in b"+/-_="))
_NOT_ALNUM = bytes(c for c in range(256) if not (chr(c).isalnum() and c < 128))
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_B64_RUN = re.compile(rb"[A-Za-z0-9+/]{12,}")
_B64_FILL = (b"", b"///", b"//", b"/")
_HEX_RUN = re.compile(rb"[0-9A-Fa-f]{12,}")
_BIN_RUN = re.compile(rb"[01]{40,}")
_B32_RUN = re.compile(rb"[A-Z2-7]{16,}|[a-z2-7]{16,}")
_B32_DIGITS = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz234567",
    b"0123456789abcdefghijklmnop0123456789abcdefghijklmnopqrstuv",
)


def _ascii(text: str) -> bytes:
    return text.encode("ascii", "replace")


def base64_parts(text: str) -> list[bytes]:
    """Base64 and base64url, wrapped, spaced, quoted in pieces, or inside a longer word."""
    found, words = _base64_runs(text)
    parts = [_base64_at(runs, alignment) for runs in found for alignment in range(4)]
    if len(text) <= 65_536:
        parts.append(_base64_at(words, 0))
    return parts


def base64_bytes(text: str) -> bytes:
    """All of `base64_parts` in one, with up to two bytes more after each run."""
    found, words = _base64_runs(text)
    runs = [run[start:] for runs in found for run in runs for start in range(4)] + words
    filled = b"".join([run + _B64_FILL[len(run) % 4] for run in runs])
    return binascii.a2b_base64(filled)


def _base64_runs(text: str) -> tuple[list[list[bytes]], list[bytes]]:
    """Runs that any alignment may stand in, and words, where the first is meant."""
    plain = _ascii(text)
    large = len(text) > 65_536
    whole = plain if large else _ascii(_JOINED.sub("", text))
    strict = whole.translate(_URL_SAFE, _NOT_B64)
    loose = plain.translate(None, _NOT_ALNUM)
    found = [_B64_RUN.findall(strict)]
    if loose != strict:
        found.append(_B64_RUN.findall(loose))
    # Word by word: neighbours without padding between them shift the alignment of the rest.
    return found, [] if large else _B64_RUN.findall(plain.translate(_URL_SAFE))


def _base64_at(runs: list[bytes], alignment: int) -> bytes:
    return GAP.join([_base64_bytes(run, alignment) for run in runs])


def hex_parts(text: str) -> list[bytes]:
    """Hex with any separators, at both alignments."""
    squeezed = _ascii(_HEX_PREFIX.sub("", text)).translate(None, _NOT_ALNUM)
    runs = _HEX_RUN.findall(squeezed)
    return [GAP.join([_hex_bytes(run[start:]) for run in runs]) for start in range(2)]


def _hex_bytes(run: bytes) -> bytes:
    return binascii.unhexlify(run[: len(run) // 2 * 2])


_HEX_PREFIX = re.compile(r"(?:0x|\\x|&#x|U\+00|u00)(?=[0-9A-Fa-f]{2})|;", re.IGNORECASE)


def base32_parts(text: str) -> list[bytes]:
    """Base32, at every alignment."""
    data = _ascii(text)
    squeezed = data.translate(None, _NOT_ALNUM) if len(text) <= 16_384 else data
    runs = [run.translate(_B32_DIGITS) for run in _B32_RUN.findall(squeezed)]
    return _shifted(runs, 32, 5)


def binary_parts(text: str) -> list[bytes]:
    """Bits in groups of eight, at every alignment."""
    squeezed = _ascii(text).translate(None, _NOT_ALNUM)
    runs = _BIN_RUN.findall(squeezed)
    return _shifted(runs, 2, 1)


def _shifted(runs: list[bytes], base: int, width: int) -> list[bytes]:
    """Runs of digits of `width` bits each, read as bytes with 0 to 7 bits before them."""
    numbers = [(int(digits, base), len(digits) * width) for digits in runs]
    return [GAP.join([_bits(*number, shift) for number in numbers]) for shift in range(8)]


def _bits(number: int, bits: int, shift: int) -> bytes:
    length = bits + shift
    return (number << (-length % 8)).to_bytes((length + 7) // 8, "big")


# ── escapes: replaced where they stand ──────────────────────────────────────────────────────────

_ESCAPE = (
    r"\\x[0-9A-Fa-f]{2}|\\u\{[0-9A-Fa-f]{1,6}\}|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}|\\[0-3][0-7]{2}"
    r"|%[0-9A-Fa-f]{2}|=[0-9A-F]{2}|=\r?\n|&#[0-9]{1,7};?|&#[xX][0-9A-Fa-f]{1,6};?|&[A-Za-z]{2,8};"
)
_ESCAPES = re.compile(f"(?:{_ESCAPE})+")
_ONE_ESCAPE = re.compile(
    r"(?P<code>\\u\{(?P<a>.+?)\}|\\u(?P<b>.{4})|\\U(?P<c>.{8}))"
    r"|[\\%=]x?(?P<octal>(?<=\\)[0-7]{3})|(?:\\x|%|=)(?P<byte>[0-9A-Fa-f]{2})|(?P<html>&[^&;]+;?)|=\r?\n"
)
_SPACED_CHARS = 4096
_CONTEXT = 128
"""Characters kept on each side of an escape: a layer holds what changed, not the whole text."""


def escape_texts(text: str) -> Iterator[str]:
    r"""`\x41`, `\u0041`, `\101`, `%41`, `=41` and HTML entities, each with what is around it."""
    yield from _escapes_in(text)
    squeezed = "".join(text.split()) if len(text) <= _SPACED_CHARS else text
    if len(squeezed) < len(text) * 7 // 8:
        yield from _escapes_in(squeezed)


def _escapes_in(text: str) -> Iterator[str]:
    out: list[str] = []
    done = 0
    for run in _ESCAPES.finditer(text):
        start, end = run.span()
        if start - done > 2 * _CONTEXT:
            out += [text[done : done + _CONTEXT] if out else "", BREAK]
            done = start - _CONTEXT
        out += [text[done:start], _unescaped(run.group())]
        done = end
    if out:
        yield "".join([*out, text[done : done + _CONTEXT]])


def _unescaped(run: str) -> str:
    out = bytearray()
    for one in _ONE_ESCAPE.finditer(run):
        if one["byte"]:
            out.append(int(one["byte"], 16))
        elif one["octal"]:
            out.append(int(one["octal"], 8))
        elif one["html"]:
            out += html.unescape(one["html"]).encode("utf-8", "replace")
        elif one["code"]:
            code = int(one["a"] or one["b"] or one["c"], 16)
            out += chr(code).encode("utf-8", "replace") if code < 0x110000 else b""
    return _utf8(bytes(out))


def _utf8(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


# ── number codes ────────────────────────────────────────────────────────────────────────────────

_CODES = re.compile(r"(?:[0-9]{2,5}[^0-9]{1,8}){5,}[0-9]{2,5}")
_NUMBER = re.compile(r"[0-9]{2,5}")
_DIGITS = re.compile(r"[0-9]{18,}")


def code_texts(text: str) -> Iterator[str]:
    """Character codes in decimal or octal, separated or three digits each."""
    runs = [_NUMBER.findall(run) for run in _CODES.findall(text)]
    for digits in _DIGITS.findall(text):
        runs += [re.findall("...", digits[shift:]) for shift in range(3)]
    for base in (10, 8):
        yield "\n".join(filter(None, (_spoken(numbers, base) for numbers in runs)))


def _spoken(numbers: list[str], base: int) -> str:
    if base == 8:
        numbers = [number for number in numbers if "8" not in number and "9" not in number]
    codes = [code for code in map(int, numbers, repeat(base)) if code >= 32]
    if not codes:
        return ""
    if max(codes) < 256:
        return _utf8(bytes(codes))
    return "".join(map(chr, codes)).encode("utf-8", "ignore").decode()


# ── uuencode ────────────────────────────────────────────────────────────────────────────────────

_UU_RUN = re.compile(rb"[\x20-\x60]{12,}")
_B64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_FROM_UU = bytes.maketrans(bytes(range(32, 96)) + b"`", _B64 + b"A")


def uu_parts(text: str) -> list[bytes]:
    """uuencode, its length characters at the start of each line or anywhere."""
    runs = _UU_RUN.findall(_ascii(text))
    plain = [run.translate(_FROM_UU) for run in runs]
    parts = [_base64_at(plain, alignment) for alignment in range(4)]
    if len(runs) > 1:
        parts.append(b"".join(map(_uu_line, runs)))
    return parts


def _uu_line(run: bytes) -> bytes:
    """A whole line, from the length character that fits what follows it."""
    for start in range(min(4, len(run))):
        size = (run[start] - 32) & 63
        need = (size + 2) // 3 * 4
        if size and 0 <= len(run) - start - 1 - need <= 4:
            return _base64_bytes(run[start + 1 :][:need].translate(_FROM_UU), 0)[:size]
    return _base64_bytes(run.translate(_FROM_UU), 1)


def _base64_bytes(run: bytes, alignment: int) -> bytes:
    usable = run[alignment:]
    usable = usable[: len(usable) - (len(usable) % 4 == 1)]
    return binascii.a2b_base64(usable + b"=" * (-len(usable) % 4))


Decoder = Callable[[str], Iterator[str]]
Parts = Callable[[str], list[bytes]]

TO_TEXT: dict[str, Decoder] = {
    "escapes": escape_texts,
    "codes": code_texts,
    "spelled": spelled.spelled_texts,
}
"""Decoders that give text."""

TO_BYTES: dict[str, Parts] = {
    "base64": base64_parts,
    "hex": hex_parts,
    "binary": binary_parts,
    "base32": base32_parts,
    "uuencode": uu_parts,
    "ascii85": ascii85.decodings,
}
"""Decoders that give bytes, one part an alignment; `texts_of` finds what these say."""


_CREDENTIAL_85 = 14
"""Base-85 digits of the shortest credential of any format, 11 bytes (text/secret_patterns)."""


def credential_parts(name: str, text: str) -> list[bytes]:
    """What that decoder of `TO_BYTES` gives, without runs that are too short for a credential."""
    if name == "ascii85":
        return ascii85.decodings(text, _CREDENTIAL_85)
    return TO_BYTES[name](text)


def quick_bytes(name: str, text: str) -> bytes:
    """All of `credential_parts` in one and fast.

    Every part is there as a whole; what stands between or after them may be anything.
    """
    if name == "base64":
        return base64_bytes(text)
    if name == "ascii85":
        return ascii85.all_decodings(text, _CREDENTIAL_85)
    return GAP.join(TO_BYTES[name](text))


def _said(parts: Parts, text: str) -> Iterator[str]:
    return texts_of(parts(text))


DECODERS: tuple[tuple[str, Decoder], ...] = tuple(
    (name, TO_TEXT.get(name) or functools.partial(_said, TO_BYTES[name]))
    for name in (
        ["escapes", "base64", "hex", "codes", "binary", "base32", "spelled", "uuencode", "ascii85"]
    )
)
"""Every decoder, the likely ones first."""

_SIGNS: tuple[tuple[str, str], ...] = (
    ("escapes", _ESCAPE + r"|[\\%=&][0-9A-Za-z#]{0,8}\s"),
    ("base64", r"(?:[A-Za-z0-9+/_=-][^A-Za-z0-9+/]{0,4}){12}"),
    ("hex", r"(?:[0-9A-Fa-f][^0-9A-Za-z]{0,4}(?:0x|\\x|x)?){12}"),
    ("codes", r"(?:[0-9]{2,3}[^0-9]{1,8}){5}[0-9]{2,3}|[0-9]{18}"),
    ("binary", r"(?:[01][^0-9A-Za-z]{0,4}){40}"),
    ("base32", r"(?:[A-Z2-7][^0-9A-Za-z]{0,4}){16}|(?:[a-z2-7][^0-9A-Za-z]{0,4}){16}"),
    ("spelled", spelled.RUN),
    ("uuencode", r"[\x20-\x60]{12}"),
    ("ascii85", r"[!-~]{12}"),
)


@functools.cache
def _signs() -> re2.Set:
    options = re2.Options()
    options.max_mem = 256 << 20
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1
    table = re2.Set.SearchSet(options)
    for _, pattern in _SIGNS:
        table.Add(pattern)
    table.Add(_BLOB)
    table.Add(_PIECES)
    table.Compile()
    return table


_BLOB = (
    # What encoded text looks like and prose does not: a long word with digits, inner capitals or
    # signs; capitals only; many very short words; several words with digits or inner capitals.
    r"[!-~]{3,}(?:[0-9]|[a-z][A-Z]|[^0-9A-Za-z\s.,;:!?)'\"-])[!-~]{7,}"
    r"|[!-~]{7,}(?:[0-9]|[a-z][A-Z]|[^0-9A-Za-z\s.,;:!?)'\"-])[!-~]{3,}"
    r"|[A-Z2-7]{10,}|[0-9A-Fa-f]{12,}"
)
_PIECES = (
    r"(?:\b[!-~]{1,3}[^0-9A-Za-z]{1,4}){8}"
    r"|(?:[a-zA-Z]*(?:[0-9]|[a-z][A-Z])[0-9A-Za-z]*[^0-9A-Za-z]{1,6}){3}"
)
_ODD_TEXT = frozenset({"blob", "pieces"})
_NEEDS_BLOB = frozenset({"base64", "hex", "binary", "base32", "uuencode", "ascii85", "codes"})


def present(text: str) -> frozenset[str]:
    """Names of the decoders that have anything to work on, by one pass over the text.

    `blob` is among them when a part of the text does not look like words, `pieces` when many short
    parts do not.
    """
    names = frozenset(_NAMES[i] for i in _signs().Match(_ascii(text)) or ())
    return names if names & _ODD_TEXT else names - _NEEDS_BLOB


def blobs(text: str) -> list[str]:
    """Long words that do not look like words."""
    return [word for word in _LONG_WORD.findall(text) if _ODD_WORD.search(word)]


_LONG_WORD = re.compile(r"[!-~]{12,}")
_ODD_WORD = re.compile(r"[0-9][A-Za-z]|[A-Za-z][0-9]|[a-z][A-Z]|[+=/][A-Za-z0-9]{8}")
_NAMES = (*(name for name, _ in _SIGNS), "blob", "pieces")
