"""RFC 8785: laws that vectors cannot state."""

import json
from collections.abc import Mapping
from decimal import Decimal

import orjson
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from tripwire.errors import NotCanonical
from tripwire.text.canonical import canonical_bytes, digest

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SAFE = st.integers(-(2**53) + 1, 2**53 - 1)
LEAVES = st.none() | st.booleans() | SAFE | st.floats(allow_nan=False, allow_infinity=False) | TEXT
VALUES = st.recursive(
    LEAVES, lambda v: st.lists(v, max_size=4) | st.dictionaries(TEXT, v, max_size=4), max_leaves=12
)


@given(VALUES)
def test_parsing_and_writing_again_changes_nothing(value):
    once = canonical_bytes(value)
    assert canonical_bytes(json.loads(once)) == once


@given(VALUES)
def test_the_fast_path_gives_the_same_bytes(value):
    assert canonical_bytes(value) == rfc8785.dumps(value)


@given(st.dictionaries(TEXT, SAFE, max_size=6), st.randoms())
def test_the_order_of_keys_does_not_matter(value, random):
    items = list(value.items())
    random.shuffle(items)
    assert digest(dict(items)) == digest(value)


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        2**53 + 1,
        10**21,
        Decimal(1),
        b"x",
        {1: 2},
        "\ud800",
        {"\ud800": 1},
        {1, 2},
    ],
    ids=repr,
)
def test_what_has_no_form_is_refused(value):
    with pytest.raises(NotCanonical):
        canonical_bytes([value])


def test_tuples_and_mappings_are_arrays_and_objects():
    class Frozen(Mapping):
        def __getitem__(self, key):
            return {"b": (1, 2)}[key]

        def __iter__(self):
            return iter(["b"])

        def __len__(self):
            return 1

    assert canonical_bytes(Frozen()) == b'{"b":[1,2]}'


@pytest.mark.parametrize("shape", ["list", "dict"])
def test_depth_is_refused_and_never_a_crash(shape):
    value = None
    for _ in range(100_000):
        value = [value] if shape == "list" else {"a": value}
    with pytest.raises(NotCanonical):
        canonical_bytes(value)
    while value is not None:  # a deep value must be taken apart by hand
        value = value[0] if shape == "list" else value["a"]


def test_a_surrogate_among_fast_strings_takes_the_exact_path():
    assert canonical_bytes({"\U00010000": 1, "\ue000": 2}) != orjson.dumps(
        {"\U00010000": 1, "\ue000": 2}, option=orjson.OPT_SORT_KEYS
    )
