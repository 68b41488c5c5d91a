"""What one decision writes: its receipt, its sealed record and its audit entries, as one batch."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from tripwire.errors import JournalTampered
from tripwire.io.home import iso
from tripwire.io.journal import Journal, Lines
from tripwire.io.replay import Attempts
from tripwire.ledger import codec, receipt
from tripwire.ledger.entry import Links, Redactor, approval_used, entry
from tripwire.ledger.fired import fired
from tripwire.ledger.pack import pack
from tripwire.ledger.receipt import Receipt
from tripwire.ledger.redaction import spans_for
from tripwire.model.event import (
    Approved,
    Event,
    IntentDeclared,
    OutcomeUnknown,
    ToolCall,
    ToolResult,
    UserSaid,
)
from tripwire.model.label import Label
from tripwire.model.verdict import Verdict
from tripwire.text.secrets import SecretSpan

_CLOCK = time.monotonic


@dataclass(frozen=True, slots=True)
class Batch:
    """Everything that one append writes. `seq` is the number of the decision's own entry."""

    seq: int
    decision_id: str
    lines: Lines
    receipt: Receipt | None = None
    sealed: bytes | None = None


@dataclass(frozen=True, slots=True)
class Situation:
    """What a record says besides event and verdicts."""

    redactor: Redactor
    door: str
    holder: str
    policy: str
    labels: frozenset[Label] = frozenset()
    """Labels held now that the journal does not know yet."""
    used: tuple[Approved, ...] = ()
    """Approvals without which the call would not have passed."""
    approval: str = ""
    """The id under which the call is held."""
    secret_source: bool = False
    """The result comes from a place that holds credentials."""
    redact: tuple[tuple[str, str], ...] = ()
    """Which values of which results receipts must not hold (gateway.md §2 `redact`)."""
    known: Callable[[str], Iterable[SecretSpan]] | None = None
    """Where the values of known secrets stand in a text; None if there are none."""


def batch(
    event: Event,
    verdicts: tuple[Verdict, Verdict],
    journal: Journal,
    attempts: Attempts,
    situation: Situation,
) -> Batch:
    """The records of `event`; `verdicts`: what was judged, what holds in this mode.

    Raises EvidenceUnavailable for an event that no record can hold.
    """
    judged, verdict = verdicts
    red = situation.redactor
    lines: Lines = []
    seq = journal.next_seq + (1 if situation.used else 0)
    decision_id = journal.keys.decision_id(seq)
    if situation.used:
        lines.append(("approval_used", approval_used(situation.used, decision_id, red)))
    made, sealed_content = _evidence(event, verdict, journal, situation)
    sealed_line, digest = None, ""
    if sealed_content is not None:
        sealed_line, digest = journal.seal.close(seq, sealed_content)
    attempt_seq, latency = _attempt(event, attempts)
    links = Links(
        decision_id=decision_id,
        door=situation.door,
        holder=situation.holder,
        first=journal.next_seq == 1,
        attempt=attempt_seq,
        receipt=made,
        args_hash=pack(event.args).digest if isinstance(event, ToolCall) else "",
        sealed=(seq, digest) if digest else None,
        latency_us=latency,
        labels=situation.labels,
        policy=situation.policy,
        session=journal.directory.name,
        approval=situation.approval,
    )
    lines += [entry(event, judged, verdict, links, red), *fired(verdict, links, red)]
    return Batch(seq, decision_id, lines, made, sealed_line)


def _evidence(
    event: Event, verdict: Verdict, journal: Journal, situation: Situation
) -> tuple[Receipt | None, bytes | None]:
    """The receipt of what was really sent and got, and what only `secrets.enc` may hold."""
    if not isinstance(event, UserSaid | IntentDeclared | ToolResult):
        return None, codec.sealed_event(event, verdict)
    call = receipt.call_of(event)
    around, spans = _spans(event, call, situation)
    made = receipt.build(
        event,
        session=journal.directory.name,
        seq=journal.next_receipt,
        ts=iso(time.time()),
        keys=journal.keys,
        spans=spans,
        around=around,
        call=call,
        redacted=_redacted(event, situation),
    )
    return made, orjson.dumps(made.secrets) if made.secrets else None


def _redacted(event: Event, situation: Situation) -> receipt.Spans | None:
    if not situation.redact or not isinstance(event, ToolResult):
        return None
    return spans_for(event, situation.redact)


def _spans(
    event: receipt.Receipted, call: Mapping[str, object], situation: Situation
) -> tuple[receipt.Spans, receipt.Spans]:
    """What to cover around a result, and in it."""
    if not situation.secret_source and receipt.holds_nothing(event, situation.known, call):
        return receipt.nothing, receipt.nothing
    around: receipt.Spans = receipt.secret_spans
    spans: receipt.Spans = receipt.source_spans if situation.secret_source else around
    if situation.known is not None:
        around, spans = (receipt.with_known(each, situation.known) for each in (around, spans))
    return around, spans


def _attempt(event: Event, attempts: Attempts) -> tuple[int, int]:
    """Number of the attempt this event ends, and the microseconds since."""
    if not isinstance(event, ToolResult | OutcomeUnknown):
        return 0, 0
    found = attempts.find(event)
    if found is None:
        return 0, 0
    return found.seq, round((_CLOCK() - found.at) * 1e6) if found.at else 0


def adopted(fields: Mapping[str, Any], seals: list[bytes], journal: Journal) -> Event:
    """The event of a receipt whose writer died before its entry. Raises JournalTampered."""
    if receipt.mac_of(fields, journal.keys) != fields.get("hmac"):
        raise JournalTampered("edited: a receipt without entry does not fit its HMAC")
    pairs: list[tuple[str, str]] = []
    if fields.get("secrets"):
        pairs = next((p for line in seals if (p := _pairs(line, fields, journal))), [])
        if not pairs:
            raise JournalTampered("truncated: the secrets of the last receipt are gone")
    try:
        return receipt.event_of(fields, pairs)
    except (KeyError, TypeError, ValueError):
        raise JournalTampered("edited: a receipt holds no event") from None


def _pairs(line: bytes, fields: Mapping[str, Any], journal: Journal) -> list[tuple[str, str]]:
    """The secrets in a sealed record, if it belongs to the receipt with these fields."""
    content = orjson.loads(journal.seal.open(line)[1])
    if not isinstance(content, list) or len(content) != fields["secrets"]:
        return []
    written = json.dumps(fields, ensure_ascii=False)
    pairs = [(str(token), str(secret)) for token, secret in content]
    return pairs if all(token in written for token, _ in pairs) else []
