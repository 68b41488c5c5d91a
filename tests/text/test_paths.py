"""Argument paths (gateway.md §2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.errors import PolicyError
from tripwire.text import paths


@pytest.mark.parametrize(
    ("path", "value", "places"),
    [
        ("recipient", {"payment": {"Recipient": "x"}}, ["payment.Recipient"]),
        ("$.recipient", {"recipient": 1, "a": {"recipient": 2}}, ["recipient"]),
        (
            "payment.recipient",
            {"payment": [{"recipient": 1}, {"recipient": 2}]},
            ["payment[0].recipient", "payment[1].recipient"],
        ),
        ("items[*].iban", {"items": [{"iban": 1}]}, ["items[0].iban"]),
        ("items[1].iban", {"items": [{"iban": 1}, {"iban": 2}]}, ["items[1].iban"]),
        ('["a.b"]', {"a.b": 1, "a": {"b": 2}}, ["a.b"]),
        ("$.a.*", {"a": {"b": 1, "c": 2}}, ["a.b", "a.c"]),
        ("$.**.x", {"a": {"b": {"x": 1}}}, ["a.b.x"]),
        ("recipient", {"payload": '{"recipient": "x"}'}, ["payload.recipient"]),
        ("recipient", {"payload": "recipient"}, []),
    ],
)
def test_find(path, value, places):
    assert [at for at, _ in paths.find(paths.parse(path), value)] == places


@pytest.mark.parametrize("path", ["", "$", "a..b", "a[b", "[]"])
def test_a_path_nothing_could_match_is_refused(path):
    with pytest.raises(PolicyError):
        paths.parse(path)


def test_depth_is_bounded():
    deep: object = "x"
    for _ in range(5000):
        deep = {"a": deep}
    [(at, value)] = paths.find(paths.parse("recipient"), deep)
    assert at.count("a") == paths.MAX_DEPTH
    assert value is None


_steps = st.lists(
    st.sampled_from(["**", "*", "[*]", "[0]", "a", "b", "straße"]), min_size=1, max_size=5
)
_names = st.one_of(st.sampled_from(["a", "A", "b", "STRASSE", "", "x" * 65]), st.integers(0, 2))


@given(_steps, st.lists(_names, max_size=6))
def test_steps_that_are_kept_are_those_that_would_be_taken(steps, names):
    path = paths.JsonPath(tuple(steps))
    states = path.starts()
    for name in names:
        taken = paths._after(path.steps, states, name)
        assert path.after(states, name) == path.after(states, name) == taken
        states = taken
