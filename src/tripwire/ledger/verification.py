"""Was the evidence changed? The findings of gateway.md E-7, as a pure function over bytes.

Reads no files: see io/verify.py. Without the session key only the order of the entries can be
checked, and what was not checked is named (E-8).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from tripwire.errors import JournalTampered
from tripwire.ledger import chain, receipt
from tripwire.ledger.chain import BEGINNING, Entry, Tip
from tripwire.ledger.head import Head, read_head
from tripwire.ledger.keys import SessionKeys, sha256

AUDIT, RECEIPTS, SECRETS, HEAD, HEADS = (
    "audit.jsonl",
    "receipts.jsonl",
    "secrets.enc",
    "head.json",
    "heads.jsonl",
)
APPROVALS = "approvals.jsonl"
_OUTCOMES = frozenset({"tool_call", "tool_call_failed", "tool_call_unknown_outcome"})


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding; `line` is 0 for a whole file."""

    kind: str
    file: str
    line: int
    detail: str

    def data(self) -> dict[str, object]:
        """For `verify-log --json`."""
        return {"kind": self.kind, "file": self.file, "line": self.line, "detail": self.detail}

    @property
    def at(self) -> str:
        """file:line."""
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Evidence:
    """The files of one session; None is a file that is not there."""

    session: str
    audit: bytes | None
    receipts: bytes | None
    secrets: bytes | None
    head: bytes | None
    checkpoints: bytes | None = None


@dataclass(slots=True)
class Outcome:
    """What was found in one session."""

    session: str
    entries: list[Entry | None] = field(default_factory=list)
    """By line; None for a line that is no genuine entry."""
    receipts: list[str] = field(default_factory=list)
    """SHA-256 of each line."""
    problems: list[Problem] = field(default_factory=list)
    not_checked: list[str] = field(default_factory=list)
    open_attempts: int = 0
    heads: Tip = BEGINNING
    """The last record of heads.jsonl that head.json knows."""

    def problem(self, kind: str, file: str, line: int, detail: str) -> None:
        """Add a finding."""
        self.problems.append(Problem(kind, file, line, detail))


def check_session(evidence: Evidence, keys: SessionKeys | None) -> Outcome:
    """Everything that one session's files and key can prove."""
    found = Outcome(evidence.session)
    _check_audit(evidence, keys, found)
    _check_receipts(evidence, keys, found)
    _check_links(evidence, found)
    _check_head(evidence, keys, found)
    if keys is None:
        found.not_checked += [f"hashes of {AUDIT}", f"HMACs of {RECEIPTS}", f"MAC of {HEAD}"]
    return found


def _lines(content: bytes | None, file: str, found: Outcome) -> list[bytes]:
    """Whole lines with their newline; an unfinished last line is named."""
    if content is None:
        return []
    lines = content.split(b"\n")
    if lines.pop():
        found.not_checked.append(f"{file}:{len(lines) + 1} is unfinished; resuming sets it aside")
    return [line + b"\n" for line in lines]


# ── audit.jsonl ──────────────────────────────────────────────────────────────────────────────


def _check_audit(evidence: Evidence, keys: SessionKeys | None, found: Outcome) -> None:
    if evidence.audit is None:
        found.problem("missing", AUDIT, 0, "the file is gone")
        return
    entries, problems = check_chain(
        _lines(evidence.audit, AUDIT, found), AUDIT, keys.audit if keys else None
    )
    found.entries = entries
    found.problems += problems
    for line, entry in enumerate(entries, start=1):
        if entry is not None and entry.type == "state_reset" and "aside" in entry.data["file"]:
            detail = (
                f"an earlier journal was set aside as {entry.data['file']}: {entry.data['why']}"
            )
            found.problem("reset", AUDIT, line, detail)
        named = entry.data.get("session") if entry is not None else None
        if named is not None and named != evidence.session:
            found.problem("edited", AUDIT, line, "the entry belongs to another session")


def check_chain(
    lines: list[bytes], file: str, key: bytes | None
) -> tuple[list[Entry | None], list[Problem]]:
    """The entries of a chained file, None where a line is not genuine, and the findings."""
    entries: list[Entry | None] = []
    problems: list[Problem] = []
    due: dict[int, int] = {}
    tip: Tip | None = Tip()
    if key is not None:
        good, tip = chain.run(lines, key)
        entries += good
    for number, line in enumerate(lines[len(entries) :], start=len(entries) + 1):
        due[number] = tip.seq + 1 if tip is not None else 0
        try:
            entry, tip = _next(line, tip, key)
            entries.append(entry)
        except JournalTampered as error:
            kind, _, detail = error.what.partition(": ")
            problems.append(Problem(kind, file, number, detail))
            moved, tip = _resume(line, key)
            entries.append(moved)
    there = {entry.seq for entry in entries if entry is not None}
    moved_only = [
        replace(p, kind="reordered") if p.kind == "gap" and due[p.line] in there else p
        for p in problems
    ]
    return entries, _rewritten(moved_only, file, len(lines))


