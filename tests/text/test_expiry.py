"""`expires` (read.md §2.1, CTX-9)."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.text.expiry import dead_from


def at(text):
    return datetime.fromisoformat(text).timestamp()


@pytest.mark.parametrize(
    ("text", "last", "first_dead"),
    [
        ("2026-06-15", "2026-06-15T23:59:59.999Z", "2026-06-16T00:00:00Z"),
        ("2024-02-29", "2024-02-29T23:59:59Z", "2024-03-01T00:00:00Z"),
        ("9999-12-31", "9999-12-31T23:59:59Z", None),
        ("2026-06-15T12:00", "2026-06-15T12:00:00Z", "2026-06-15T12:00:00.001Z"),
        ("2026-06-15 12:00:30", "2026-06-15T12:00:30Z", "2026-06-15T12:00:30.001Z"),
        ("2026-06-15T12:00:00.5Z", "2026-06-15T12:00:00.5Z", "2026-06-15T12:00:00.6Z"),
        ("2026-06-15T12:00+02:00", "2026-06-15T10:00:00Z", "2026-06-15T10:00:00.001Z"),
        ("2026-06-15T00:30:00-05:30", "2026-06-15T06:00:00Z", "2026-06-15T06:00:01Z"),
    ],
)
def test_ctx_9_lives_through_its_day_or_instant(text, last, first_dead):
    assert at(last) < dead_from(text)
    assert first_dead is None or dead_from(text) <= at(first_dead)


@pytest.mark.parametrize(
    "text",
    [
        "", "2027", "2026-6-1", "20260601", "2026-02-30", "2026-13-01", "0000-01-01", "never",
        "2026-06-15T", "2026-06-15T24:00", "2026-06-15T12:60", "2026-06-15T12:00:60",
        "2026-06-15T12:00z", "2026-06-15T12:00+2", "2026-06-15T12:00+24:00",
        "2026-06-15T12:00+02:60", "2026-06-15\n", " 2026-06-15", "２０２６-06-15", "2026-06-15Z",
    ],
)  # fmt: skip
def test_anything_else_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        dead_from(text)


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)))  # noqa: DTZ001
def test_a_moment_is_alive_and_the_next_second_is_not(moment):
    moment = moment.replace(microsecond=0)
    seconds = moment.replace(tzinfo=UTC).timestamp()
    assert seconds < dead_from(moment.isoformat()) < seconds + 1
