import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.text.pattern_facts import required_words

PATTERNS = [
    ("abc", ["abc"]),
    ("a(?:bcd|efgh)i{2,}", ["bcd", "efgh"]),
    ("(?:abcd)?ef", ["ef"]),
    ("[a-f]{8}", None),
    ("x(?:ab|[0-9])", ["x"]),
    (r"(?i:ey\s?=)", ["ey"]),
    ("(?:abc){2}d", ["abc"]),
]


@pytest.mark.parametrize(("pattern", "words"), PATTERNS)
def test_what_a_pattern_needs(pattern, words):
    assert required_words(pattern) == words


@given(st.data())
def test_every_match_holds_a_word(data):
    pattern, words = data.draw(st.sampled_from(PATTERNS))
    text = data.draw(st.from_regex(re.compile(pattern, re.ASCII), fullmatch=True))
    assert words is None or any(word in text.casefold() for word in words)
