"""approvals.jsonl: every grant, refusal and use, over all sessions (gateway.md §2, A-4)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tripwire.io.chained import ChainedFile, Check
from tripwire.io.heads import Heads
from tripwire.ledger.approval import genuine, record
from tripwire.ledger.chain import Tip

NAME = "approvals.jsonl"


class ApprovalsFile:
    """Appends approval records; judging reads the session's memory, never this file."""

    def __init__(self, root: Path, heads: Heads) -> None:
        self._heads = heads
        self._file = ChainedFile(root / NAME, self._check)

    def append(self, fields: Mapping[str, object]) -> None:
        """Write one record. Raises EvidenceUnavailable."""
        key = self._heads.keys.approvals
        self._file.append(lambda tip: record(tip, fields, key))

    def close(self) -> None:
        """Let the file go."""
        self._file.close()

    def _check(self) -> Check:
        key = self._heads.keys.approvals

        def tip_of(line: bytes) -> Tip:
            return genuine(line, key)[1]

        return tip_of
