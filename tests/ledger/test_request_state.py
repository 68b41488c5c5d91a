"""requestState: bound to call, principal and time; every other text is refused."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tripwire.errors import MalformedInput
from tripwire.ledger.keys import SessionKeys
from tripwire.ledger.request_state import RequestState, fault, read, written

KEY, OTHER = (SessionKeys.derive(bytes([n]) * 32).request_state for n in (1, 2))
STATE = RequestState("ap-1", "a" * 64, "alice", 1000, "n1")
RIGHT = {"call_hash": "a" * 64, "principal": "alice", "now": 999.0, "used": frozenset()}


def test_round_trip():
    assert read(written(STATE, KEY), KEY) == STATE
    assert fault(STATE, **RIGHT) == ""


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"call_hash": "b" * 64}, "altered"),
        ({"principal": "bob"}, "other principal"),
        ({"now": 1000.5}, "expired"),
        ({"used": frozenset({"n1"})}, "used"),
    ],
)
def test_what_it_is_bound_to(changed, why):
    assert fault(STATE, **{**RIGHT, **changed}) == why


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(1, 255))
def test_one_changed_byte_is_refused(place, by):
    text = written(STATE, KEY)
    at = place % len(text)
    other = text[:at] + chr((ord(text[at]) + by) % 128) + text[at + 1 :]
    if other != text:
        with pytest.raises(MalformedInput):
            read(other, KEY)


@settings(max_examples=40)
@given(st.text(max_size=200))
def test_any_other_text_is_refused(text):
    with pytest.raises(MalformedInput):
        read(text, KEY)


def test_another_key_or_spelling_is_refused():
    text = written(STATE, KEY)
    for other in (text + "=", text + ".", " " + text, text * 2, written(STATE, OTHER)):
        with pytest.raises(MalformedInput):
            read(other, KEY)
    forged = written(replace(STATE, principal="mallory"), OTHER)
    with pytest.raises(MalformedInput):
        read(forged.split(".")[0] + "." + text.split(".")[1], KEY)
