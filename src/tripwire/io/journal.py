"""One session's files: appended under a lock, read on from where this process stopped (E-1 to E-4).

Appends are whole or not at all. They reach the disk within 50 ms, or at once with `sync`.
Does not know what an entry means: see ledger/entry.py and io/session.py.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from tripwire.errors import EvidenceUnavailable, JournalTampered, StateUnusable
from tripwire.io.files import AppendFile, FileLock, make_private_dir, read_private, write_atomic
from tripwire.io.home import iso
from tripwire.io.seal import Seal
from tripwire.ledger import chain
from tripwire.ledger.chain import Entry, Tip
from tripwire.ledger.head import Head, head_bytes, read_head
from tripwire.ledger.keys import SessionKeys, sha256
from tripwire.ledger.receipt import Receipt
from tripwire.ledger.tree import Tree

AUDIT, RECEIPTS, SECRETS, HEAD = "audit.jsonl", "receipts.jsonl", "secrets.enc", "head.json"
GROUP_COMMIT = 0.04
"""Seconds after which an unguarded append is on disk at the latest (E-3: 50 ms)."""

Lines = list[tuple[str, Mapping[str, object]]]
"""Types and data of the audit entries of one append."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One entry that was read, with its receipt and its sealed record."""

    entry: Entry
    receipt: Mapping[str, Any] | None = None
    sealed: bytes | None = None


@dataclass(slots=True)
class News:
    """What stands in the files beyond what this process knows."""

    records: list[Recorded] = field(default_factory=list)
    orphans: list[Mapping[str, Any]] = field(default_factory=list)
    """Whole receipts without their audit entry: the writer died between the two."""
    torn: list[tuple[str, bytes]] = field(default_factory=list)
    """(file, bytes of an unfinished last line)."""
    spare_seals: list[bytes] = field(default_factory=list)
    """Sealed records that follow the last one an entry names."""


class _Locked(AbstractContextManager[None]):
    """Holds a lock between threads and one between processes."""

    def __init__(self, threads: threading.RLock, processes: FileLock) -> None:
        self._threads = threads
        self._processes = processes

    def __enter__(self) -> None:
        self._threads.acquire()
        try:
            self._processes.acquire()
        except BaseException:
            self._threads.release()
            raise

    def __exit__(self, *_: object) -> None:
        try:
            self._processes.release()
        finally:
            self._threads.release()


