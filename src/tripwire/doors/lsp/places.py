"""Places as an editor names them: `file:` URIs, and positions in units of the agreed encoding.

Lines end where the protocol says they do (LF, CR LF, CR) and nowhere else; columns of lint are code
points, those of the protocol UTF-16 units unless the client asked for others.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from lsprotocol.types import Position, PositionEncodingKind, Range

_LINE_END = re.compile(r"\r\n|\n|\r")
_UNIT_BYTES = {
    PositionEncodingKind.Utf8: ("utf-8", 1),
    PositionEncodingKind.Utf16: ("utf-16-le", 2),
    PositionEncodingKind.Utf32: ("utf-32-le", 4),
}


def path_of(uri: str) -> str | None:
    """The absolute path that a `file:` URI names, None for any other URI.

    Bytes that are not UTF-8 become stand-ins, as everywhere in Python.
    """
    try:
        parts = urlsplit(uri)
        raw = unquote_to_bytes(parts.path)
    except (ValueError, UnicodeEncodeError):
        return None
    if parts.scheme != "file" or parts.netloc.lower() not in ("", "localhost"):
        return None
    path = os.fsdecode(raw)
    return path if path.startswith("/") and "\0" not in path else None


def uri_of(path: str | Path) -> str:
    """The URI of an absolute path."""
    return Path(path).as_uri()


def lines_of(text: str) -> list[str]:
    """The lines of a text, without their ends; at least one."""
    return _LINE_END.split(text)


def units(text: str, encoding: PositionEncodingKind | str) -> int:
    """The length of a text without line ends, in units of an encoding."""
    codec, size = _UNIT_BYTES.get(PositionEncodingKind(encoding), ("utf-16-le", 2))
    return len(text.encode(codec, "surrogatepass")) // size


def span(lines: list[str], line: int, column: int, encoding: PositionEncodingKind | str) -> Range:
    """From a place (1-based, 0 = unknown, in code points) to the end of its line.

    A place behind the end of the text, which has changed since, is its last line.
    """
    row = min(max(line, 1), len(lines)) - 1
    text = lines[row].rstrip()
    start = len(text) - len(text.lstrip())
    if column > 1:
        start = min(column - 1, len(text))
    return Range(
        Position(row, units(text[:start], encoding)),
        Position(row, units(text, encoding)),
    )
