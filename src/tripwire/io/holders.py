"""Which processes hold a session: a call whose process died has an unknown outcome (E-4)."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path

from tripwire.errors import StateUnusable
from tripwire.io.files import FileLock


class Holder:
    """The mark of this process in a session; a mark that can be locked belongs to the dead."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.name = secrets.token_hex(4)
        self._mark = FileLock(self._path(self.name))
        self._mark.seize()

    def died(self, name: str) -> bool:
        """Whether the holder `name` ended without closing its session."""
        path = self._path(name)
        if name == self.name or not path.exists():
            return False
        try:
            mark = FileLock(path)
        except StateUnusable:
            return False
        try:
            return mark.seize()
        finally:
            mark.close()

    def sweep(self) -> None:
        """Remove the marks of the dead."""
        for path in self._directory.glob("holder-*.lock"):
            if self.died(path.name.removeprefix("holder-").removesuffix(".lock")):
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """The session is closed in good order."""
        with suppress(OSError):
            self._path(self.name).unlink(missing_ok=True)
        self._mark.close()

    def _path(self, name: str) -> Path:
        return self._directory / f"holder-{name}.lock"
