"""Approval records: who allowed which exact call (gateway.md §2). Hashes, never values."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from tripwire.errors import JournalTampered
from tripwire.ledger.chain import START, Tip
from tripwire.text.canonical import canonical_bytes


def record(tip: Tip, fields: Mapping[str, object], key: bytes) -> tuple[bytes, Tip]:
    """The next line of approvals.jsonl (with its newline); its MAC covers the one before."""
    body = {**fields, "prev_mac": tip.hash, "seq": tip.seq + 1}
    mac = hmac.digest(key, canonical_bytes(body), "sha256").hex()
    return canonical_bytes({**body, "mac": mac}) + b"\n", Tip(tip.seq + 1, mac)


def check(line: bytes, tip: Tip, key: bytes) -> tuple[dict[str, Any], Tip]:
    """The fields of `line`, if it is exactly what follows `tip`. Raises JournalTampered."""
    fields, new = genuine(line, key)
    if fields["prev_mac"] != tip.hash or fields["seq"] != tip.seq + 1:
        raise JournalTampered(f"reordered: number {fields['seq']} where {tip.seq + 1} is due")
    return fields, new


def genuine(line: bytes, key: bytes) -> tuple[dict[str, Any], Tip]:
    """The fields of a line that was written with `key`, wherever it stands."""
    try:
        raw = orjson.loads(line)
        body = {k: v for k, v in raw.items() if k not in ("mac", "prev_mac", "seq")}
        expected, new = record(Tip(raw["seq"] - 1, raw.get("prev_mac", START)), body, key)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise JournalTampered("edited: the line is no record") from None
    if expected != line:
        raise JournalTampered("edited: the MAC does not fit the line")
    return raw, new


OUTSIDE = frozenset({"cli", "web"})
"""Channels whose answers come from another process, through the file."""
ENDED = frozenset({"denied", "expired", "revoked"})
STATES = frozenset({"pending", "granted", "used", "refused"}) | ENDED


@dataclass(frozen=True, slots=True)
class Standing:
    """What the file says of one approval as of its last record."""

    state: str
    held: Mapping[str, Any]
    """The record with which it was held: {} if it never was pending."""
    last: Mapping[str, Any]
    grant: Mapping[str, Any] | None = None
    """The grant that answered a pending one from outside; None if none did."""

    @property
    def once(self) -> bool:
        """Whether the grant covers a single call."""
        scope = self.last.get("scope") or self.held.get("scope") or {}
        return bool(scope.get("kind", "once") == "once")

    def open(self, now: str) -> bool:
        """Whether it waits for an answer; `now` as in the records."""
        return self.state == "pending" and str(self.held.get("expires", "")) > now


Book = dict[str, Standing]
"""Approval id → what is known of it."""


def enter(book: Book, fields: Mapping[str, Any]) -> None:
    """Fold one verified record into `book`. A refused attempt changes nothing."""
    name, state = str(fields.get("id", "")), str(fields.get("state", ""))
    before = book.get(name)
    if state not in STATES or state == "refused":
        return
    if state == "pending":
        if before is None:
            book[name] = Standing(state, fields, fields)
        return
    held = before.held if before is not None else {}
    grant = before.grant if before is not None else None
    if state == "granted":
        waited = before is not None and before.state == "pending"
        grant = fields if waited and fields.get("channel") in OUTSIDE else None
        if before is not None and not waited and fields.get("channel") in OUTSIDE:
            return  # an approval is answered once
    last = {**(before.last if before is not None else {}), **fields}
    book[name] = Standing(state, held, last, grant)
