"""Names of tripwires (CTX-3, CTX-42)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.text.tripwire_name import from_argument, normalise


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("no-raw-sql", "no-raw-sql"),
        ("No_Raw SQL", "no-raw-sql"),
        ("  a \t\n b__c ", "a-b-c"),
        ("a\u00a0b\u3000c", "a-b-c"),
        ("--a---b--", "a-b"),
        ("../../etc/passwd", "etcpasswd"),
        (".hidden", "hidden"),
        ("Größe", "gre"),
        ('a"b>>>\n<<<', "ab"),
        ("___", ""),
        ("日本", ""),
        ("", ""),
    ],
)
def test_ctx_3_normal_form(written, name):
    assert normalise(written) == name


@pytest.mark.parametrize(
    ("written", "name"),
    [("a.yml", "a"), ("A_b.yaml", "a-b"), ("a.yml.yml", "ayml"), ("a.b", "ab"), (".yml", "")],
)
def test_ctx_3_an_argument_loses_one_extension(written, name):
    assert from_argument(written) == name


@given(st.text())
def test_a_normal_form_is_its_own_and_never_a_path(written):
    name = normalise(written)
    assert normalise(name) == name
    assert re.fullmatch("(?:[a-z0-9]+(?:-[a-z0-9]+)*)?", name)
