"""Files of a project, read through a jail: nothing outside the root is ever opened (CTX-13).

What a path names is decided once, by its real form; `jail.py` reaches that form without following
a link, so that one that was swapped in meanwhile opens nothing.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from tripwire.errors import FileRefused
from tripwire.io import jail
from tripwire.io.project import path_forms

CHUNK = 1 << 20
"""Bytes that are read at once."""

MAX_RESULT_BYTES = 16 << 20
"""Bytes of lines that one read with a limit may return; beyond, no message could carry them."""

MAX_FOUND = 5_000
"""Files that one search names (read.md §4.1)."""


@dataclass(frozen=True, slots=True)
class FileText:
    """Text of a file, or of some of its lines."""

    text: str
    first_line: int = 1
    """Number of the first line, 1-based."""


@dataclass(frozen=True, slots=True)
class Inside:
    """What a path names: where in the project, as a real form."""

    root: str
    """The project's root, links followed."""
    real: str
    """Relative to it; `.` is the root itself."""
    given: str


def located(root: Path, path: str) -> Inside:
    """Where in the project `path`, as given, leads; whether anything is there shows when it opens.

    Raises FileRefused if it is malformed or outside the project.
    """
    if not path:
        raise FileRefused("Path is empty")
    try:
        forms = path_forms(root, path)
        if not forms.inside_real:
            raise FileRefused(f"Path is outside the project: {path}")
        return Inside(os.path.realpath(root), forms.real, path)
    except (OSError, ValueError) as error:
        raise refused(path, error) from None


def read_file(
    root: Path, path: str, *, offset: int | None, limit: int | None, max_bytes: int
) -> FileText:
    """The text of a file, or `limit` of its lines from line `offset` (1-based).

    Bytes that are not UTF-8 become U+FFFD; everything else is kept. Lines end with LF.
    Raises FileRefused.
    """
    place = located(root, path)
    try:
        with os.fdopen(jail.opened(place.root, place.real), "rb") as file:
            if offset is None and limit is None:
                raw = _whole(file, path, max_bytes)
                return FileText(raw.decode("utf-8", "replace"))
            first = offset or 1
            _skip_lines(file, first - 1)
            return FileText(_lines(file, limit, path).decode("utf-8", "replace"), first)
    except OSError as error:
        raise refused(path, error) from None


def list_directory(root: Path, path: str) -> list[str]:
    """Names in a directory by code point, dotfiles included. Raises FileRefused."""
    place = located(root, path)
    try:
        with jail.directory(place.root, place.real, listed=True) as handle:
            return sorted(os.listdir(handle))  # noqa: PTH208 - of a descriptor
    except NotADirectoryError:
        raise FileRefused(f"Not a directory: {path}") from None
    except OSError as error:
        raise refused(path, error) from None


def file_stat(root: Path, path: str) -> dict[str, object]:
    """Type, size in bytes and times (ISO 8601, milliseconds, Z) of a path. Raises FileRefused."""
    place = located(root, path)
    try:
        seen = jail.status(place.root, place.real)
    except OSError as error:
        raise refused(path, error) from None
    if stat.S_ISLNK(seen.st_mode):
        raise refused(path, OSError(errno.ELOOP, "a link"))
    born = getattr(seen, "st_birthtime", seen.st_ctime)
    return {
        "path": path,
        "type": "directory" if stat.S_ISDIR(seen.st_mode) else "file",
        "size": seen.st_size,
        "modified": _iso(seen.st_mtime),
        "created": _iso(born),
    }


def walk(root: Path, excluded: Callable[[str], bool]) -> Iterator[str]:
    """Every file of the project, relative, in no order; excluded directories are not entered.

    Links are named, never followed into; what cannot be read is passed over.
    """
    top = os.path.realpath(root)
    pending = [""]
    while pending:
        folder = pending.pop()
        prefix = f"{folder}/" if folder else ""
        try:
            with jail.directory(top, folder, listed=True) as handle, os.scandir(handle) as entries:
                found = [(e.name, e.is_dir(follow_symlinks=False), _is_file(e)) for e in entries]
        except OSError:
            continue
        for name, is_directory, is_file in found:
            path = f"{prefix}{name}"
            if is_directory:
                if not excluded(f"{path}/x") or not excluded(path):
                    pending.append(path)
            elif is_file and not excluded(path):
                yield path


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether it counts as a file: whatever is no directory, and links that lead to a file."""
    try:
        return not entry.is_symlink() or entry.is_file()
    except OSError:  # a loop of links, or one through a closed directory, hides no neighbour
        return False


def every_file(root: Path, excluded: Callable[[str], bool]) -> tuple[list[str], list[str]]:
    """The project's files, sorted: those that may fire, and those behind `exclude_paths`."""
    visible = set(walk(root, excluded))
    return sorted(visible), sorted(set(walk(root, lambda _: False)) - visible)


def _whole(file: BinaryIO, path: str, max_bytes: int) -> bytes:
    raw = file.read(max_bytes + 1)
    if len(raw) > max_bytes:
        size = max(os.fstat(file.fileno()).st_size, len(raw))
        raise FileRefused(
            f"File is larger than {max_bytes:,} bytes: {path} ({size:,} bytes). "
            "Read a part of it with offset and limit."
        )
    return raw


def _skip_lines(file: BinaryIO, count: int) -> None:
    """Move past `count` line ends, in pieces: no length of a line fills the memory."""
    while count > 0 and (piece := file.read(CHUNK)):
        ends = piece.count(b"\n")
        if ends < count:
            count -= ends
            continue
        at = -1
        for _ in range(count):
            at = piece.index(b"\n", at + 1)
        file.seek(at + 1 - len(piece), os.SEEK_CUR)
        return


def _lines(file: BinaryIO, limit: int | None, path: str) -> bytes:
    kept: list[bytes] = []
    size, ends = 0, 0
    while limit is None or ends < limit:
        line = file.readline(MAX_RESULT_BYTES + 1 - size)
        if not line:
            break
        kept.append(line)
        size += len(line)
        ends += line.endswith(b"\n")
        if size > MAX_RESULT_BYTES:
            raise FileRefused(
                f"These lines are more than {MAX_RESULT_BYTES:,} bytes: {path}. Ask for fewer."
            )
    return b"".join(kept)


def refused(path: str, error: OSError | ValueError) -> FileRefused:
    """The refusal of a path in words that name it as given, and no other path."""
    if isinstance(error, ValueError):  # a NUL, half a surrogate pair
        return FileRefused("Path is malformed: no file can have this name")
    if isinstance(error, jail.NotRegular) and error.is_directory:
        return FileRefused(f"Path is a directory: {path}. Use list_directory.")
    if isinstance(error, jail.NotRegular) and not error.is_link:
        return FileRefused(f"Path is no regular file: {path}")
    if isinstance(error, jail.NotRegular) or error.errno == errno.ELOOP:
        return FileRefused(f"Path leads through a loop of links, or changed meanwhile: {path}")
    words = {
        FileNotFoundError: "File not found",
        NotADirectoryError: "File not found",
        PermissionError: "File cannot be read (no permission)",
    }
    text = words.get(type(error), f"File cannot be read ({error.strerror or 'refused'})")
    return FileRefused(f"{text}: {path}")


def _iso(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
