"""Evidence: what a receipt with its chain entries costs, and how fast a log is verified.

CPU time of this process, best of several runs: other load on the machine does not count. Writing
goes through the real journal with its group commit; verifying reads the files just written.

The cost of one HMAC of 600 bytes is printed beside them: it tells what the machine is.

    python -m bench.ledger
"""

import hmac
import json
import sys
import tempfile
import time
from pathlib import Path

from bench.measure import machine
from tripwire.config.presets import builtin_policy
from tripwire.io.recording import Situation, batch
from tripwire.io.replay import Attempts
from tripwire.io.session import open_session
from tripwire.io.verify import verify_log
from tripwire.ledger import receipt
from tripwire.ledger.entry import Redactor
from tripwire.model.event import SessionOpened, ToolCall, ToolResult
from tripwire.model.verdict import ALLOWED

CALLS = 2000
RUNS = 5
APPEND_US = 100.0
"""Most microseconds of CPU for a receipt and its chain entry, group commit included (issue 5)."""
ENTRIES_PER_SECOND = 50_000
"""Fewest audit entries verified in a second of CPU (gateway.md §8)."""
TEXT = "The invoice 7741 of Nordwind GmbH is due on 2026-12-24; pay 1,250.00 EUR. " * 8


def main() -> int:
    """Print one JSON object; exit 1 if a target is missed."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        session = open_session(
            builtin_policy(), root=root, name="s", client="bench", keys_dir=root / "keys"
        )
        session.decide(SessionOpened("bench", "/w", "/home/u"))
        whole = [_written(session, n) for n in range(RUNS)]
        append = [_chained(session) for _ in range(RUNS)]
        session.close()
        entries = len((session.path / "audit.jsonl").read_bytes().splitlines())
        verify = [_verified(root, entries) for _ in range(RUNS)]
    hmac_us = min(_hmac_us() for _ in range(RUNS))
    report = {
        "bench": "ledger",
        "machine": machine(),
        "calls": CALLS * RUNS,
        "entries": entries,
        "hmac_600_bytes_us": round(hmac_us, 2),
        "receipt_and_chain_us": round(min(append), 1),
        "receipt_and_chain_target_us": APPEND_US,
        "whole_evidence_of_a_call_us": round(min(whole), 1),
        "verify_entries_per_s": round(max(verify)),
        "verify_target_per_s": ENTRIES_PER_SECOND,
    }
    report["ok"] = min(append) <= APPEND_US
    report["ok"] &= max(verify) >= ENTRIES_PER_SECOND
    print(json.dumps(report, indent=2))
    return 0 if report["ok"] else 1


def _written(session, run: int) -> float:
    """Microseconds of CPU for the evidence of one call: attempt, receipt, outcome, checkpoints."""
    journal, progress = session.journal, session._progress  # the parts of a session, without rules
    attempts, memory = Attempts(), session.memory
    redactor = Redactor(journal.keys, receipt.secret_spans)
    situation = Situation(redactor, "bench", "holder", "digest")
    events = []
    for number in range(CALLS):
        args = {"id": f"inv-{run}-{number}"}
        result = {"content": [{"type": "text", "text": TEXT}]}
        call = ToolCall(f"c{run}-{number}", "docs", "read_document", args)
        events.append((call, ToolResult(call.call_id, "docs", "read_document", args, result)))
    start = time.process_time()
    for call, result in events:
        with journal.locked():
            made = batch(call, (ALLOWED, ALLOWED), journal, attempts, situation)
            journal.append(made.lines, made.receipt, made.sealed)
            attempts.begin(call, made.seq, "holder", 0.0)
        with journal.locked():
            made = batch(result, (ALLOWED, ALLOWED), journal, attempts, situation)
            journal.append(made.lines, made.receipt, made.sealed)
            attempts.end(made.seq - 1)
            if progress.owing(memory):
                progress.note(memory)
    return (time.process_time() - start) / CALLS * 1e6


def _chained(session) -> float:
    """Microseconds of CPU for one receipt, its chain entry and their share of commit and tree."""
    journal, progress, memory = session.journal, session._progress, session.memory
    args, result = {"id": "inv-7741"}, {"content": [{"type": "text", "text": TEXT}]}
    event = ToolResult("c", "docs", "read_document", args, result)
    ts = "2026-12-01T10:00:00.000Z"
    start = time.process_time()
    for _ in range(CALLS):
        with journal.locked():
            made = receipt.build(
                event,
                session=session.name,
                seq=journal.next_receipt,
                ts=ts,
                keys=journal.keys,
                spans=receipt.nothing,
            )
            data = {"receipt_seq": made.seq, "receipt_sha256": made.line_hash, "decision": "pass"}
            journal.append([("tool_call", data)], made)
            if progress.owing(memory):
                progress.note(memory)
    return (time.process_time() - start) / CALLS * 1e6


def _hmac_us() -> float:
    """The same for one HMAC alone: what this machine is."""
    text, key = b"x" * 600, b"k" * 32
    start = time.process_time()
    for _ in range(20_000):
        hmac.digest(key, text, "sha256")
    return (time.process_time() - start) / 20_000 * 1e6


def _verified(root: Path, entries: int) -> float:
    """Audit entries verified in a second of CPU, receipts and links included."""
    start = time.process_time()
    report = verify_log(root, keys_dir=root / "keys")
    spent = time.process_time() - start
    if not report.ok:
        raise SystemExit(report.text())
    return entries / spent


if __name__ == "__main__":
    sys.exit(main())
