"""Session and installation keys: 0600 files, or `TRIPWIRE_HMAC_KEY` (gateway.md §2, STATE-2)."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from tripwire.errors import StateUnusable, UsageError
from tripwire.io.files import make_private_dir, read_private, write_atomic
from tripwire.io.home import state_home

BESIDE = "beside"
"""The `keys_dir` that puts a session's key into the session's own directory."""
VARIABLE = "TRIPWIRE_HMAC_KEY"
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){16,}")


class KeyStore:
    """Where keys are kept. A key that is there but cannot be read is an error, never a new key."""

    def __init__(self, keys_dir: Path | str | None = None) -> None:
        self.given = bool(keys_dir)
        """Whether the place was named, and is not only the usual one."""
        self._beside = keys_dir is not None and str(keys_dir) == BESIDE
        chosen = state_home() / "keys" if not keys_dir or self._beside else Path(keys_dir)
        self.directory = chosen

    def session_path(self, session: Path) -> Path:
        """The key file of a session directory."""
        return session / "hmac.key" if self._beside else self.directory / f"{session.name}.key"

    def session(self, session: Path) -> bytes | None:
        """The key of a session, None if it has none. Raises StateUnusable or UsageError."""
        return self._read(self.session_path(session)) or from_environment()

    def new_session(self, session: Path) -> bytes:
        """Make and store a key, or take the one of the environment. Raises StateUnusable."""
        return from_environment() or self._make(self.session_path(session))

    def installation(self, *, create: bool) -> bytes | None:
        """The key of the files that all sessions share."""
        path = self.directory / "installation.key"
        found = self._read(path)
        return self._make(path) if found is None and create else found

    def _read(self, path: Path) -> bytes | None:
        try:
            text = read_private(path).decode("ascii", "replace").strip()
            loose = path.stat().st_mode & 0o077
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StateUnusable(
                f"the key cannot be read ({error.strerror})",
                where=str(path),
                fix="Make it readable for this user only (chmod 600), or restore it.",
            ) from None
        if loose:
            raise StateUnusable(
                "the key can be read by others", where=str(path), fix=f"chmod 600 {path}"
            )
        if not _HEX.fullmatch(text):
            raise StateUnusable(
                "the key is damaged",
                where=str(path),
                fix="Restore it from a copy, or move it away.",
            )
        return bytes.fromhex(text)

    def _make(self, path: Path) -> bytes:
        make_private_dir(path.parent)
        key = secrets.token_bytes(32)
        try:
            write_atomic(path, key.hex().encode() + b"\n", durable=True)
        except OSError as error:
            raise StateUnusable(
                f"no key can be stored ({error.strerror})",
                where=str(path.parent),
                fix="Make the directory writable for this user, or set keys_dir.",
            ) from None
        return key


def from_environment() -> bytes | None:
    """The key in `TRIPWIRE_HMAC_KEY`; empty is unset. Raises UsageError."""
    text = os.environ.get(VARIABLE, "")
    if not text:
        return None
    if not _HEX.fullmatch(text):
        raise UsageError(
            "not a key",
            where=VARIABLE,
            fix="Give an even number of hexadecimal digits, at least 32.",
        )
    return bytes.fromhex(text)
