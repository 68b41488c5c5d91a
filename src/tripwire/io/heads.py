"""heads.jsonl: every session's opening and how far it had come, over all sessions (E-5).

Chained, keyed by the installation key. A session that is listed here and is gone was deleted; one
that is shorter than listed here was cut or rolled back.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tripwire.errors import StateUnusable
from tripwire.io.chained import ChainedFile, Check
from tripwire.io.home import iso
from tripwire.io.keys import KeyStore
from tripwire.io.signing import Signer, SigningKey
from tripwire.ledger.chain import Entry, Tip, genuine, link, parse
from tripwire.ledger.checkpoint import PublicKey
from tripwire.ledger.keys import InstallationKeys

NAME = "heads.jsonl"


class Heads:
    """The list of sessions of one state directory."""

    def __init__(self, root: Path, store: KeyStore) -> None:
        self._store = store
        self._keys: InstallationKeys | None = None
        self._signer: Signer | None = None
        self._file = ChainedFile(root / NAME, self._check)

    @property
    def keys(self) -> InstallationKeys:
        """The installation's keys; made at first use."""
        if self._keys is None:
            secret = self._store.installation(create=True)
            if secret is None:
                raise StateUnusable("no installation key can be made")
            self._keys = InstallationKeys.derive(secret)
        return self._keys

    @property
    def signer(self) -> Signer:
        """Signs checkpoints; the public key stands in the file before its first signature."""
        if self._signer is None:
            key = SigningKey(self._store)
            signer = key.signer()
            self._announce(signer.public, key.rotations())
            self._signer = signer
        return self._signer

    def _announce(self, public: PublicKey, rotations: list[dict[str, Any]]) -> None:
        """Write the public key, and how it followed those that stand here. Once per file."""
        content = self._file.content()
        if public.text.encode() in content:
            return
        for each in rotations:
            known = json.dumps(each.get("new", "")).encode()
            if known not in content and str(each.get("old", "")).encode() in content:
                self._write("key_rotated", {"key": self.keys.fingerprint, **each})
                content += known
        self._write("key", {"key": self.keys.fingerprint, "vkey": public.text})

    def _write(self, kind: str, data: Mapping[str, object]) -> Tip:
        now = iso(time.time())
        return self._file.append(lambda tip: link(tip, now, kind, data, self.keys.heads))

    def note(self, kind: str, session: str, audit: Tip, receipts: Tip, note: bytes = b"") -> Tip:
        """Record how far `session` is: `opened`, `head` or `closed`, with the signed checkpoint.

        Raises EvidenceUnavailable.
        """
        data: dict[str, object] = {
            "audit": audit.data(),
            "key": self.keys.fingerprint,
            "receipts": receipts.data(),
            "session": session,
        }
        if note:
            data["checkpoint"] = note.decode()
        return self._write(kind, data)

    def record(self, kind: str, data: Mapping[str, object]) -> None:
        """Record what concerns no session. Raises EvidenceUnavailable."""
        self._write(kind, {"key": self.keys.fingerprint, **data})

    def last(self, session: str) -> Entry | None:
        """The last record of `session`. Raises JournalTampered if it is not genuine."""
        line = self._file.last_line(b'"session":"%s"' % session.encode())
        if line is None:
            return None
        self._file.tip_of(line)
        return parse(line)

    def close(self) -> None:
        """Let the file go."""
        self._file.close()

    def _check(self) -> Check:
        key = self.keys.heads

        def tip_of(line: bytes) -> Tip:
            return genuine(line, key)[1]

        return tip_of
