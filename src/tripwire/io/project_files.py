"""Files of a project, read through a jail: nothing outside the root is ever opened (CTX-13).

What a path names is decided once, by its real form; the file is opened by that form, and what was
opened is compared with it again, so that a link swapped in meanwhile opens nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from tripwire.errors import FileRefused
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


def existing(root: Path, path: str) -> Path:
    """The real absolute path of what `path`, as given, names.

    Raises FileRefused if it is malformed, outside the project, or does not exist.
    """
    if not path:
        raise FileRefused("Path is empty")
    try:
        forms = path_forms(root, path)
        if not forms.inside_real:
            raise FileRefused(f"Path is outside the project: {path}")
        return Path(os.path.realpath(forms.absolute, strict=True))
    except (OSError, ValueError) as error:
        raise refused(path, error) from None


def read_file(
    root: Path, path: str, *, offset: int | None, limit: int | None, max_bytes: int
) -> FileText:
    """The text of a file, or `limit` of its lines from line `offset` (1-based).

    Bytes that are not UTF-8 become U+FFFD; everything else is kept. Lines end with LF.
    Raises FileRefused.
    """
    with _opened(existing(root, path), path) as file:
        if offset is None and limit is None:
            raw = _whole(file, path, max_bytes)
            return FileText(raw.decode("utf-8", "replace"))
        first = offset or 1
        _skip_lines(file, first - 1)
        return FileText(_lines(file, limit, path).decode("utf-8", "replace"), first)


def list_directory(root: Path, path: str) -> list[str]:
    """Names in a directory by code point, dotfiles included. Raises FileRefused."""
    real = existing(root, path)
    try:
        return sorted(entry.name for entry in real.iterdir())
    except NotADirectoryError:
        raise FileRefused(f"Not a directory: {path}") from None
    except OSError as error:
        raise refused(path, error) from None


def file_stat(root: Path, path: str) -> dict[str, object]:
    """Type, size in bytes and times (ISO 8601, milliseconds, Z) of a path. Raises FileRefused."""
    try:
        seen = existing(root, path).stat()
    except OSError as error:
        raise refused(path, error) from None
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
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            entries = list(os.scandir(root / folder))
        except OSError:
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if not excluded(f"{path}/x") or not excluded(path):
                    pending.append(path)
            elif not excluded(path) and (not entry.is_symlink() or entry.is_file()):
                yield path


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


def _opened(real: Path, path: str) -> BinaryIO:
    """The regular file at `real`, certainly that one. Raises FileRefused."""
    try:
        # O_NONBLOCK: a pipe that appears here must not hang the server.
        fd = os.open(real, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise refused(path, error) from None
    file = os.fdopen(fd, "rb")
    try:
        fault = _fault(fd, real, path)
    except OSError as error:
        file.close()
        raise refused(path, error) from None
    if fault:
        file.close()
        raise FileRefused(fault)
    return file


def _fault(fd: int, real: Path, path: str) -> str:
    """Why what was opened must not be read, "" if it may. Raises OSError."""
    seen = os.fstat(fd)
    if stat.S_ISDIR(seen.st_mode):
        return f"Path is a directory: {path}. Use list_directory."
    if not stat.S_ISREG(seen.st_mode):
        return f"Path is no regular file: {path}"
    if os.path.realpath(real) != str(real) or not os.path.samestat(seen, real.stat()):
        return f"File changed while it was opened: {path}"
    return ""


def refused(path: str, error: OSError | ValueError) -> FileRefused:
    """The refusal of a path in words that name it as given, and no other path."""
    if isinstance(error, ValueError):  # a NUL, half a surrogate pair
        return FileRefused("Path is malformed: no file can have this name")
    words = {
        FileNotFoundError: "File not found",
        NotADirectoryError: "File not found",
        PermissionError: "File cannot be read (no permission)",
        IsADirectoryError: "Path is a directory",
    }
    text = words.get(type(error), f"File cannot be read ({error.strerror or 'refused'})")
    return FileRefused(f"{text}: {path}")


def _iso(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
