"""Canonical JSON is a normal form, and what is persisted comes back as it was."""

import json

import pytest
from hypothesis import given
from tests.laws.strategies import events, json_values

from tripwire.errors import NotCanonical
from tripwire.ledger import codec
from tripwire.ledger.keys import SessionKeys
from tripwire.ledger.pack import joined, pack, unpack
from tripwire.ledger.receipt import Receipted, build, event_of, mac_of, secret_spans
from tripwire.model.verdict import ALLOWED
from tripwire.text.canonical import canonical_bytes

KEYS = SessionKeys.derive(b"k" * 32)


def _same(left, right):
    """Equal, with the same types and the same order of keys."""
    return repr(left) == repr(right)


@given(json_values)
def test_canonical_is_a_normal_form(value):
    try:
        once = canonical_bytes(value)
    except NotCanonical:
        return
    assert canonical_bytes(json.loads(once, parse_int=_number)) == once


def _number(text):
    """JSON numbers are doubles (RFC 8785): beyond 2^53 an integer literal is one."""
    number = int(text)
    return number if abs(number) < 2**53 else float(text)


@given(json_values)
def test_what_is_packed_comes_back(value):
    packed = pack(value)
    fields = json.loads(joined({f"v{packed.suffix}": packed.line}))
    assert _same(unpack(fields, "v"), value)


@given(events)
def test_events_come_back_from_what_is_sealed(event):
    if isinstance(event, Receipted):
        return
    assert codec.opened_event(codec.sealed_event(event, ALLOWED)) == event


@given(events)
def test_events_come_back_from_receipts(event):
    if not isinstance(event, Receipted):
        return
    made = build(event, session="s", seq=1, ts="t", keys=KEYS, spans=secret_spans)
    fields = json.loads(made.line)
    assert mac_of(fields, KEYS) == fields["hmac"]
    again = event_of(fields, made.secrets)
    assert again == event
    assert _same(getattr(again, "args", None), getattr(event, "args", None))
    for _, secret in made.secrets:
        assert secret.encode("utf-8", "surrogatepass") not in made.line


def test_the_law_is_not_empty():
    with pytest.raises(NotCanonical):
        canonical_bytes(2**60)
