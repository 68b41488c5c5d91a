"""Checkpoints as C2SP signed notes: what is written is read, anything else belongs to no note."""

import base64
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tripwire.io.signing import Signer, verify
from tripwire.ledger.checkpoint import (
    Checkpoint,
    PublicKey,
    note_text,
    notes_of,
    rotation_body,
    trusted,
)

ONE, TWO, THREE = (Signer.of(bytes([n]) * 32) for n in (1, 2, 3))
POINT = Checkpoint("2026-11-30T10-00-00-000Z-1a2b3c4d", 100, bytes(range(32)))


def test_a_note_is_what_the_format_says():
    text = ONE.note(POINT).decode().split("\n")
    assert text[0] == "tripwire.local/sessions/2026-11-30T10-00-00-000Z-1a2b3c4d"
    assert text[1:4] == ["100", base64.b64encode(bytes(range(32))).decode(), ""]
    assert text[4].startswith("\u2014 tripwire.local ")
    assert base64.b64decode(text[4].split(" ")[2])[:4] == ONE.public.id
    notes, strange = notes_of(ONE.note(POINT) + b"\n" + TWO.note(POINT))
    assert [n.checkpoint for n in notes] == [POINT, POINT]
    assert [n.line for n in notes] == [1, 7]
    assert not strange
    assert notes[0].signed_by([ONE.public], verify) is True
    assert notes[0].signed_by([TWO.public], verify) is None
    forged = notes_of(note_text(POINT, ONE.public, bytes(64)))[0][0]
    assert forged.signed_by([ONE.public], verify) is False
    assert PublicKey.parse(ONE.public.text) == ONE.public


def test_a_cosignature_does_not_disturb():
    text = ONE.note(POINT) + TWO.note(POINT).split(b"\n\n")[1]
    (note,), strange = notes_of(text)
    assert len(note.signatures) == 2
    assert not strange
    assert note.signed_by([TWO.public], verify)


@settings(max_examples=40)
@given(st.integers(0, 400), st.integers(1, 255))
def test_no_changed_byte_keeps_the_signature(at, by):
    text = ONE.note(POINT)
    at %= len(text) - 1  # the last line end alone is no part of what is signed
    changed = text[:at] + bytes([text[at] ^ by]) + text[at + 1 :]
    notes, _ = notes_of(changed)
    assert not any(n.signed_by([ONE.public], verify) and n.checkpoint != POINT for n in notes)
    assert not any(n.signed_by([ONE.public], verify) for n in notes) or at >= text.rindex(b" ")


@settings(max_examples=40)
@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_an_error(content):
    notes_of(content)


@pytest.mark.parametrize("text", ["", "a+b", "a+00000000+AAAA", ONE.public.text[:-4]])
def test_no_key(text):
    with pytest.raises(ValueError):
        PublicKey.parse(text)


def rotation(old, new, **changed):
    body = rotation_body(old.public, new.public)
    return {
        "old": old.public.text,
        "new": new.public.text,
        "old_sig": base64.b64encode(old.sign(body)).decode(),
        "new_sig": base64.b64encode(new.sign(body)).decode(),
        **changed,
    }


def test_keys_that_signed_each_other_are_trusted_both_ways():
    chain = [rotation(TWO, THREE), rotation(ONE, TWO)]
    for known in (ONE, TWO, THREE):
        assert set(trusted([known.public], chain, verify)) == {
            ONE.public, TWO.public, THREE.public,
        }  # fmt: skip
    bad = rotation(ONE, TWO, old_sig=base64.b64encode(TWO.sign(b"x")).decode())
    assert trusted([ONE.public], [bad], verify) == [ONE.public]
    assert trusted([ONE.public], [{}, json.loads('{"old": 1}')], verify) == [ONE.public]
