"""Tokens of people and clients: `tokens.json` beside the keys, salted hashes (gateway.md A-3).

A token is `tw-<id>-<43 characters>`, shown once when it is made. One with scope `approve` is the
approver secret that `tripwire approve` asks for; no other scope goes with it, so that no agent's
token can carry it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from tripwire.errors import StateUnusable, UsageError
from tripwire.io.files import FileLock, make_private_dir, read_private, unusable, write_atomic
from tripwire.io.keys import KeyStore

NAME = "tokens.json"
SCOPES = ("call", "read", "approve", "admin")
APPROVE = "approve"
_TOKEN = re.compile(r"tw-([0-9a-f]{8})-([A-Za-z0-9_-]{43})", re.ASCII)
_PRINCIPAL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of one token. `expires` in seconds since the epoch, 0 = never."""

    id: str
    principal: str
    scopes: tuple[str, ...]
    salt: str
    sha256: str
    created: float
    expires: float = 0.0


class Tokens:
    """The tokens of one keys directory."""

    def __init__(self, store: KeyStore) -> None:
        self._path: Path = store.directory / NAME

    def all(self) -> tuple[Token, ...]:
        """Every token. Raises StateUnusable for a file that is not ours, loose or damaged."""
        try:
            content = read_private(self._path)
            loose = self._path.stat().st_mode & 0o077
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise unusable(self._path, error) from None
        if loose:
            fix = f"chmod 600 {self._path}"
            raise StateUnusable("can be read by others", where=str(self._path), fix=fix)
        try:
            found = json.loads(content)["tokens"]
            return tuple(Token(**{**raw, "scopes": tuple(raw["scopes"])}) for raw in found)
        except (ValueError, TypeError, KeyError):
            fix = "Restore it from a copy, or move it away and make new tokens."
            raise StateUnusable("is damaged", where=str(self._path), fix=fix) from None

    def create(
        self, principal: str, scopes: tuple[str, ...], ttl: float = 0.0
    ) -> tuple[Token, str]:
        """A new token and its text, which nobody can show again. Raises UsageError."""
        _check(principal, scopes)
        name, secret, salt = secrets.token_hex(4), secrets.token_urlsafe(32), secrets.token_hex(16)
        now = time.time()
        token = Token(
            name, principal, scopes, salt, _digest(salt, secret), now, now + ttl if ttl else 0.0
        )
        self._change(lambda held: (*held, token))
        return token, f"tw-{name}-{secret}"

    def revoke(self, name: str) -> bool:
        """Forget a token; whether there was one."""
        there = any(token.id == name for token in self.all())
        self._change(lambda held: tuple(token for token in held if token.id != name))
        return there

    def find(self, text: str, scope: str) -> Token | None:
        """The token of that text, if it is one, has the scope and has not expired."""
        parts = _TOKEN.fullmatch(text)
        if parts is None:
            return None
        for token in self.all():
            if token.id == parts[1] and hmac.compare_digest(
                _digest(token.salt, parts[2]), token.sha256
            ):
                fresh = not token.expires or time.time() < token.expires
                return token if fresh and scope in token.scopes else None
        return None

    def _change(self, change: Callable[[tuple[Token, ...]], tuple[Token, ...]]) -> None:
        make_private_dir(self._path.parent)
        lock = FileLock(self._path.with_name(NAME + ".lock"))
        try:
            with lock.held():
                held = [asdict(token) for token in change(self.all())]
                content = json.dumps({"v": 1, "tokens": held}, indent=1).encode() + b"\n"
                write_atomic(self._path, content, durable=True)
        except OSError as error:
            raise unusable(self._path, error) from None
        finally:
            lock.close()


def _check(principal: str, scopes: tuple[str, ...]) -> None:
    if not _PRINCIPAL.fullmatch(principal):
        raise UsageError("no name of a principal", where="--principal", fix="Use a plain name.")
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        raise UsageError("no such scope", where="--scope", fix=f"One of {', '.join(SCOPES)}.")
    if APPROVE in scopes and len(scopes) > 1:
        raise UsageError(
            "an approver's token carries no other scope",
            where="--scope",
            fix="Make one token for approving and another one for the rest.",
        )


def _digest(salt: str, secret: str) -> str:
    # 256 random bits need no slow hash: nobody can try them.
    return hashlib.sha256(bytes.fromhex(salt) + secret.encode()).hexdigest()
