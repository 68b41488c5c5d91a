"""Receipts: secrets are committed to, never written; everything else stands as it was."""

import hashlib
import hmac
import json

import pytest

from tripwire.errors import EvidenceUnavailable
from tripwire.ledger.keys import SessionKeys
from tripwire.ledger.receipt import build, event_of, mac_of, recordable, secret_spans, source_spans
from tripwire.model.event import IntentDeclared, ToolCall, ToolResult, UserSaid

KEYS = SessionKeys.derive(b"k" * 32)
SECRET = "ghp_" + "Zk3x9QwErTyU7iOpAsDfGhJkLzXcVbNm1234"


def made(event, spans=secret_spans, seq=1):
    return build(event, session="s", seq=seq, ts="2026-11-30T10:00:00.000Z", keys=KEYS, spans=spans)


def test_format():
    """gateway.md §2: the HMAC covers the canonical form of all other fields."""
    receipt = made(ToolResult("c", "docs", "read", {"id": "inv-1"}, {"total": 12.5}))
    fields = json.loads(receipt.line)
    mac = fields.pop("hmac")
    canonical = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert mac == hmac.digest(b"k" * 32, canonical.encode(), "sha256").hex() == mac_of(fields, KEYS)
    assert fields["args_hash"] == hashlib.sha256(b'{"id":"inv-1"}').hexdigest()
    assert fields["result_hash"] == hashlib.sha256(b'{"total":12.5}').hexdigest()
    assert (fields["v"], fields["seq"], fields["session"]) == (1, 1, "s")
    assert (fields["tool"], fields["upstream"]) == ("docs__read", "docs")


@pytest.mark.parametrize(
    "event",
    [
        ToolResult("c", "s", "t", {"text": f"a {SECRET} b {SECRET}"}, f"{SECRET}\n"),
        ToolResult("c", "s", "t", {SECRET: {"deep": [SECRET]}}, {"content": [{"text": SECRET}]}),
        ToolResult(SECRET, "s", "t", {}, None, links={f"/{SECRET}": "/x"}),
        ToolResult("c", "s", "t", {"api_key": "hunter2hunter2x"}, {"password": 8412097733120045}),
        UserSaid(f"use {SECRET}"),
        IntentDeclared(f"use {SECRET}", SECRET),
    ],
    ids=["args and result", "keys", "call", "named", "user", "intent"],
)
def test_secrets_are_committed_to_and_come_back(event):
    receipt = made(event, source_spans)
    assert receipt.secrets
    for _, secret in receipt.secrets:
        assert secret.encode() not in receipt.line
    assert SECRET.encode() not in receipt.line
    fields = json.loads(receipt.line)
    assert fields["secrets"] == len(receipt.secrets)
    assert event_of(fields, receipt.secrets) == event
    assert event_of(fields) != event


def test_equal_secrets_have_unequal_commitments():
    receipt = made(ToolResult("c", "s", "t", {"a": SECRET}, [SECRET, SECRET]))
    tokens = [token for token, _ in receipt.secrets]
    assert len(set(tokens)) == 3
    assert not set(tokens) & {t for t, _ in made(UserSaid(SECRET), seq=2).secrets}


def test_what_json_canonical_cannot_say_is_kept_as_text():
    event = ToolResult("c", "s", "t", {"n": 2**64}, {"s": "\ud800"})
    fields = json.loads(made(event).line)
    assert "args" not in fields
    assert fields["args_raw"] == '{"n":18446744073709551616}'
    assert fields["args_hash"] == hashlib.sha256(fields["args_raw"].encode()).hexdigest()
    assert event_of(fields) == event


def test_an_omitted_result_names_reason_size_and_hash():
    digest = "a" * 64
    event = ToolResult(
        "c", "s", "t", {}, None, omitted="size", omitted_bytes=99, omitted_sha256=digest
    )
    fields = json.loads(made(event).line)
    assert fields["result"] is None
    assert fields["result_omitted"] == {"reason": "size", "bytes": 99, "sha256_raw": digest}
    assert fields["result_hash"] == digest
    assert event_of(fields) == event


def test_depth():
    deep = []
    for _ in range(3000):
        deep = [deep]
    assert recordable(ToolResult("c", "s", "t", {}, deep)).omitted == "depth"
    assert recordable(ToolResult("c", "s", "t", {}, {"n": 2**70})).omitted == ""
    for event in (ToolCall("c", "s", "t", {"a": deep}), ToolResult("c", "s", "t", {"a": deep}, 1)):
        with pytest.raises(EvidenceUnavailable, match="nested deeper"):
            recordable(event)


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", object(), {1: 2}])
def test_what_is_no_json_is_refused_by_name_not_by_value(value):
    with pytest.raises(EvidenceUnavailable, match="cannot be recorded"):
        made(ToolResult("c", "s", "t", {"x": value}, None))


def test_fields_that_are_no_event_are_refused():
    for fields in ({}, {"kind": "ToolResult", "call": [], "args": {}, "result": 1}):
        with pytest.raises((KeyError, TypeError)):
            event_of(fields)
