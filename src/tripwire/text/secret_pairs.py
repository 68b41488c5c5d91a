"""Credentials that a name, a column or a frame points out: `NAME=value`, CSV, PEM (flow.md DLP-1).

In a text from a place that holds secrets, lines without a name count as well.
"""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Iterator
from typing import Any

import re2

from tripwire.text import plausible

PEM_SIGN = r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
"""An RE2 pattern that is there when `pem_lines` has anything to find."""

PAIR_SIGN = (
    r"(?i)(?:key|token|secret|pass|pwd|auth|cred|dsn|seed|mnemonic|salt|webhook|bearer|\bp(?:w|at)"
    r"|otp|jwt|kennwort|contrase|senha|密码|пароль)[\w.\- ]{0,24}[\"'`]?\s{0,4}"
    r"(?:=>|:=|==|=|:)"
)
"""An RE2 pattern for a name that may say "credential", up to the sign before its value."""

COLUMN_SIGN = r"(?i)(?:key|password|passwd|token|secret|passphrase)\"?\s*(?:[,;|\t]|\n)"
"""An RE2 pattern that is there when a header may name a column of credentials."""

Found = tuple[int, int, str]
"""Start, end (code points) and rule."""

_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END ")
_PEM_LINE = re.compile(r"[A-Za-z0-9+/=]{16,}")
_MAX_PEM = 16_384
_MAX_FRAMED = 64

_MAX_NAME = 64
_MAX_NESTED = 3
"""Names inside one value that are looked at: `password=password=…` must not cost a look each."""
_NAME_CHAR = re.compile(r"[\w.-]")
_VALUE_FORM = (
    r"[ \t]{0,4}(?:\"(?P<a>[^\"\n]{1,1024})\"|'(?P<b>[^'\n]{1,1024})'|`(?P<c>[^`\n]{1,1024})`"
    r"|(?P<d>[^\s\"'`,;&()\[\]{}<>][^\s,;&)\]}<>]{0,1023}))"
)
_VALUE = re.compile(_VALUE_FORM)
_PAIR = re.compile(
    r"(?<![\w.-])(?P<name>[A-Za-z_][\w.\-]{0,63})[\"'`]?[ \t]{0,4}(?:=>|:=|={1,2}|:)" + _VALUE_FORM
)
_LINE = re.compile(
    r"^[ \t]*(?:export[ \t]+|set[ \t]+|-[ \t]+|ENV[ \t]+)?[\"']?"
    r"(?P<name>[A-Za-z_][\w.\- ]{0,63}?)[\"']?[ \t]*"
    r"(?:=>|:=|=|:[ \t])[ \t]*(?P<value>[^\s{\[(].*)$",
    re.MULTILINE,
)
_ASSIGNED = re.compile(
    r"^(?:export )?(?P<name>[A-Z][A-Z0-9_]{1,63})=(?P<value>[^\s\"'][^\s]{5,1023})$", re.MULTILINE
)
_TOKEN_LINE = re.compile(r"^[ \t]*(?P<value>[^\s#]\S{5,1023})[ \t]*$", re.MULTILINE)
_CELL = re.compile(r"[^,;|]+")
_PGPASS = re.compile(r"^[^:\s#]+:[0-9*]+:[^:\n]+:[^:\n]+:(?P<value>[^:\s]{6,256})$", re.MULTILINE)
_CSV_NAME = re.compile(
    r"(?:secret|access|api|private)[ _]?(?:access)?[ _]?key$|passw(?:or)?d$|token$|secret$"
    r"|passphrase$",
    re.IGNORECASE,
)


_HEAD_WORDS = 4


def pem_lines(text: str) -> Iterator[tuple[int, int]]:
    r"""Each line of the body of each private key, also where line ends are written `\\n`."""
    begins = [found.span() for found in _PEM.finditer(text)]
    for number, (_, at) in enumerate(begins):
        following = begins[number + 1][0] if number + 1 < len(begins) else len(text)
        limit = min(following, at + _MAX_PEM)
        stop = _PEM_END.search(text, at, limit)
        # `\n` written as two characters would put an n before the line.
        body = text[at : stop.start() if stop else limit].replace("\\n", "  ").replace("\\r", "  ")
        for line in _PEM_LINE.finditer(body):
            yield at + line.start(), at + line.end()


def named(text: str) -> Iterator[Found]:
    """Values beside a name that says they are credentials."""
    value_end = nested = 0
    for sign in _sign().finditer(text):
        nested = nested + 1 if sign.start() < value_end else 0
        found = _VALUE.match(text, sign.end()) if nested <= _MAX_NESTED else None
        if found is None:
            continue
        value_end = max(value_end, found.end())
        group = next(g for g in "abcd" if found.group(g) is not None)
        start, end = _trimmed(text, *found.span(group))
        if plausible.plausible(_name_before(text, sign.start(), sign.end()), text[start:end]):
            yield start, end, "named-value"
    for found in _ASSIGNED.finditer(text):
        if plausible.plausible(found["name"], found["value"]):
            yield *found.span("value"), "named-value"


