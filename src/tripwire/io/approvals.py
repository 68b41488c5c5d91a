"""approvals.jsonl: every hold, grant, refusal and use, over all sessions (gateway.md §2, A-4)."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

from tripwire.io.chained import ChainedFile, Check
from tripwire.io.heads import Heads
from tripwire.ledger.approval import Book, check, enter, genuine, record
from tripwire.ledger.chain import Tip

NAME = "approvals.jsonl"


class ApprovalsFile:
    """Appends approval records and folds them; judging reads the session's memory, never this."""

    def __init__(self, root: Path, heads: Heads) -> None:
        self._heads = heads
        self._file = ChainedFile(root / NAME, self._check)
        self._alone = threading.RLock()
        self._book: Book = {}
        self._read = 0
        self._inode = (0, 0)
        self._tip = Tip()

    def append(self, fields: Mapping[str, object]) -> None:
        """Write one record. Raises EvidenceUnavailable."""
        key = self._heads.keys.approvals
        with self._alone:
            self._file.append(lambda tip: record(tip, fields, key))

    def book(self) -> Book:
        """What the file says now, every record verified. Raises JournalTampered.

        Cheap while nothing was appended. A file that was set aside or cut is read from its start.
        """
        with self._alone:
            try:
                there = self._file.path.stat()
            except FileNotFoundError:
                self._forget()
                return self._book
            inode = (there.st_ino, there.st_dev)
            if inode != self._inode or there.st_size < self._read:
                self._forget()
                self._inode = inode
            if there.st_size > self._read:
                self._fold(self._file.lines_from(self._read))
            return self._book

    def close(self) -> None:
        """Let the file go."""
        self._file.close()

    def _forget(self) -> None:
        self._book, self._read, self._tip = {}, 0, Tip()

    def _fold(self, lines: list[bytes]) -> None:
        key = self._heads.keys.approvals
        for line in lines:
            fields, self._tip = check(line, self._tip, key)
            enter(self._book, fields)
            self._read += len(line)

    def _check(self) -> Check:
        key = self._heads.keys.approvals

        def tip_of(line: bytes) -> Tip:
            return genuine(line, key)[1]

        return tip_of
