"""Writing tripwire files: one writer at a time, whole or not at all, never outside (CTX-41)."""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tripwire.errors import AuthoringRefused
from tripwire.io.files import write_all

WAIT = 5.0
"""Seconds to wait for another writer."""

_PAUSE = 0.02
_NEW = ".tripwire-new"
"""How temporary files end: never loaded, and taken away by the next writer."""


@contextmanager
def locked(root: Path, directory: str, *, wait: float = WAIT) -> Iterator[Path]:
    """Hold the directory of tripwires, created if need be, against every other writer.

    Gives its real path. The lock is on the directory itself, so it leaves no file and dies with
    its holder. Raises AuthoringRefused if it stays held, or leads outside; OSError.
    """
    place = root / directory
    place.mkdir(parents=True, exist_ok=True)
    real = Path(os.path.realpath(place))
    if Path(os.path.realpath(root)) not in real.parents:
        raise AuthoringRefused(f"{directory} leads outside the project", fix="mend the link")
    handle = os.open(real, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _wait_for(handle, directory, wait)
        _sweep(real)
        yield real
    finally:
        os.close(handle)


def write(path: Path, content: bytes) -> None:
    """Replace or create a file of the locked directory, or the file that a link in it names.

    A crash leaves the old file; the mode of an existing file stays. Raises OSError.
    """
    target = Path(os.path.realpath(path))
    beside = path.with_name(f".{secrets.token_hex(8)}{_NEW}")
    if target.parent != path.parent:
        beside = target.with_name(beside.name)
    mode = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(beside, mode, 0o666)
    try:
        try:
            write_all(handle, content)
            if target.exists():
                os.fchmod(handle, stat.S_IMODE(target.stat().st_mode))
            os.fsync(handle)
        finally:
            os.close(handle)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    _settle(target.parent)


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


def _sweep(directory: Path) -> None:
    """Take away what a writer that crashed left."""
    for entry in directory.iterdir():
        if entry.name.startswith(".") and entry.name.endswith(_NEW):
            entry.unlink(missing_ok=True)


def _settle(directory: Path) -> None:
    """Make the rename itself last."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
