"""Receipts: secrets are committed to, never written; everything else stands as it was."""

import hashlib
import hmac
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.errors import EvidenceUnavailable
from tripwire.ledger.keys import SessionKeys
from tripwire.ledger.receipt import (
    build,
    event_of,
    holds_nothing,
    mac_of,
    nothing,
    recordable,
    secret_spans,
    source_spans,
)
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


TOKENS = (
    "ghp_" + "a1B2c3D4" * 4 + "e5F6",
    "sk-live-" + "FAKE0123456789abcdefXYZ",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "postgres://svc:" + "tR0ub4dor3x@db.example/app",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow" + "IBAAKCAQEA7bq1v2c3d4e5f6g7h8i9j0k\n",
    "API_KEY=" + "Zq9vK3xW7bT1mN5r",
)
NAMES = ("text", "password", "apiKey", "id", "user_token", "note", "x" * 20)
TEXTS = st.one_of(st.text(max_size=30), st.sampled_from(TOKENS), st.sampled_from(("Zq9vK3xW7bT1",)))
VALUES = st.recursive(
    st.one_of(TEXTS, st.integers(), st.booleans(), st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=3), VALUES)
def test_the_one_look_over_all_never_misses_what_the_look_at_each_covers(args, result):
    event = ToolResult("c", "up", "tool", args, result)
    covered = made(event)
    if covered.secrets:
        assert not holds_nothing(event, None)
    elif holds_nothing(event, None):
        assert made(event, spans=nothing).line == covered.line


def test_a_known_value_anywhere_is_something_to_cover():
    event = ToolResult("c", "up", "tool", {"note": "it is hunter two"}, "x")
    assert holds_nothing(event, None)
    assert not holds_nothing(event, lambda text: [1] if "hunter two" in text else [])
