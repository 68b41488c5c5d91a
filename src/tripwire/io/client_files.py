"""A client's settings files: where they are, read whole, written atomically beside a `.bak`.

Refuses a file that a link leads out of the home directory or the project (flow.md §7).
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tripwire.errors import SettingsUnreadable, StateUnusable


@dataclass(frozen=True, slots=True)
class ClientFile:
    """One settings file, which may not exist yet."""

    path: Path

    @property
    def backup(self) -> Path:
        """The file as it was before the first install."""
        return self.path.with_name(self.path.name + ".bak")

    def text(self) -> str:
        """The content, "" if there is no file."""
        try:
            return self.path.read_text("utf-8")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as problem:
            why = getattr(problem, "strerror", None) or "not UTF-8"
            raise SettingsUnreadable(f"cannot be read ({why})", where=str(self.path)) from None

    def check_inside(self, *roots: Path) -> None:
        """Raises SettingsUnreadable if a link leads the file out of every root."""
        real = Path(os.path.realpath(self.path))
        if any(real.is_relative_to(os.path.realpath(root)) for root in roots):
            return
        raise SettingsUnreadable(
            f"leads to {real}, outside of your home and the project", where=str(self.path)
        )

    def write(self, text: str) -> None:
        """Replace the content in one step; the first time, keep what was there as `.bak`."""
        before = self.text()
        with self._said("written"):
            real = Path(os.path.realpath(self.path))
            real.parent.mkdir(parents=True, exist_ok=True)
            if before and not self.backup.exists():
                _replace(self.backup, before, 0o600)
            _replace(real, text, real.stat().st_mode & 0o777 if real.exists() else 0o644)

    def restore(self) -> None:
        """Put the backup back."""
        with self._said("restored"):
            text = self.backup.read_text("utf-8")
            real = Path(os.path.realpath(self.path))
            _replace(real, text, real.stat().st_mode & 0o777)
            self.backup.unlink()

    def remove(self) -> None:
        """Remove the file, and its folder if that is empty then."""
        with self._said("removed"):
            self.path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.path.parent.rmdir()

    @contextlib.contextmanager
    def _said(self, done: str) -> Iterator[None]:
        """What the system refuses, as a StateUnusable that names the file and what to do."""
        try:
            yield
        except OSError as problem:
            raise StateUnusable(
                f"cannot be {done} ({problem.strerror or type(problem).__name__})",
                where=str(self.path),
                fix="Make the file and its directory writable for you, and try again.",
            ) from None


def _replace(path: Path, text: str, mode: int) -> None:
    handle, fresh = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(fresh).chmod(mode)
        Path(fresh).replace(path)
    except BaseException:
        Path(fresh).unlink(missing_ok=True)
        raise
