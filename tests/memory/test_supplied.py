"""What a call was given, in whatever form (gateway.md P-7, P-8)."""

import base64
import html
import urllib.parse

import pytest

from tripwire.memory.supplied import Sent
from tripwire.text import values

EVIL = "0xbBbB00000000000000000000000000000000BBBB"


@pytest.mark.parametrize(
    "args",
    [
        {"a": EVIL},
        {EVIL: 1},
        {"a": {"b": [f"x {EVIL} y"]}},
        {"a": f'{{"w": "{EVIL}"}}'},
        {"a": EVIL[2:].lower()},
        {"a": "-".join(EVIL)},
        {"a": "\u200b".join(EVIL)},
        {"a": EVIL.replace("B", "В")},
        {"a": "".join(chr(ord(c) + 0xFEE0) for c in EVIL)},
        {"a": EVIL[::-1]},
        {"a": base64.b64encode(EVIL.encode()).decode()},
        {"a": base64.b64encode(base64.b64encode(EVIL.encode())).decode()},
        {"a": EVIL.encode().hex()},
        {"a": "".join(f"%{ord(c):02x}" for c in EVIL)},
        {"a": urllib.parse.quote("".join(f"&#{ord(c)};" for c in EVIL))},
        {"a": html.escape(EVIL)},
        {"a": str(int(EVIL, 16))},
        {"a": int(EVIL, 16)},
        {"a": EVIL[:20], "b": EVIL[20:]},
        {"parts": [EVIL[i : i + 5] for i in range(0, 42, 5)]},
    ],
    ids=range(20),
)
def test_the_value_was_in_the_arguments(args):
    assert Sent(args).holds(values.whole(EVIL))


@pytest.mark.parametrize(
    "args", [{}, {"a": "acme"}, {"a": "0xaaaa00000000000000000000000000000000aaaa"}, {"n": 5}]
)
def test_the_value_was_not(args):
    assert not Sent(args).holds(values.whole(EVIL))


@pytest.mark.parametrize(
    "args",
    [
        {"a": 90000, "b": 9000},
        {"a": 100000, "b": 1000},
        {"a": 990, "b": 100},
        {"a": 198000, "b": 2},
        {"e": "90000+9000"},
        {"x": [90000, 8000, 1000]},
        {"a": -99000},
    ],
)
def test_a_number_that_was_computed(args):
    assert Sent(args).holds(values.number(99000))


def test_an_unrelated_number_was_not_computed():
    assert not Sent({"a": 90000, "b": 7}).holds(values.number(99000))


def test_arguments_too_large_to_look_through_hold_everything():
    assert Sent({"a": "x" * (1 << 20) + "y"}).holds(values.whole(EVIL))
