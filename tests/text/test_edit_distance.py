"""text/edit_distance: the distance, and the nearest known word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.text.edit_distance import distance, nearest

words = st.text("abcé", max_size=6)


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [
        ("", "", 0),
        ("a", "", 1),
        ("severty", "severity", 1),
        ("ab", "ba", 2),
        ("kitten", "sitting", 3),
    ],
)
def test_distance(one, other, steps):
    assert distance(one, other) == steps


@given(words, words, words)
def test_it_is_a_metric(a, b, c):
    assert distance(a, b) == distance(b, a)
    assert (distance(a, b) == 0) == (a == b)
    assert distance(a, c) <= distance(a, b) + distance(b, c)


def test_nearest():
    assert nearest("tag", ["tags", "triggers"]) == "tags"
    assert nearest("banana", ["tags"]) == ""
    assert nearest("x" * 100_000, ["x"]) == ""
    assert nearest("tags", []) == ""