def _name_before(text: str, start: int, end: int) -> str:
    first = start
    while first > 0 and start - first < _MAX_NAME and _NAME_CHAR.match(text[first - 1]):
        first -= 1
    return text[first:end].rstrip(" \t\n=:>\"'`")


@functools.cache
def _sign() -> Any:
    return re2.compile(PAIR_SIGN)


def in_source(text: str) -> Iterator[Found]:
    """Every plausible value of a text from a place that holds secrets."""
    yield from _lines(text)
    yield from _bare(text)


def _lines(text: str) -> Iterator[Found]:
    framed = [found.span() for found in _PGPASS.finditer(text)]
    for found in _PGPASS.finditer(text):
        yield *found.span("value"), "pgpass"
    for found in _LINE.finditer(text):
        start, end = _unquoted(text, *found.span("value"))
        if plausible.plausible_in_source(found["name"].strip(), text[start:end]):
            yield start, end, "secret-source-value"
    for found in _PAIR.finditer(text):
        if any(first <= found.start() < last for first, last in framed[:_MAX_FRAMED]):
            continue
        group = next(g for g in "abcd" if found.group(g) is not None)
        start, end = _trimmed(text, *found.span(group))
        if plausible.plausible_in_source(found["name"], text[start:end]):
            yield start, end, "secret-source-value"


def _bare(text: str) -> Iterator[Found]:
    """Lines without a blank, cell by cell (a keychain tool's answer), and a whole text of one."""
    stripped = text.strip()
    if "\n" not in stripped and _short_phrase(stripped):
        start = text.index(stripped)
        yield start, start + len(stripped), "secret-source-value"
    for found in _TOKEN_LINE.finditer(text):
        if _LINE.match(text, found.start()) or _PGPASS.match(text, found.start()):
            continue
        for cell in _CELL.finditer(text, *found.span("value")):
            start, end = _unquoted(text, *cell.span())
            if _bare_value(text[start:end]):
                yield start, end, "secret-source-value"


def _bare_value(value: str) -> bool:
    if not plausible.plausible_in_source("", value) or plausible.worded(value):
        return False
    return plausible.looks_random(value) or plausible.entropy(value) >= 3.0


def _short_phrase(line: str) -> bool:
    """One word, or a passphrase of at least four words without punctuation."""
    if _LINE.match(line) or _PGPASS.match(line) or plausible.never(line) or plausible.dull(line):
        return False
    words = line.split()
    if len(words) == 1:
        return len(line) >= plausible.MIN_SOURCE_CHARS and not line.isdigit()
    return 4 <= len(words) <= 24 and all(w.isascii() and w.isalpha() and w.islower() for w in words)


def columns(text: str) -> Iterator[Found]:
    """Cells below a header that names a credential ("Secret access key")."""
    lines = text.split("\n")
    offset = 0
    wanted: list[int] = []
    for line in lines[:2000]:
        cells = _cells(line)
        heads = [i for i, cell in enumerate(cells) if _heads(cell)]
        if heads and len(cells) > 1 and not any(cell.strip().isdigit() for cell in cells):
            wanted = heads  # a row that holds a number is none of names: a line of numbered code
        elif wanted and len(cells) > max(wanted):
            yield from _column_values(line, offset, [cells[i].strip() for i in wanted])
        elif wanted:
            wanted = []
        offset += len(line) + 1


def _heads(cell: str) -> bool:
    """The name of a column, and no sentence that ends in such a word."""
    return len(cell.split()) <= _HEAD_WORDS and _CSV_NAME.search(cell.strip()) is not None


def _column_values(line: str, offset: int, values: list[str]) -> Iterator[Found]:
    for value in values:
        start = line.find(value) if len(value) >= plausible.MIN_CHARS else -1
        if start >= 0 and not plausible.never(value) and not plausible.worded(value):
            yield offset + start, offset + start + len(value), "named-column"


def _cells(line: str) -> list[str]:
    if "," not in line and "\t" not in line and ";" not in line and "|" not in line:
        return [line]
    mark = max(",\t;|", key=line.count)
    try:
        return next(csv.reader([line.rstrip("\r")], delimiter=mark), [])
    except csv.Error:
        return [line]


def _unquoted(text: str, start: int, end: int) -> tuple[int, int]:
    """Without blanks, a list comma, a comment after it, and quotes around the whole value."""
    quote = text[start] if text[start] in "\"'`" else ""
    closing = text.find(quote, start + 1, end) if quote else -1
    comment = text.find(" #", max(start, closing), end)
    end = comment if comment > start else end
    end = start + len(text[start:end].rstrip().removesuffix(",").rstrip())
    if quote and end - start >= 2 and text[end - 1] == quote:
        return start + 1, end - 1
    return start, end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while end > start and text[end - 1] in ".,;:\\\"'`":
        end -= 1
    return start, end