def _next(line: bytes, tip: Tip | None, key: bytes | None) -> tuple[Entry, Tip]:
    if tip is None:  # the line before is unreadable: take this one's word for where it stands
        tip = chain.claimed(line)
    return chain.check(line, tip, key) if key is not None else chain.follow(line, tip)


def _resume(line: bytes, key: bytes | None) -> tuple[Entry | None, Tip | None]:
    """Where checking goes on after a bad line, and the entry if the line is merely misplaced."""
    try:
        entry, tip = _next(line, chain.claimed(line), key)
    except JournalTampered:
        return None, None
    return entry, tip


def _rewritten(problems: list[Problem], file: str, lines: int) -> list[Problem]:
    """Lines that are bad up to the end were written without the key, not edited one by one."""
    bad = {p.line for p in problems if p.kind == "edited"}
    start = lines + 1
    while start - 1 in bad:
        start -= 1
    if lines - start < 1:
        return problems
    whole = Problem("bad_mac", file, start, "from here on the chain was written without the key")
    return [p for p in problems if p.line < start] + [whole]


# ── receipts.jsonl ───────────────────────────────────────────────────────────────────────────


def _check_receipts(evidence: Evidence, keys: SessionKeys | None, found: Outcome) -> None:
    if evidence.receipts is None:
        if evidence.audit:
            found.problem("missing", RECEIPTS, 0, "the file is gone")
        return
    named = _named_receipts(found)
    for number, line in enumerate(_lines(evidence.receipts, RECEIPTS, found), start=1):
        digest = sha256(line[:-1])
        found.receipts.append(digest)
        fault = _receipt_fault(line, number, evidence.session, keys)
        entry = named.pop(digest, None)
        if fault is not None:
            found.problem(*fault)
        elif entry is None and number in {e.data["receipt_seq"] for e in named.values()}:
            found.problem("edited", RECEIPTS, number, "it is not the receipt that the audit names")
        elif entry is None:
            found.not_checked.append(f"{RECEIPTS}:{number} has no entry in the audit (yet)")
        elif entry.data["receipt_seq"] != number:
            due = entry.data["receipt_seq"]
            found.problem("reordered", RECEIPTS, number, f"number {due} where {number} is due")


def _named_receipts(found: Outcome) -> dict[str, Entry]:
    return {
        str(e.data.get("receipt_sha256")): e
        for e in found.entries
        if e is not None and "receipt_seq" in e.data
    }


def _receipt_fault(
    line: bytes, number: int, session: str, keys: SessionKeys | None
) -> tuple[str, str, int, str] | None:
    try:
        fields = orjson.loads(line)
        genuine = keys is None or receipt.genuine(fields, keys)
        seq = int(fields["seq"])
        named = fields["session"]
    except (ValueError, TypeError, KeyError, AttributeError):
        return "edited", RECEIPTS, number, "the line is no receipt"
    if not genuine:
        return "edited", RECEIPTS, number, "the HMAC does not fit the line"
    if named != session:
        return "edited", RECEIPTS, number, "the receipt belongs to another session"
    if seq > number:
        return "gap", RECEIPTS, number, f"number {seq} where {number} is due"
    if seq < number:
        return "reordered", RECEIPTS, number, f"number {seq} where {number} is due"
    return None


# ── what ties the files together ─────────────────────────────────────────────────────────────


def _check_links(evidence: Evidence, found: Outcome) -> None:
    sealed = {sha256(line) for line in (evidence.secrets or b"").split(b"\n") if line}
    known = set(found.receipts)
    attempts = {e.seq: 0 for e in found.entries if e is not None and e.type == "tool_call_attempt"}
    for line, entry in enumerate(found.entries, start=1):
        if entry is None:
            continue
        data = entry.data
        if "receipt_seq" in data and data.get("receipt_sha256") not in known:
            _lost_receipt(data, line, found)
        if "sealed" in data and data["sealed"]["sha256"] not in sealed:
            detail = f"the record that {AUDIT}:{line} names is gone or changed"
            found.problem("truncated", SECRETS, 0, detail)
        if entry.type in _OUTCOMES:
            _count_outcome(entry, line, attempts, found)
    found.open_attempts = sum(1 for outcomes in attempts.values() if outcomes == 0)