class Journal:
    """The files of one session directory."""

    def __init__(self, directory: Path, keys: SessionKeys) -> None:
        make_private_dir(directory)
        self.directory = directory
        self.keys = keys
        self.seal = Seal(keys.seal, directory.name)
        self._thread_lock = threading.RLock()
        self._lock = FileLock(directory / "lock")
        self._both_locks = _Locked(self._thread_lock, self._lock)
        self._open_files()
        self._unsynced = threading.Event()
        self._closing = threading.Event()
        self._committer: threading.Thread | None = None

    def _open_files(self) -> None:
        opened = [AppendFile(self.directory / name) for name in (AUDIT, RECEIPTS, SECRETS)]
        self.audit, self.receipts, self.secrets = opened
        self.tips = (Tip(), Tip())
        """The tips of audit and receipts."""
        self.tree = Tree()
        """The Merkle tree over the audit entries."""
        self.heads_tip = Tip()
        self._undo_to: tuple[int, int, int] | None = None

    def reopen(self) -> None:
        """Start from the beginning of whatever files are there now. Hold the lock.

        A directory that was deleted is made again. Raises EvidenceUnavailable.
        """
        before = (self.audit, self.receipts, self.secrets)
        try:
            make_private_dir(self.directory)
            self._lock.renew()
            self._open_files()
        except StateUnusable as error:
            raise EvidenceUnavailable(error.what, where=error.where, fix=error.fix) from None
        for file in before:
            file.close()

    def alone(self) -> AbstractContextManager[object]:
        """No other thread of this process decides. Touches no file."""
        return self._thread_lock

    def locked(self) -> AbstractContextManager[None]:
        """Alone with the files: no other thread and no other process appends. Not nested.

        To enter it raises EvidenceUnavailable.
        """
        return self._both_locks

    @property
    def next_seq(self) -> int:
        """The number of the next audit entry."""
        return self.tips[0].seq + 1

    @property
    def next_receipt(self) -> int:
        """The number of the next receipt."""
        return self.tips[1].seq + 1

    # ── reading ─────────────────────────────────────────────────────────────────────────────

    def news(self) -> News | None:
        """What others appended since, verified; None if nothing. Hold the lock.

        Raises JournalTampered if the files are not what this process and its like have written.
        """
        self._finish_undo()
        files = (self.audit, self.receipts, self.secrets)
        lengths = [file.length() for file in files]
        # The sealed file is written first: a writer that died there left only it longer.
        if lengths == [file.size for file in files]:
            return None
        for file, length in zip(files, lengths, strict=True):
            if length < file.size:
                found = "missing" if length < 0 else "truncated"
                raise JournalTampered(f"{found}: {file.path.name} was changed from outside")
        return self._read()

    def _read(self) -> News:
        news = News()
        audit, receipts, sealed = (
            self._whole_lines(file, news) for file in (self.audit, self.receipts, self.secrets)
        )
        seals = iter(sealed)
        audit_tip, receipt_tip = self.tips
        at = 0
        for number, line in enumerate(audit, start=audit_tip.seq + 1):
            entry, audit_tip = _named(AUDIT, number, line, audit_tip, self.keys.audit)
            receipt = None
            if "receipt_seq" in entry.data:
                if at == len(receipts):
                    raise JournalTampered(f"truncated: {RECEIPTS} lacks a receipt of the audit")
                receipt, receipt_tip = _linked(receipts[at], entry, receipt_tip)
                at += 1
            news.records.append(Recorded(entry, receipt, self._sealed(entry, seals)))
        news.orphans = [self._orphan(line) for line in receipts[at:]]
        news.spare_seals = list(seals)
        self.tips = (audit_tip, receipt_tip)
        self.tree.add(line[:-1] for line in audit)
        self.audit.size += sum(map(len, audit))
        self.receipts.size += sum(map(len, receipts[:at]))
        self.secrets.size += sum(map(len, sealed))
        return news

    def _sealed(self, entry: Entry, lines: Iterator[bytes]) -> bytes | None:
        """The sealed record of an entry; records without an entry are passed over."""
        wanted = entry.data.get("sealed")
        if not wanted:
            return None
        for line in lines:
            if sha256(line[:-1]) == wanted["sha256"]:
                return self.seal.open(line)[1]
        raise JournalTampered(f"truncated: {SECRETS} lacks a record of the audit")

    def _orphan(self, line: bytes) -> Mapping[str, Any]:
        try:
            found: Mapping[str, Any] = orjson.loads(line)
        except ValueError:
            raise JournalTampered(f"edited: {RECEIPTS} holds a line that is no receipt") from None
        return found

    @staticmethod
    def _whole_lines(file: AppendFile, news: News) -> list[bytes]:
        lines = file.tail().split(b"\n")
        rest = lines.pop()
        if rest:
            news.torn.append((file.path.name, rest))
        return [line + b"\n" for line in lines]

    def head(self) -> Head | None:
        """What head.json says, None if there is none. Raises JournalTampered."""
        try:
            content = read_private(self.directory / HEAD)
        except FileNotFoundError:
            return None
        except OSError:
            raise JournalTampered(f"missing: {HEAD} cannot be read") from None
        return read_head(content, self.keys.head)

    # ── writing ─────────────────────────────────────────────────────────────────────────────

    def append(
        self, lines: Lines, receipt: Receipt | None = None, sealed: bytes | None = None
    ) -> None:
        """Write a sealed record, a receipt and their entries, all or none. Hold the lock.

        Raises EvidenceUnavailable; then nothing was written.
        """
        self._finish_undo()
        audit_tip, receipt_tip = self.tips
        now, made = iso(time.time()), []
        for kind, data in lines:
            line, audit_tip = chain.link(audit_tip, now, kind, data, self.keys.audit)
            made.append(line)
        before = (self.secrets.size, self.receipts.size, self.audit.size)
        try:
            if sealed is not None:
                self.secrets.append(sealed)
            if receipt is not None:
                self.receipts.append(receipt.line)
                receipt_tip = Tip(receipt.seq, receipt.line_hash)
            self.audit.append(b"".join(made))
        except OSError as error:
            self._undo_to = before
            with suppress(EvidenceUnavailable):
                self._finish_undo()
            raise self._unavailable(error) from None
        self.tips = (audit_tip, receipt_tip)
        self.tree.add(line[:-1] for line in made)
        self._commit_soon()

    def set_aside(self, file: str, content: bytes) -> None:
        """Move an unfinished last line to `<file>.torn`. Raises EvidenceUnavailable."""
        owner = {AUDIT: self.audit, RECEIPTS: self.receipts, SECRETS: self.secrets}[file]
        torn = AppendFile(self.directory / f"{file}.torn")
        try:
            torn.append(content + b"\n")
            torn.sync()
            owner.cut(owner.size)
        except OSError as error:
            raise self._unavailable(error) from None
        finally:
            torn.close()

    def drop_orphans(self) -> None:
        """Cut receipts that are written again with their entries. Raises EvidenceUnavailable."""
        try:
            self.receipts.cut(self.receipts.size)
        except OSError as error:
            raise self._unavailable(error) from None

    def sync(self) -> None:
        """Wait until all is on disk, then say so in head.json. Raises EvidenceUnavailable."""
        with self._thread_lock:
            tips = self.tips
            try:
                for file in (self.secrets, self.receipts, self.audit):
                    file.sync()
                self._write_head(tips)
            except OSError as error:
                raise self._unavailable(error) from None

    def close(self) -> None:
        """Commit and let the files go."""
        self._closing.set()
        self._unsynced.set()
        if self._committer is not None:
            self._committer.join(timeout=5)
        try:
            with self.locked():
                self.sync()
        finally:
            for file in (self.secrets, self.receipts, self.audit, self._lock):
                file.close()

    def _write_head(self, tips: tuple[Tip, Tip]) -> None:
        head = Head(self.directory.name, tips[0], tips[1], self.heads_tip)
        write_atomic(self.directory / HEAD, head_bytes(head, self.keys.head))

    def _commit_soon(self) -> None:
        if not self._unsynced.is_set():  # else the committer has still to begin
            self._unsynced.set()
        if self._committer is None:
            self._committer = threading.Thread(
                target=self._commit_groups, name="tripwire-commit", daemon=True
            )
            self._committer.start()

    def _commit_groups(self) -> None:
        while not self._closing.is_set():
            self._unsynced.wait()
            self._unsynced.clear()
            if self._closing.wait(GROUP_COMMIT):
                return  # who closes commits
            with suppress(OSError):  # a full disk shows at the next append, which then refuses
                for file in (self.secrets, self.receipts, self.audit):
                    file.sync()
            with suppress(OSError, EvidenceUnavailable), self.locked():
                self._head_forward()

    def _head_forward(self) -> None:
        """Write head.json unless another process knows more than this one."""
        if (self.audit.length(), self.receipts.length()) == (self.audit.size, self.receipts.size):
            self._write_head(self.tips)

    def _finish_undo(self) -> None:
        if self._undo_to is None:
            return
        try:
            for file, size in zip(
                (self.secrets, self.receipts, self.audit), self._undo_to, strict=True
            ):
                file.cut(size)
        except OSError as error:
            raise self._unavailable(error) from None
        self._undo_to = None

    def _unavailable(self, error: OSError) -> EvidenceUnavailable:
        return EvidenceUnavailable(
            f"the journal cannot be written ({error.strerror or type(error).__name__})",
            where=str(self.directory),
            fix="Make room on the disk or make the directory writable; nothing passes until then.",
        )


def _named(file: str, number: int, line: bytes, tip: Tip, key: bytes) -> tuple[Entry, Tip]:
    try:
        return chain.check(line, tip, key)
    except JournalTampered as error:
        raise JournalTampered(error.what, where=f"{file}:{number}") from None


def _linked(line: bytes, entry: Entry, tip: Tip) -> tuple[Mapping[str, Any], Tip]:
    """The receipt of an entry, if it is byte for byte the one that the entry names."""
    number = tip.seq + 1
    digest = sha256(line[:-1])
    if entry.data["receipt_seq"] != number or entry.data.get("receipt_sha256") != digest:
        raise JournalTampered(
            "edited: the receipt is not the one in the audit", where=f"{RECEIPTS}:{number}"
        )
    return orjson.loads(line), Tip(number, digest)
