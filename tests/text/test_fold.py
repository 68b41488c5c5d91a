"""Folding: look-alikes, invisible characters, separators."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.text import fold


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s\u00ade\u200bc\u2060r\u202eet", "secret"),
        ("ѕесrеt", "secret"),
        ("ｓｅｃｒｅｔ", "secret"),
        ("𝐬𝐞𝐜𝐫𝐞𝐭", "secret"),
        ("s\u0301ecret", "secret"),
        ("pässwörd", "passwörd".replace("ö", "o")),
        ("S-e.C_r e|T", "secret"),
    ],
)
def test_look_alikes_have_one_normal_form(text, expected):
    assert fold.normal(text) == fold.normal(expected)


def test_invisible_characters_are_listed_by_position():
    assert fold.invisible("a\u200bb\U000e0041") == (1, 3)
    assert fold.invisible("plain") == ()


def test_ascii_look_alikes_are_one():
    assert fold.normal("l1O0") == fold.normal("1l0o")


@given(st.text(max_size=40))
def test_folding_is_total_and_stable(text):
    once = fold.normal(text)
    assert fold.normal(once) == once


@given(st.text(st.characters(codec="ascii"), max_size=40))
def test_ascii_stands_for_itself(text):
    assert fold.folded(text) == text