def _lost_receipt(data: Mapping[str, Any], line: int, found: Outcome) -> None:
    number = data["receipt_seq"]
    if number > len(found.receipts):
        detail = f"{AUDIT}:{line} names receipt {number}"
        found.problem("truncated", RECEIPTS, number, detail)
    elif not any(p.file == RECEIPTS and p.line == number for p in found.problems):
        found.problem(
            "edited", RECEIPTS, number, f"it is not the receipt that {AUDIT}:{line} names"
        )


def _count_outcome(entry: Entry, line: int, attempts: dict[int, int], found: Outcome) -> None:
    attempt = entry.data.get("attempt_seq", 0)
    if not attempt:
        return
    if attempt not in attempts:
        if attempt <= len(found.entries) and found.entries[attempt - 1] is None:
            return  # the attempt's own line is already a finding
        found.problem("edited", AUDIT, line, f"an outcome of {attempt}, which is no attempt")
        return
    weight = 1 if entry.type == "tool_call_unknown_outcome" else 2
    if attempts[attempt] >= weight:
        found.problem("edited", AUDIT, line, f"a second outcome of attempt {attempt}")
    attempts[attempt] += weight


def _check_head(evidence: Evidence, keys: SessionKeys | None, found: Outcome) -> None:
    if evidence.head is None:
        if evidence.audit:
            found.problem("missing", HEAD, 0, "the file is gone")
        return
    if keys is None:
        return
    try:
        head = read_head(evidence.head, keys.head)
    except JournalTampered as error:
        found.problem("edited", HEAD, 1, error.what.partition(": ")[2])
        return
    if head.session != evidence.session:
        found.problem("edited", HEAD, 1, "it belongs to another session")
        return
    found.heads = head.heads
    check_tips(HEAD, head, found)


def _reached(found: Outcome) -> tuple[list[str | None], list[str | None], int]:
    """The hashes of both files by line, and the largest number in the audit."""
    hashes = [entry.hash if entry is not None else None for entry in found.entries]
    last = max((entry.seq for entry in found.entries if entry is not None), default=0)
    return hashes, [*found.receipts], last


def check_tips(
    source: str,
    head: Head,
    found: Outcome,
    reached: tuple[list[str | None], list[str | None], int] | None = None,
) -> None:
    """The files must reach what a head record says, with the same hashes."""
    hashes, lines, last = reached or _reached(found)
    for file, tip, have, end in (
        (AUDIT, head.audit, hashes, last),
        (RECEIPTS, head.receipts, lines, len(lines)),
    ):
        spoilt = any(p.file == file for p in found.problems)
        if tip.seq > max(len(have), end):
            detail = f"{source} knows {tip.seq} lines, the file has {len(have)}"
            found.problem("truncated", file, len(have) + 1, detail)
        elif tip.seq and not spoilt and have[tip.seq - 1] != tip.hash:
            found.problem("fork", file, tip.seq, f"{source} knows another line")


def check_heads(records: list[Entry], lines: int, found: Outcome) -> None:
    """heads.jsonl must reach what head.json knows of it, and the files what heads.jsonl knows."""
    tip = found.heads
    known = next((r for r in records if r.seq == tip.seq), None)
    if tip.seq > lines:
        detail = f"{HEAD} of {found.session} knows {tip.seq} lines, the file has {lines}"
        found.problem("truncated", HEADS, lines + 1, detail)
    elif known is not None and known.hash != tip.hash:
        found.problem("fork", HEADS, tip.seq, f"{HEAD} of {found.session} knows another line")
    mine: list[Entry] = []
    for record in records:
        if record.data.get("session") == found.session:
            mine = [record] if record.type == "reset" else [*mine, record]
    reached = _reached(found)
    for record in mine:
        audit, receipts = (
            Tip(int(record.data[key]["seq"]), str(record.data[key]["hash"]))
            for key in ("audit", "receipts")
        )
        check_tips(f"{HEADS}:{record.seq}", Head(found.session, audit, receipts), found, reached)


def check_answers(sessions: Iterable[Outcome], content: bytes) -> list[Problem]:
    """Every approval that an audit names must stand in approvals.jsonl: it was written first."""
    there = {_id_of(line) for line in content.split(b"\n")}
    found = []
    for session in sessions:
        for line, entry in enumerate(session.entries, start=1):
            if entry is None or entry.type not in ("approval_granted", "approval_used"):
                continue
            named = entry.data.get("approvals") or [entry.data.get("approval")]
            gone = [name for name in named if name not in there]
            if gone:
                kind = "truncated" if content else "missing"
                detail = f"the record of {gone[0]} is gone ({session.session} {AUDIT}:{line})"
                found.append(Problem(kind, APPROVALS, 0, detail))
    return found


def _id_of(line: bytes) -> object:
    try:
        raw = orjson.loads(line)
    except ValueError:
        return None
    return raw.get("id") if isinstance(raw, dict) else None
