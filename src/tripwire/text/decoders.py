"""One function per encoding: a text to what its encoded parts say (flow.md DLP-5).

Each yields texts, possibly none, in time linear in its input. They look for encoded runs anywhere
in a text, at any alignment, wrapped or with separators; what decodes to noise is thrown away.
"""

from __future__ import annotations

import binascii
import functools
import html
import re
import zlib
from collections.abc import Callable, Iterator

import re2

from tripwire.text import ascii85, spelled

BREAK = "\x1f"
"""Stands between readable parts that noise kept apart."""

_GAP = b"\xff\xff"
"""Between decoded runs: no text holds it, in any encoding that is looked for."""

_MAX_INFLATED = 262_144
"""Bytes that one compressed stream may open into."""

_MAX_STREAMS = 8
"""Compressed streams that are tried in one text."""

_PRINTABLE = re.compile(rb"(?:[\x20-\x7e\t\r\n]|[\xc2-\xf4][\x80-\xbf]{1,3}){6,}")
_EXACT_BYTES = 8192
_ZEROED = bytes(c if 32 <= c < 127 or c in b"\t\r\n" else 0 for c in range(256))
_NOT_ZERO = re.compile(rb"[^\x00]{6,}")
_STREAM = re.compile(rb"\x1f\x8b\x08|[\x38\x48\x58\x68\x78][\x01\x5e\x9c\xda]|BZh")
_JOINED = re.compile(r"""["'`]\s{0,4}[+.,]?\s{0,4}["'`]|\\[nrt]|[\s\\]""")


def texts_of(data: bytes) -> Iterator[str]:
    """What bytes say: their readable parts as one text, and what compressed streams hold."""
    runs = _PRINTABLE.findall(data) if len(data) <= _EXACT_BYTES else _plain_runs(data)
    if runs:
        yield BREAK.encode().join(runs).decode("utf-8", "ignore")
    if data.count(0) > len(data) // 5:
        yield from (data[odd:].decode("utf-16-le", "ignore").replace("\0", "") for odd in (0, 1))
    for start in [hit.start() for hit in _STREAM.finditer(data)][:_MAX_STREAMS]:
        inflated = _inflated(data[start:])
        if inflated:
            yield from texts_of(inflated)


def _plain_runs(data: bytes) -> list[bytes]:
    """Readable runs of large data, the fast way; other than ASCII only where a part is UTF-8."""
    runs = _NOT_ZERO.findall(data.translate(_ZEROED))
    return runs + [part for part in data.split(_GAP) if not part.isascii() and _is_utf8(part)]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _inflated(data: bytes) -> bytes:
    if data.startswith(b"BZh"):
        return b""
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


# ── base64, hex, base32, binary: runs of the alphabet in the text without separators ────────────

_NOT_B64 = bytes(c for c in range(256) if not ((chr(c).isalnum() and c < 128) or c in b"+/-_="))
_NOT_ALNUM = bytes(c for c in range(256) if not (chr(c).isalnum() and c < 128))
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_B64_RUN = re.compile(rb"[A-Za-z0-9+/]{12,}")
_HEX_RUN = re.compile(rb"[0-9A-Fa-f]{12,}")
_BIN_RUN = re.compile(rb"[01]{40,}")
_B32_RUN = re.compile(rb"[A-Z2-7]{16,}|[a-z2-7]{16,}")
_B32_DIGITS = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz234567",
    b"0123456789abcdefghijklmnop0123456789abcdefghijklmnopqrstuv",
)


def _ascii(text: str) -> bytes:
    return text.encode("ascii", "replace")


def base64_texts(text: str) -> Iterator[str]:
    """Base64 and base64url, wrapped, spaced, quoted in pieces, or inside a longer word."""
    whole = _ascii(text if len(text) > 65_536 else _JOINED.sub("", text))
    strict = whole.translate(_URL_SAFE, _NOT_B64)
    loose = _ascii(text).translate(None, _NOT_ALNUM)
    for data in dict.fromkeys((strict, loose)):
        for alignment in range(4):
            yield from _base64_at(data, alignment)
    if len(text) <= 65_536:
        yield from _base64_words(_ascii(text))


