"""Files as evidence needs them: owner only, never through a link, appended whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tripwire.errors import EvidenceUnavailable, StateUnusable

PRIVATE = 0o600
_OPEN = os.O_CLOEXEC | os.O_NOFOLLOW


def make_private_dir(path: Path) -> None:
    """Create `path` and its parents, 0700. Raises StateUnusable."""
    try:
        for directory in reversed([path, *path.parents]):  # `parents=True` opens those to others
            if not directory.is_dir():
                directory.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise unusable(path, error) from None


def write_atomic(path: Path, content: bytes, *, durable: bool = False) -> None:
    """Replace `path` by `content` (0600) in one step. Raises OSError."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _OPEN, PRIVATE)
    try:
        write_all(descriptor, content)
        if durable:
            os.fdatasync(descriptor)
        os.close(descriptor)
        descriptor = -1
        beside.replace(path)
    except OSError:
        if descriptor >= 0:
            os.close(descriptor)
        beside.unlink(missing_ok=True)
        raise


def read_private(path: Path) -> bytes:
    """The content of a file that is no link. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | _OPEN)
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def write_all(descriptor: int, content: bytes) -> None:
    """Write all of `content`. Raises OSError."""
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


class AppendFile:
    """A file that only grows, one whole append at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | _OPEN
            self._descriptor = os.open(path, flags, PRIVATE)
        except OSError as error:
            raise unusable(path, error) from None
        held = os.fstat(self._descriptor)
        self._named = str(path)
        self._inode = (held.st_ino, held.st_dev)
        if not stat.S_ISREG(held.st_mode):
            os.close(self._descriptor)
            raise StateUnusable("not a plain file", where=str(path), fix="Move it away.")
        self.size = 0
        """How much of it is known and accepted; a longer file has news or a torn tail."""
        self.dirty = False

    def length(self) -> int:
        """The size on disk, -1 if the path no longer names the file that is open."""
        try:
            named = os.lstat(self._named)
        except OSError:
            return -1
        # An inode that is held open is given to no other file.
        return named.st_size if (named.st_ino, named.st_dev) == self._inode else -1

    def tail(self) -> bytes:
        """Everything after `size`."""
        pieces, at = [], self.size
        while piece := os.pread(self._descriptor, 1 << 20, at):
            pieces.append(piece)
            at += len(piece)
        return b"".join(pieces)

    def append(self, content: bytes) -> None:
        """Write `content` at the end; `size` follows once the caller accepts it. Raises OSError."""
        written = os.write(self._descriptor, content)
        if written < len(content):
            write_all(self._descriptor, content[written:])
        self.size += len(content)
        self.dirty = True

    def cut(self, size: int) -> None:
        """Drop what follows `size`. Raises OSError."""
        os.ftruncate(self._descriptor, size)
        self.size = size
        self.dirty = True

    def cut_tail(self, count: int) -> None:
        """Drop the last `count` bytes, which were never accepted. Raises OSError."""
        os.ftruncate(self._descriptor, os.fstat(self._descriptor).st_size - count)
        self.dirty = True

    def sync(self) -> None:
        """Wait until it is on disk. Raises OSError."""
        if not self.dirty:
            return
        if self._descriptor < 0:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        self.dirty = False  # before the sync: what is appended meanwhile is not covered by it
        try:
            os.fdatasync(self._descriptor)
        except OSError:
            self.dirty = True
            raise

    def close(self) -> None:
        """Let the file go."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class FileLock:
    """An flock between processes; released when its holder dies."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = self._opened()

    def _opened(self) -> int:
        try:
            return os.open(self._path, os.O_RDWR | os.O_CREAT | _OPEN, PRIVATE)
        except OSError as error:
            raise unusable(self._path, error) from None

    def renew(self) -> None:
        """Hold, instead of a lock file that was deleted, the one that others find now.

        Hold the lock. Raises StateUnusable or EvidenceUnavailable.
        """
        named = self._opened()
        if os.path.sameopenfile(named, self._descriptor):
            os.close(named)
            return
        gone, self._descriptor = self._descriptor, named
        os.close(gone)
        self.acquire()

    def acquire(self) -> None:
        """Wait for the lock. Raises EvidenceUnavailable."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        except (OSError, ValueError) as error:
            raise EvidenceUnavailable(f"the journal cannot be locked ({error})") from None

    def release(self) -> None:
        """Let others have it."""
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Wait for the lock and hold it. Raises EvidenceUnavailable."""
        self.acquire()
        try:
            yield
        finally:
            self.release()

    def seize(self) -> bool:
        """Hold the lock until `close`, if nobody else does."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Let the lock go."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def unusable(path: Path, error: OSError) -> StateUnusable:
    """The error for a state file or directory that cannot be used."""
    return StateUnusable(
        f"cannot be used ({error.strerror or type(error).__name__})",
        where=str(path),
        fix="Make it readable and writable for this user, or set TRIPWIRE_HOME to another place.",
    )
