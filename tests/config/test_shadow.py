"""One glob covers another only if it matches everything the other matches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.config.shadow import covers
from tripwire.text.glob import match

COVERS = [
    ("*", "a__b"),
    ("a__*", "a__send_*"),
    ("a__*", "a__*"),
    ("*__x", "a__x"),
    ("**", "a?b*"),
    ("*", "{a,b}"),
]
DOES_NOT = [
    ("a__send_*", "a__*"),
    ("a__x", "a__*"),
    ("a?", "a*"),
    ("?*", "*"),
    ("*b", "a*"),
    ("a*", "{a,b}"),
    ("[ab]*", "*"),
]


@pytest.mark.parametrize(("wide", "narrow"), COVERS)
def test_covered(wide, narrow):
    assert covers(wide, narrow)


@pytest.mark.parametrize(("wide", "narrow"), DOES_NOT)
def test_not_covered(wide, narrow):
    assert not covers(wide, narrow)


GLOBS = st.text("ab*?_", min_size=1, max_size=6)


@given(GLOBS, GLOBS, st.text("ab_c", max_size=6))
def test_a_covered_glob_matches_nothing_more(wide, narrow, name):
    if covers(wide, narrow) and match(narrow, name):
        assert match(wide, name)
