"""Readable parts of bytes: many pieces in one pass say what each says alone."""

import base64
import re
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tripwire.text import ascii85, readable
from tripwire.text.readable import texts_of

_RUN = re.compile(rb"(?:[\x20-\x7e\t\r\n]|[\xc2-\xf4][\x80-\xbf]{1,3}){6,}")

pieces = st.one_of(
    st.binary(max_size=60),
    st.text(max_size=30).map(lambda text: text.encode("utf-8", "ignore")),
    st.text(max_size=20).map(lambda text: text.encode("utf-16-le", "ignore")),
    st.text(max_size=40).map(
        lambda text: b"\x00\xff" + zlib.compress(text.encode("utf-8", "ignore"))
    ),
)


@given(st.lists(pieces, max_size=8))
@settings(max_examples=300)
def test_all_at_once_is_one_by_one(parts):
    assert list(texts_of(parts)) == [text for part in parts for text in texts_of([part])]


@given(pieces)
@settings(max_examples=300)
def test_readable_runs_are_what_the_plain_pattern_finds(data):
    runs = _RUN.findall(data)
    said = [b"\x1f".join(runs).decode("utf-8", "ignore")] if runs else []
    assert list(texts_of([data]))[: len(said)] == said


@given(st.binary(min_size=12, max_size=200))
@settings(max_examples=200)
def test_base_85_is_what_the_library_reads(data):
    for spelled in (base64.a85encode(data), base64.b85encode(data)):
        dense = sum(not chr(c).isalnum() for c in spelled) * 12 >= len(spelled)
        if dense and b"z" not in spelled:
            assert any(found.startswith(data) for found in ascii85.decodings(spelled.decode()))


def test_large_pieces_are_read_like_small_ones():
    text = b"a readable sentence of some length, "
    large = b"\x00\x01".join([text] * 400)
    assert list(texts_of([large, text])) == ["\x1f".join([text.decode()] * 400), text.decode()]


_heads = st.one_of(
    st.binary(min_size=3, max_size=3),
    st.tuples(st.sampled_from(range(8, 128, 16)), st.integers(0, 255), st.integers(0, 255)).map(
        bytes
    ),
    st.binary(min_size=1, max_size=1).map(lambda last: b"\x1f\x8b" + last),
)


@given(_heads)
@settings(max_examples=600)
def test_a_stream_begins_exactly_where_the_library_opens_one(head):
    opens = True
    try:
        zlib.decompressobj(wbits=47).decompress(head + b"\0" * 8)
    except zlib.error as problem:
        opens = "header" not in str(problem) and "type" not in str(problem)
        opens = opens and "method" not in str(problem) and "window" not in str(problem)
    preset = head[1] & 0x20 and head[:2] != b"\x1f\x8b"
    assert preset or bool(readable.starts(head)) == opens


@pytest.mark.parametrize("bits", range(9, 16))
def test_streams_of_every_window_are_opened(bits):
    machine = zlib.compressobj(wbits=bits)
    packed = machine.compress(b"a text of some length") + machine.flush()
    assert "a text of some length" in list(texts_of([b"\xff\x00\xff" + packed]))
