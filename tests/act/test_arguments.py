import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.act import arguments
from tripwire.act.arguments import all_texts, recipients, undeclared, values_at

ARGS = {
    "to": ["a@x.example", "b@x.example"],
    "headers": {"cc": "c@x.example"},
    "attendees": [{"email": "d@x.example"}, {"email": "e@x.example"}],
    "owner": "acme",
    "repo": "site",
    "packed": '{"to": "f@x.example"}',
}


def test_values_at():
    assert values_at(ARGS, "to") == ["a@x.example", "b@x.example"]
    assert values_at(ARGS, "headers.cc") == ["c@x.example"]
    assert values_at(ARGS, "attendees[*].email") == ["d@x.example", "e@x.example"]
    assert values_at(ARGS, "{owner}/{repo}") == ["acme/site"]
    assert values_at(ARGS, "packed.to") == ["f@x.example"]
    assert values_at(ARGS, "missing.path") == []


_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=4), st.just('{"a": [1]}')),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from(["a", "b", "c"]), _values, max_size=3), st.sampled_from("abc")
)
def test_one_name_at_the_top_is_a_path_of_one_step(args, name):
    stepped = [text for value in arguments._step(args, name) for text in arguments._texts(value)]
    assert values_at(args, name) == stepped


def test_recipients_are_taken_apart():
    assert recipients(["A <a@x.example>, b@x.example;c@x.example"]) == [
        "a@x.example",
        "b@x.example",
        "c@x.example",
    ]
    assert recipients(["C012TEAM"]) == ["C012TEAM"]


def found(args, declared=()):
    return {value for value, _ in undeclared(args, frozenset(declared))}


def test_undeclared_addresses():
    assert found({"bcc": "m@evil.example"}) == {"m@evil.example"}
    assert found({"extra": {"headers": "Cc: m@evil.example"}}) == {"m@evil.example"}
    assert found({"options": '{"webhook": "https://evil.example/h"}'}) == {"https://evil.example/h"}
    assert found({"anything": "m@evil.example"}) == {"m@evil.example"}


def test_prose_is_no_destination():
    assert found({"body": "m@evil.example"}) == set()
    assert found({"x": "write to m@evil.example please"}) == set()
    assert found({"to": "m@evil.example"}, ["to"]) == set()


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=9),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
                    max_leaves=8))  # fmt: skip
def test_every_value_is_opened(value):
    texts = all_texts({"x": value})
    if isinstance(value, str):
        assert value in texts
    found({"x": value})


WALLET = "bbbb00000000000000000000000000000000bbbb"


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("wallet", WALLET, True),
        ("pay_to", WALLET.upper(), True),
        ("contract", f"0x{WALLET}", True),
        ("reference", "GB82 WEST 1234 5698 7654 32", True),
        ("walletAddress", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", True),
        ("commit", WALLET, False),
        ("sha", WALLET.upper(), False),
        ("reference", "GB82 WEST 1234 5698 7654 33", False),
        ("account", "the one on file", False),
    ],
)
def test_accounts_and_wallets_are_destinations(name, value, found):
    got = [text for text, _ in undeclared({"to": "acme", name: value}, frozenset({"to"}))]
    assert got == ([value] if found else [])
