"""The tripwires of every project that hook sessions work in, as they are on disk right now."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tripwire.io.project import find_root
from tripwire.read.tripwire_set import TripwireSet


class Folder(Protocol):
    """One project's tripwires on disk."""

    def current(self) -> TripwireSet:
        """As they are now; the same value as long as nothing changed (CTX-7)."""


@dataclass(slots=True)
class Projects:
    """Project root → its tripwires; `open_folder` is what reads them."""

    open_folder: Callable[[Path], Folder]
    _folders: dict[Path, Folder] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def at(self, directory: str) -> tuple[Path, TripwireSet]:
        """The root of the project that `directory` is in (CTX-14), and its tripwires."""
        root = find_root(None, directory)
        with self._lock:
            folder = self._folders.get(root)
            if folder is None:
                folder = self._folders[root] = self.open_folder(root)
            return root, folder.current()
