"""Signed checkpoints of a session: C2SP tlog-checkpoint in a signed note (gateway.md §2).

Makes and reads the text. Signing needs a key and is done in io/signing.py; verifying is passed in.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

NAME = "tripwire.local"
"""The name of the signing key in notes and origins."""
ED25519 = b"\x01"
"""The signature type of the C2SP signed-note format."""
_ORIGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,127}/sessions/([A-Za-z0-9][A-Za-z0-9._-]{0,127})")
_SIGNATURE = "\u2014 "
_SIZE = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)
_HASH_BYTES, _ID_BYTES, _SIGNATURE_BYTES = 32, 4, 64

Verify = Callable[[bytes, bytes, bytes], bool]
"""(public key, signature, message) → whether the signature is good."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """An Ed25519 public key with its name, as third parties hold it."""

    name: str
    key: bytes

    @property
    def id(self) -> bytes:
        """The first 4 bytes of SHA-256(name ‖ 0x0A ‖ 0x01 ‖ public key)."""
        return hashlib.sha256(self.name.encode() + b"\n" + ED25519 + self.key).digest()[:_ID_BYTES]

    @property
    def text(self) -> str:
        """The C2SP verifier key: `name+id+base64`."""
        encoded = base64.b64encode(ED25519 + self.key).decode()
        return f"{self.name}+{self.id.hex()}+{encoded}"

    @classmethod
    def parse(cls, text: str) -> PublicKey:
        """The key in a text of `text`. Raises ValueError."""
        name, identity, encoded = text.strip().split("+", 2)
        raw = base64.b64decode(encoded, validate=True)
        found = cls(name, raw[1:])
        if raw[:1] != ED25519 or len(found.key) != _HASH_BYTES or found.id.hex() != identity:
            raise ValueError("no Ed25519 verifier key")
        return found


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How long a session's audit was, and the root of its tree then."""

    session: str
    size: int
    root: bytes
    name: str = NAME

    def body(self) -> bytes:
        """What is signed."""
        encoded = base64.b64encode(self.root).decode()
        return f"{self.name}/sessions/{self.session}\n{self.size}\n{encoded}\n".encode()


@dataclass(frozen=True, slots=True)
class Note:
    """A checkpoint with its signature lines; `line` is where it begins in its file."""

    checkpoint: Checkpoint
    signatures: tuple[tuple[str, bytes], ...]
    line: int = 0

    def signed_by(self, keys: Iterable[PublicKey], verify: Verify) -> bool | None:
        """Whether one of the keys signed it; None if it names none of them."""
        found = None
        for name, blob in self.signatures:
            for key in keys:
                if (name, blob[:_ID_BYTES]) == (key.name, key.id):
                    good = verify(key.key, blob[_ID_BYTES:], self.checkpoint.body())
                    found = bool(found) or good
        return found


def note_text(checkpoint: Checkpoint, key: PublicKey, signature: bytes) -> bytes:
    """The signed note."""
    blob = base64.b64encode(key.id + signature).decode()
    return checkpoint.body() + f"\n{_SIGNATURE}{key.name} {blob}\n".encode()


def notes_of(content: bytes) -> tuple[list[Note], list[int]]:
    """Every note in a text, and the lines that belong to none."""
    lines = content.decode("utf-8", "replace").split("\n")
    notes: list[Note] = []
    strange: list[int] = []
    at = 0
    while at < len(lines):
        if not lines[at]:
            at += 1
            continue
        checkpoint = _checkpoint(lines[at : at + 4])
        end = at + 4
        signatures = []
        while checkpoint is not None and end < len(lines) and lines[end].startswith(_SIGNATURE):
            signatures.append(_signature(lines[end]))
            end += 1
        good = [each for each in signatures if each is not None]
        if checkpoint is None or not good:
            strange.append(at + 1)
            at += 1
            continue
        notes.append(Note(checkpoint, tuple(good), at + 1))
        at = end
    return notes, strange


def _checkpoint(lines: list[str]) -> Checkpoint | None:
    if len(lines) < 4 or lines[3] or not _SIZE.fullmatch(lines[1]):
        return None
    origin = _ORIGIN.fullmatch(lines[0])
    try:
        root = base64.b64decode(lines[2], validate=True)
    except (ValueError, binascii.Error):
        return None
    if origin is None or len(root) != _HASH_BYTES:
        return None
    return Checkpoint(origin[1], int(lines[1]), root, lines[0].split("/")[0])


def _signature(line: str) -> tuple[str, bytes] | None:
    try:
        name, encoded = line.removeprefix(_SIGNATURE).split(" ")
        blob = base64.b64decode(encoded, validate=True)
    except (ValueError, binascii.Error):
        return None
    return (name, blob) if len(blob) == _ID_BYTES + _SIGNATURE_BYTES else None


def rotation_body(old: PublicKey, new: PublicKey) -> bytes:
    """What both keys sign when one follows the other."""
    return f"tripwire/key-rotation/v1\n{old.text}\n{new.text}\n".encode()


def trusted(
    known: Iterable[PublicKey], rotations: Iterable[Mapping[str, object]], verify: Verify
) -> list[PublicKey]:
    """The keys one may believe who believes `known`: also what they signed over to, and from.

    A rotation is `{"old", "new", "old_sig", "new_sig"}`: verifier keys and base64 signatures.
    """
    found = list(known)
    todo = list(rotations)
    while True:
        more = [key for each in todo if (key := _next_key(each, found, verify)) is not None]
        if not more:
            return found
        found += [key for n, key in enumerate(more) if key not in more[:n]]


def _next_key(
    rotation: Mapping[str, object], found: list[PublicKey], verify: Verify
) -> PublicKey | None:
    try:
        old, new = (PublicKey.parse(str(rotation[k])) for k in ("old", "new"))
        by_old, by_new = (
            base64.b64decode(str(rotation[k]), validate=True) for k in ("old_sig", "new_sig")
        )
    except (ValueError, KeyError, binascii.Error):
        return None
    body = rotation_body(old, new)
    if old in found and new not in found and verify(old.key, by_old, body):
        return new
    if new in found and old not in found and verify(new.key, by_new, body):
        return old
    return None
