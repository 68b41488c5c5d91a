"""The file names in a search's result: a list of names, or lines that begin with one (CTX-33)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

MAX_LINES = 5_000
"""Lines of a result that are looked at."""
MAX_NAME = 1_024

_LISTS = ("filenames", "files", "matches")
_TEXTS = ("stdout", "content", "output", "llmContent", "result")
_NUMBERED = re.compile(r"[:-]\d+[:-]")
_HEADING = re.compile(
    r"(?:\+\+\+|---|diff --git) (?P<quote>\"?)[a-z]/(?P<diff>.+?)(?P=quote)(?: [a-z]/.*|\t.*)?$"
    r"|==> (?P<head>.+) <==$"
    r"| (?P<stat>\S.*?) +\| +(?:\d+|Bin)\b.*$"
)
"""Lines that head a file's text: of a diff, its statistics, `head` and `tail` of several files."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*[mK]")


def hits(response: object) -> Iterator[str]:
    """Candidates for file names, each once; whether a file is there is not asked here."""
    seen: set[str] = set()
    for name in _names(response):
        if name and len(name) <= MAX_NAME and "\0" not in name and name not in seen:
            seen.add(name)
            yield name


def _names(response: object) -> Iterator[str]:
    if isinstance(response, str):
        yield from _in_lines(response)
    elif isinstance(response, list):
        for each in response[:MAX_LINES]:
            if isinstance(each, str):
                yield each
            elif isinstance(each, Mapping):
                yield from _names(each.get("text"))
    elif isinstance(response, Mapping):
        for key in _LISTS:
            if isinstance(response.get(key), list):
                yield from _names(response[key])
        for key in _TEXTS:
            if isinstance(response.get(key), str):
                yield from _in_lines(response[key])


def _in_lines(text: str) -> Iterator[str]:
    """The line, what stands before `:12:`, `-12-` and the first colon, and in a heading."""
    for line in text.split("\n", MAX_LINES)[:MAX_LINES]:
        plain = _COLOUR.sub("", line).rstrip("\r")
        if not plain or len(plain) > 16 * MAX_NAME:
            continue
        yield plain
        heading = _HEADING.match(plain)
        if heading:
            yield heading["diff"] or heading["head"] or heading["stat"]
        numbered = _NUMBERED.search(plain)
        if numbered:
            yield plain[: numbered.start()]
        if ":" in plain:
            yield plain.partition(":")[0]
        if "\t" in plain or plain[:3].strip() != plain[:3]:  # `M\tfile`, ` M file`
            yield plain.rpartition("\t")[2] if "\t" in plain else plain[3:]
