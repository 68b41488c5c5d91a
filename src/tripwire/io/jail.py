"""What is inside a directory, reached step by step without following a link (read.md CTX-13).

A path that was inside when it was looked at may lead elsewhere a moment later, because somebody put
a link in its place. Here each component is opened from the one before it and no link is followed,
so nothing outside is opened, listed or written, whenever the swap happens. Does not help against
hard links and mounts, which make a file of outside one of inside.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STEP = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
"""A directory that is only passed through need not be readable."""

_LISTED = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
"""O_NONBLOCK: a pipe that appears meanwhile must not hang."""

_PIECE = 1 << 18


class NotRegular(OSError):
    """What is there is a directory, a pipe, a device, a socket or a link."""

    def __init__(self, mode: int) -> None:
        self.is_directory = stat.S_ISDIR(mode)
        self.is_link = stat.S_ISLNK(mode)
        """Nobody names a link here: it took the place of what was looked at."""
        super().__init__("is no regular file")


@contextmanager
def directory(root: str | Path, relative: str, *, listed: bool = False) -> Iterator[int]:
    """A descriptor of the directory at `relative` (`.` is the root) in `root`, a real path.

    `listed`: its entries will be read. Raises OSError, also where a component is a link now.
    """
    parts = [part for part in relative.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise NotADirectoryError("..")
    handle = os.open(root, _LISTED if listed and not parts else _STEP)
    try:
        for at, part in enumerate(parts, start=1):
            mode = _LISTED if listed and at == len(parts) else _STEP
            before, handle = handle, os.open(part, mode, dir_fd=handle)
            os.close(before)
        yield handle
    finally:
        os.close(handle)


def status(root: str | Path, relative: str) -> os.stat_result:
    """What `stat` says of what is at `relative`; of a link, of itself. Raises OSError."""
    above, name = _split(relative)
    with directory(root, above) as handle:
        return os.stat(name, dir_fd=handle, follow_symlinks=False) if name else os.fstat(handle)


def opened(root: str | Path, relative: str) -> int:
    """A descriptor for reading a regular file. Raises OSError; NotRegular if it is none.

    What is no regular file is not even opened: that alone can wake a writer or move a tape.
    """
    above, name = _split(relative)
    with directory(root, above) as handle:
        if not name:
            raise NotRegular(stat.S_IFDIR)
        return opened_at(handle, name)


def opened_at(handle: int, name: str) -> int:
    """The same for a name in an open directory."""
    seen = os.stat(name, dir_fd=handle, follow_symlinks=False)
    if not stat.S_ISREG(seen.st_mode):
        raise NotRegular(seen.st_mode)
    found = os.open(name, _READ, dir_fd=handle)
    try:
        if not stat.S_ISREG(mode := os.fstat(found).st_mode):
            raise NotRegular(mode)
    except OSError:
        os.close(found)
        raise
    return found


def whole_at(handle: int, name: str, most: int) -> bytes:
    """A file (at most `most` bytes) that was a regular one of an open directory a moment ago.

    Few calls, because a project may have thousands. Raises OSError; NotRegular if it is none now.
    """
    found = os.open(name, _READ, dir_fd=handle)
    try:
        seen = os.fstat(found)
        if not stat.S_ISREG(seen.st_mode):
            raise NotRegular(seen.st_mode)
        raw = os.read(found, min(seen.st_size + 1, most))
        if len(raw) == seen.st_size:
            return raw
        while len(raw) < most and (part := os.read(found, min(most - len(raw), _PIECE))):
            raw += part
        return raw
    finally:
        os.close(found)


def beginning(root: str | Path, relative: str, size: int) -> bytes:
    """At most `size` bytes of a regular file. Raises OSError as `opened`."""
    return first_bytes(opened(root, relative), size)


def first_bytes(handle: int, size: int) -> bytes:
    """At most `size` bytes from a descriptor, which is closed. Raises OSError."""
    try:
        parts = []
        while size > 0 and (part := os.read(handle, min(size, _PIECE))):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
    finally:
        os.close(handle)


def _split(relative: str) -> tuple[str, str]:
    above, _, name = relative.rpartition("/")
    return above, "" if name == "." else name
