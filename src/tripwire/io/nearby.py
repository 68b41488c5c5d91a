"""Where the keys of a log may be that was given by its path alone.

The usual place comes first. Keys that are found next to the log prove less, and `verify-log` says
so: whoever can change the log may be able to change them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tripwire.config.load import load_policy
from tripwire.config.places import CONFIG_NAME
from tripwire.errors import TripwireError
from tripwire.io.keys import BESIDE, KeyStore


def store_for(path: Path, keys_dir: Path | str | None) -> tuple[KeyStore, str]:
    """The keys of a session or state directory, and the directory if it is not a usual place."""
    usual = KeyStore(keys_dir)
    path = path.resolve()
    root = path if (path / "sessions").is_dir() else path.parent.parent
    if keys_dir or _fits(usual, path, root):
        return usual, ""
    for place in _places(root):
        store = KeyStore(place)
        if _fits(store, path, root):
            return store, str(store.directory)
    return usual, ""


def _places(root: Path) -> Iterator[Path]:
    yield root / "keys"
    yield root.parent / "keys"
    config = root.parent / CONFIG_NAME
    if config.is_file():
        try:
            named = load_policy(config).keys_dir
        except TripwireError:
            return
        if named and named != BESIDE:
            yield Path(named)


def _fits(store: KeyStore, path: Path, root: Path) -> bool:
    """Whether a key of the session, or of any session of the state directory, is there."""
    sessions = (root / "sessions").iterdir() if path == root else iter((path,))
    return any(store.session_path(session).is_file() for session in sessions)
