"""heads.jsonl: every session's opening and how far it had come, over all sessions (E-5).

Chained, keyed by the installation key. A session that is listed here and is gone was deleted; one
that is shorter than listed here was cut or rolled back.
"""

from __future__ import annotations

import time
from pathlib import Path

from tripwire.errors import StateUnusable
from tripwire.io.chained import ChainedFile, Check
from tripwire.io.home import iso
from tripwire.io.keys import KeyStore
from tripwire.ledger.chain import Entry, Tip, genuine, link, parse
from tripwire.ledger.keys import InstallationKeys

NAME = "heads.jsonl"


class Heads:
    """The list of sessions of one state directory."""

    def __init__(self, root: Path, store: KeyStore) -> None:
        self._store = store
        self._keys: InstallationKeys | None = None
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

    def note(self, kind: str, session: str, audit: Tip, receipts: Tip) -> Tip:
        """Record how far `session` is: `opened`, `head` or `closed`. Raises EvidenceUnavailable."""
        data = {
            "audit": audit.data(),
            "key": self.keys.fingerprint,
            "receipts": receipts.data(),
            "session": session,
        }
        now = iso(time.time())
        return self._file.append(lambda tip: link(tip, now, kind, data, self.keys.heads))

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
