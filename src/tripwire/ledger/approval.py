"""Approval records: who allowed which exact call (gateway.md §2). Hashes, never values."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
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
