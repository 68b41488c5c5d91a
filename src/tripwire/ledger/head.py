"""head.json: the last number and hash of a session's files, with a MAC (gateway.md §2).

It lags behind the files by at most one group commit; files that are behind it were cut.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Any

import orjson

from tripwire.errors import JournalTampered
from tripwire.ledger.chain import BEGINNING, Tip
from tripwire.text.canonical import canonical_bytes


@dataclass(frozen=True, slots=True)
class Head:
    """How long each file was; `heads` is the session's last record in heads.jsonl."""

    session: str
    audit: Tip = BEGINNING
    receipts: Tip = BEGINNING
    heads: Tip = BEGINNING


def head_bytes(head: Head, key: bytes) -> bytes:
    """The content of head.json."""
    fields: dict[str, object] = {
        "audit": head.audit.data(),
        "heads": head.heads.data(),
        "receipts": head.receipts.data(),
        "session": head.session,
        "v": 1,
    }
    mac = hmac.digest(key, canonical_bytes(fields), "sha256").hex()
    return canonical_bytes({**fields, "mac": mac}) + b"\n"


def read_head(content: bytes, key: bytes) -> Head:
    """The head in `content`. Raises JournalTampered unless it is one, byte for byte."""
    try:
        raw = orjson.loads(content)
        head = Head(
            str(raw["session"]), _tip(raw["audit"]), _tip(raw["receipts"]), _tip(raw["heads"])
        )
        good = head_bytes(head, key) == content
    except (ValueError, TypeError, KeyError, UnicodeEncodeError):
        raise JournalTampered("edited: head.json is no head record") from None
    if not good:
        raise JournalTampered("edited: head.json does not fit its MAC")
    return head


def _tip(raw: Any) -> Tip:
    return Tip(int(raw["seq"]), str(raw["hash"]))