def _base64_words(data: bytes) -> Iterator[str]:
    # Word by word: neighbours without padding between them shift the alignment of the rest.
    runs = _B64_RUN.findall(data.translate(_URL_SAFE))
    yield from texts_of(_GAP.join(_base64_bytes(run, 0) for run in runs))


def _base64_at(data: bytes, alignment: int) -> Iterator[str]:
    runs = _B64_RUN.findall(data)
    yield from texts_of(_GAP.join(_base64_bytes(run, alignment) for run in runs))


def hex_texts(text: str) -> Iterator[str]:
    """Hex with any separators, at both alignments."""
    squeezed = _ascii(_HEX_PREFIX.sub("", text)).translate(None, _NOT_ALNUM)
    for alignment in range(2):
        out = []
        for run in _HEX_RUN.findall(squeezed):
            usable = run[alignment:]
            out.append(binascii.unhexlify(usable[: len(usable) // 2 * 2]))
        yield from texts_of(_GAP.join(out))


_HEX_PREFIX = re.compile(r"(?:0x|\\x|&#x|U\+00|u00)(?=[0-9A-Fa-f]{2})|;", re.IGNORECASE)


def base32_texts(text: str) -> Iterator[str]:
    """Base32, at every alignment."""
    data = _ascii(text)
    squeezed = data.translate(None, _NOT_ALNUM) if len(text) <= 16_384 else data
    for shift in range(8):
        out = [
            _bits(run.translate(_B32_DIGITS), 32, 5, shift) for run in _B32_RUN.findall(squeezed)
        ]
        yield from texts_of(_GAP.join(out))


def binary_texts(text: str) -> Iterator[str]:
    """Bits in groups of eight, at every alignment."""
    squeezed = _ascii(text).translate(None, _NOT_ALNUM)
    runs = _BIN_RUN.findall(squeezed)
    for shift in range(8):
        yield from texts_of(_GAP.join(_bits(run, 2, 1, shift) for run in runs))


def _bits(digits: bytes, base: int, width: int, shift: int) -> bytes:
    """A run of digits of `width` bits each, read as bytes with `shift` bits before it."""
    length = len(digits) * width + shift
    number = int(digits, base) << (-length % 8)
    return number.to_bytes((length + 7) // 8, "big")


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
        yield "\n".join(filter(None, (_said(numbers, base) for numbers in runs)))


def _said(numbers: list[str], base: int) -> str:
    if base == 8:
        numbers = [number for number in numbers if "8" not in number and "9" not in number]
    codes = [code for code in (int(number, base) for number in numbers) if code >= 32]
    if all(code < 256 for code in codes):
        return _utf8(bytes(codes))
    return "".join(map(chr, codes)).encode("utf-8", "ignore").decode()


# ── uuencode ────────────────────────────────────────────────────────────────────────────────────

_UU_RUN = re.compile(rb"[\x20-\x60]{12,}")
_B64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_FROM_UU = bytes.maketrans(bytes(range(32, 96)) + b"`", _B64 + b"A")


def uu_texts(text: str) -> Iterator[str]:
    """uuencode, its length characters at the start of each line or anywhere."""
    runs = _UU_RUN.findall(_ascii(text))
    for alignment in range(4):
        out = [_base64_bytes(run.translate(_FROM_UU), alignment) for run in runs]
        yield from texts_of(_GAP.join(out))
    if len(runs) > 1:
        yield from texts_of(b"".join(map(_uu_line, runs)))


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


def ascii85_texts(text: str) -> Iterator[str]:
    """ascii85, base85 and Z85, at every alignment."""
    for data in ascii85.decodings(text):
        yield from texts_of(data)


Decoder = Callable[[str], Iterator[str]]

DECODERS: tuple[tuple[str, Decoder], ...] = (
    ("escapes", escape_texts),
    ("base64", base64_texts),
    ("hex", hex_texts),
    ("codes", code_texts),
    ("binary", binary_texts),
    ("base32", base32_texts),
    ("spelled", spelled.spelled_texts),
    ("uuencode", uu_texts),
    ("ascii85", ascii85_texts),
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
