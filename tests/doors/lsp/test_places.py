"""URIs and positions: every file name there is, every unit a client may count in."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import PositionEncodingKind

from tripwire.doors.lsp.places import lines_of, path_of, span, units, uri_of

NAMES = st.binary(min_size=1, max_size=20).filter(lambda raw: b"\0" not in raw and b"/" not in raw)


@given(NAMES.filter(lambda raw: raw not in (b".", b"..")))
def test_every_file_name_survives_its_uri(raw):
    path = f"/p/{os.fsdecode(raw)}"
    assert path_of(uri_of(path)) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a%20b%25c", "/a b%c"),
        ("file:///a b", "/a b"),
        ("file://localhost/a", "/a"),
        ("FILE:///a", "/a"),
        ("file:///%C3%BC?q#f", "/ü"),
        ("file:///ü", "/ü"),
        ("file://host/a", None),
        ("file:a", None),
        ("untitled:Untitled-1", None),
        ("git:/a?ref", None),
        ("file:///a%00", None),
        ("file://[", None),
        ("\ud800", None),
        ("file:///\ud800", None),
        ("", None),
    ],
)
def test_path_of(uri, path):
    assert path_of(uri) == path


def test_lines_end_where_the_protocol_says():
    assert lines_of("a\r\nb\rc\nd\u2028e\x0bf\x85g") == ["a", "b", "c", "d\u2028e\x0bf\x85g"]
    assert lines_of("") == [""]


@given(st.text(max_size=30))
def test_utf_32_counts_code_points_and_utf_16_never_fewer(text):
    assert units(text, PositionEncodingKind.Utf32) == len(text)
    assert units(text, PositionEncodingKind.Utf16) >= len(text)
    assert units(text, "utf-8") >= units(text, "utf-16")


@given(st.text(max_size=40), st.integers(0, 9), st.integers(0, 50))
def test_a_span_is_inside_its_text(text, line, column):
    lines = lines_of(text)
    found = span(lines, line, column, "utf-16")
    assert found.start.line == found.end.line < len(lines)
    assert (
        0 <= found.start.character <= found.end.character <= units(lines[found.end.line], "utf-16")
    )


def test_a_span_begins_at_the_column_or_at_the_first_letter():
    lines = ["  a: 𝄞 x  "]
    assert [
        span(lines, 1, 0, "utf-16").start.character,
        span(lines, 1, 1, "utf-16").end.character,
    ] == [2, 9]
    assert span(lines, 1, 8, "utf-16").start.character == 8
    assert span(lines, 1, 8, "utf-8").start.character == 10
