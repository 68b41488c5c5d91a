"""Writing tripwire files: one writer at a time, whole or not at all, never outside (CTX-41)."""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tripwire.errors import AuthoringRefused
from tripwire.io import jail
from tripwire.io.files import write_all
from tripwire.io.read_rules import bytes_inside

WAIT = 5.0
"""Seconds to wait for another writer."""

_PAUSE = 0.02
_NEW = ".tripwire-new"
"""How temporary files end: never loaded, and taken away by the next writer."""


@dataclass(frozen=True, slots=True)
class Held:
    """The directory of tripwires while its lock is held.

    Everything is done through its descriptor, so that no link that is put in its place is followed.
    """

    root: str
    """The project's root, links followed."""
    real: str
    """The directory relative to it, links followed."""
    handle: int

    def names(self) -> list[str]:
        """Every name in it, by bytes. Raises OSError."""
        return sorted(os.listdir(self.handle), key=os.fsencode)  # noqa: PTH208 - of a descriptor

    def read(self, name: str, most: int) -> tuple[bytes | None, str]:
        """At most one byte more than `most` of a file of the project, or why there are none."""
        try:
            return jail.first_bytes(jail.opened_at(self.handle, name), most + 1), ""
        except jail.NotRegular as found:
            if not found.is_link:
                return None, "is no regular file"
        except OSError as error:
            return None, f"cannot be read ({error.strerror})"
        return bytes_inside(Path(self.root), Path(self.root, self.real, name), most)

    def write(self, name: str, content: bytes) -> None:
        """Replace or create a file, or the file of the project that a link of this name names.

        A crash leaves the old file; the mode of an existing file stays. Raises OSError.
        """
        with self._place(name) as (handle, last):
            beside = f".{secrets.token_hex(8)}{_NEW}"
            try:
                _write_new(handle, beside, content, _mode(handle, last))
                os.replace(beside, last, src_dir_fd=handle, dst_dir_fd=handle)
            except BaseException:
                with suppress(FileNotFoundError):
                    os.unlink(beside, dir_fd=handle)
                raise

    def remove(self, name: str) -> None:
        """Take a file or a link away. Raises OSError."""
        os.unlink(name, dir_fd=self.handle)

    @contextmanager
    def _place(self, name: str) -> Iterator[tuple[int, str]]:
        """Where a name is written: a directory and a name in it, and the rename settles there."""
        try:
            seen = os.stat(name, dir_fd=self.handle, follow_symlinks=False)
        except FileNotFoundError:
            seen = None
        above, last = self.real, name
        if seen is not None and stat.S_ISLNK(seen.st_mode):
            target = _relative(self.root, os.path.realpath(f"{self.root}/{self.real}/{name}"))
            above, _, last = target.rpartition("/")
        if above == self.real:
            yield self.handle, last
            os.fsync(self.handle)
            return
        with jail.directory(self.root, above, listed=True) as handle:
            yield handle, last
            os.fsync(handle)


@contextmanager
def locked(root: Path, directory: str, *, wait: float = WAIT) -> Iterator[Held]:
    """Hold the directory of tripwires, created if need be, against every other writer.

    The lock is on the directory itself, so it leaves no file and dies with its holder.
    Raises AuthoringRefused if it stays held, or leads outside; OSError.
    """
    top = os.path.realpath(root)
    try:
        real = _relative(top, os.path.realpath(root / directory))
    except OSError:
        raise AuthoringRefused(
            f"{directory} leads outside the project", fix="mend the link"
        ) from None
    _make(top, real)
    with jail.directory(top, real, listed=True) as handle:
        _wait_for(handle, directory, wait)
        held = Held(top, real, handle)
        _sweep(held)
        yield held


def _relative(root: str, path: str) -> str:
    """`path`, a real one, relative to `root`. Raises OSError if it is not in it."""
    if Path(root) not in Path(path).parents:
        raise OSError("leads outside the project")
    return Path(path).relative_to(root).as_posix()


def _make(root: str, real: str) -> None:
    """Create the directory and those above it. Raises OSError."""
    above = ""
    for name in real.split("/"):
        with jail.directory(root, above) as handle, suppress(FileExistsError):
            os.mkdir(name, dir_fd=handle)
        above = f"{above}/{name}"


def _write_new(handle: int, name: str, content: bytes, mode: int | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    made = os.open(name, flags, 0o666, dir_fd=handle)
    try:
        write_all(made, content)
        if mode is not None:
            os.fchmod(made, mode)
        os.fsync(made)
    finally:
        os.close(made)


def _mode(handle: int, name: str) -> int | None:
    try:
        return stat.S_IMODE(os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return None


def _wait_for(handle: int, directory: str, wait: float) -> None:
    until = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                what = f"another process has been changing {directory} for {wait:g} s"
                raise AuthoringRefused(what, fix="try again") from None
            time.sleep(_PAUSE)
        else:
            return


def _sweep(held: Held) -> None:
    """Take away what a writer that crashed left."""
    for name in held.names():
        if name.startswith(".") and name.endswith(_NEW):
            with suppress(FileNotFoundError):
                held.remove(name)
