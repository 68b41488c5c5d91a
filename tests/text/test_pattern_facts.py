import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.text.pattern_facts import min_width, required_words

PATTERNS = [
    ("abc", 3, ["abc"]),
    ("a(?:bcd|efgh)i{2,}", 6, ["bcd", "efgh"]),
    ("(?:abcd)?ef", 2, ["ef"]),
    ("[a-f]{8}", 8, None),
    ("x(?:ab|[0-9])", 2, ["x"]),
    (r"(?i:ey\s?=)", 3, ["ey"]),
    ("(?:abc){2}d", 7, ["abc"]),
]


@pytest.mark.parametrize(("pattern", "width", "words"), PATTERNS)
def test_what_a_pattern_needs(pattern, width, words):
    assert min_width(pattern) == width
    assert required_words(pattern) == words


@given(st.data())
def test_every_match_is_as_long_and_holds_a_word(data):
    pattern, width, words = data.draw(st.sampled_from(PATTERNS))
    text = data.draw(st.from_regex(re.compile(pattern, re.ASCII), fullmatch=True))
    assert len(text) >= width
    assert words is None or any(word in text.casefold() for word in words)
