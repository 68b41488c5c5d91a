"""Public keys and anchors as `verify-log` is given them: files, directories, the key's own text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tripwire.errors import StateUnusable, UsageError
from tripwire.io.anchors import FILE
from tripwire.io.files import unusable
from tripwire.io.keys import KeyStore
from tripwire.io.signing import SigningKey, verify
from tripwire.ledger.chain import Entry
from tripwire.ledger.checkpoint import NAME, PublicKey, notes_of, trusted
from tripwire.ledger.proofs import Trust, Witness
from tripwire.ledger.verification import Problem

_KEY_BYTES = 32


def public_key(given: str) -> PublicKey:
    """The key in that text or file: a verifier key, or 64 hex digits. Raises UsageError."""
    text = given.strip()
    if "+" not in text and Path(text).is_file():
        text = Path(text).read_text("utf-8", "replace").strip()
    try:
        if "+" in text:
            return PublicKey.parse(text)
        raw = bytes.fromhex(text)
        if len(raw) == _KEY_BYTES:
            return PublicKey(NAME, raw)
    except ValueError:
        pass
    raise UsageError(
        "no public key", where="--pub", fix="Give the text that `tripwire keys` prints, or a file."
    )


def trust_of(given: str, store: KeyStore, records: Iterable[Entry]) -> tuple[Trust, str]:
    """Whose signatures count, and where that comes from if nobody gave a key.

    Without a key it is that of this installation, else the one that the log itself names, which
    proves less. Raises UsageError.
    """
    listed = list(records)
    rotations = [entry.data for entry in listed if entry.type == "key_rotated"]
    if given:
        return Trust(tuple(trusted([public_key(given)], rotations, verify)), verify), ""
    try:
        own = SigningKey(store).public()
    except StateUnusable:
        own = None
    if own is not None:
        known = trusted([own], [*rotations, *SigningKey(store).rotations()], verify)
        claimed = _claimed(listed)
        if not claimed or any(key in known for key in claimed):
            return Trust(tuple(known), verify), ""
    claimed = _claimed(listed)
    keys = trusted(claimed, rotations, verify)
    return Trust(tuple(keys), verify), "the public key is the log's own; give --pub" if keys else ""


def _claimed(records: Iterable[Entry]) -> list[PublicKey]:
    found = []
    for entry in records:
        if entry.type == "key":
            try:
                found.append(PublicKey.parse(str(entry.data.get("vkey"))))
            except ValueError:
                continue
    return found


def witness(place: Path) -> Witness:
    """The notes of an anchor: a file, or a git repository's file. Raises StateUnusable."""
    path = place / FILE if place.is_dir() else place
    try:
        content = path.read_bytes()
    except OSError as error:
        raise unusable(path, error) from None
    notes, strange = notes_of(content)
    odd = tuple(
        Problem("edited", path.name, line, "the line belongs to no checkpoint")
        for line in strange[:1]
    )
    return Witness(path.name, tuple(notes), odd)
