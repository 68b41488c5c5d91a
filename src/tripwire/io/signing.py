"""The signing key of an installation: Ed25519, beside the other keys (gateway.md E-5).

`rotations.jsonl` beside it holds, for each new key, what the old and the new one signed of each
other, so that whoever trusts one of them can trust the other.
"""

from __future__ import annotations

import base64
import json
import secrets
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from tripwire.errors import StateUnusable
from tripwire.io.files import AppendFile, FileLock, make_private_dir, read_private, write_atomic
from tripwire.io.keys import KeyStore
from tripwire.ledger.checkpoint import NAME, Checkpoint, PublicKey, note_text, rotation_body

FILE, ROTATIONS = "signing.ed25519", "rotations.jsonl"
_SEED = 32


@dataclass(frozen=True, slots=True, repr=False)
class Signer:
    """A key that signs checkpoints."""

    public: PublicKey
    _key: Ed25519PrivateKey

    @classmethod
    def of(cls, seed: bytes) -> Signer:
        """The signer of a 32-byte seed."""
        key = Ed25519PrivateKey.from_private_bytes(seed)
        return cls(PublicKey(NAME, key.public_key().public_bytes_raw()), key)

    def note(self, checkpoint: Checkpoint) -> bytes:
        """The signed note of a checkpoint."""
        return note_text(checkpoint, self.public, self.sign(checkpoint.body()))

    def sign(self, message: bytes) -> bytes:
        """64 bytes."""
        return self._key.sign(message)


class SigningKey:
    """The signing key of one keys directory."""

    def __init__(self, store: KeyStore) -> None:
        self.directory = store.directory
        self._path: Path = store.directory / FILE

    def signer(self) -> Signer:
        """The key, made at first use. Raises StateUnusable."""
        found = self._read()
        if found is not None:
            return found
        make_private_dir(self.directory)
        lock = FileLock(self.directory / f"{FILE}.lock")
        try:
            with lock.held():
                return self._read() or self._write(secrets.token_bytes(_SEED))
        finally:
            lock.close()

    def public(self) -> PublicKey | None:
        """The public key, None if none was ever made. Raises StateUnusable."""
        found = self._read()
        return found.public if found is not None else None

    def rotate(self) -> tuple[PublicKey, PublicKey]:
        """Replace the key; the old and the new one sign each other. Raises StateUnusable."""
        old = self.signer()
        lock = FileLock(self.directory / f"{FILE}.lock")
        try:
            with lock.held():
                seed = secrets.token_bytes(_SEED)
                new = Signer.of(seed)
                body = rotation_body(old.public, new.public)
                line = json.dumps(
                    {
                        "old": old.public.text,
                        "new": new.public.text,
                        "old_sig": base64.b64encode(old.sign(body)).decode(),
                        "new_sig": base64.b64encode(new.sign(body)).decode(),
                    },
                    separators=(",", ":"),
                    sort_keys=True,
                )
                file = AppendFile(self.directory / ROTATIONS)
                try:
                    file.append(line.encode() + b"\n")  # before the key: it must never stand alone
                    file.sync()
                finally:
                    file.close()
                self._write(seed)
        finally:
            lock.close()
        return old.public, new.public

    def rotations(self) -> list[dict[str, Any]]:
        """What was signed over, oldest first; lines that are none are left out."""
        try:
            lines = read_private(self.directory / ROTATIONS).split(b"\n")
        except OSError:
            return []
        found = []
        for line in lines:
            try:
                each = json.loads(line)
            except ValueError:
                continue
            if isinstance(each, dict):
                found.append(each)
        return found

    def _read(self) -> Signer | None:
        try:
            content = read_private(self._path)
            loose = self._path.stat().st_mode & 0o077
            seed = bytes.fromhex(content.decode("ascii", "replace").strip())
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            raise self._unusable("cannot be read") from None
        if loose or len(seed) != _SEED:
            raise self._unusable("is readable by others" if loose else "is damaged")
        return Signer.of(seed)

    def _write(self, seed: bytes) -> Signer:
        try:
            write_atomic(self._path, seed.hex().encode() + b"\n", durable=True)
        except OSError:
            raise self._unusable("cannot be written") from None
        return Signer.of(seed)

    def _unusable(self, why: str) -> StateUnusable:
        return StateUnusable(
            f"the signing key {why}",
            where=str(self._path),
            fix="Make it readable and writable for this user only (chmod 600), or restore it.",
        )


@lru_cache(maxsize=4096)
def verify(key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether an Ed25519 signature is good (RFC 8032). The same note stands in several files."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
