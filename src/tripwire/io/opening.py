"""Does a session's journal agree with what else is known of it, and what to do if not (STATE-3)."""

from __future__ import annotations

from pathlib import Path

from tripwire.errors import JournalTampered
from tripwire.io.heads import Heads
from tripwire.io.journal import AUDIT, HEAD, RECEIPTS, SECRETS, Journal, News
from tripwire.ledger.chain import Tip

FILES = (AUDIT, RECEIPTS, SECRETS, HEAD, "checkpoints.txt")


def known_tips(journal: Journal, heads: Heads) -> list[tuple[str, Tip, Tip]]:
    """What head.json and heads.jsonl say of the length of audit and receipts.

    Raises JournalTampered if one of them is not genuine.
    """
    known = []
    head = journal.head()
    if head is not None:
        if head.session != journal.directory.name:
            raise JournalTampered("edited: head.json belongs to another session")
        known.append((HEAD, head.audit, head.receipts))
        journal.heads_tip = head.heads
    last = heads.last(journal.directory.name)
    if last is not None:
        known.append(("heads.jsonl", _tip(last.data["audit"]), _tip(last.data["receipts"])))
    return known


def agree(known: list[tuple[str, Tip, Tip]], news: News | None) -> None:
    """Raises JournalTampered if the files are shorter than, or other than, what is known."""
    records = news.records if news is not None else []
    hashes = [record.entry.hash for record in records]
    receipts = [r.entry.data["receipt_sha256"] for r in records if r.receipt is not None]
    for source, audit, receipt in known:
        for file, tip, found in ((AUDIT, audit, hashes), (RECEIPTS, receipt, receipts)):
            if tip.seq > len(found):
                raise JournalTampered(f"truncated: {source} knows {tip.seq} lines of {file}")
            if tip.seq and found[tip.seq - 1] != tip.hash:
                raise JournalTampered(f"fork: {source} knows another line {tip.seq} of {file}")


def put_beside(directory: Path) -> str:
    """Move the files of an unverifiable journal to `<file>.aside-N`; gives N as text."""
    number = 1
    while any((directory / f"{name}.aside-{number}").exists() for name in FILES):
        number += 1
    for name in FILES:
        path = directory / name
        if path.is_symlink() or path.exists():
            path.rename(directory / f"{name}.aside-{number}")
    return str(number)


def _tip(data: dict[str, object]) -> Tip:
    return Tip(int(str(data["seq"])), str(data["hash"]))
