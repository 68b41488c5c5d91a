"""head.json is one exact line under a MAC."""

import pytest

from tripwire.errors import JournalTampered
from tripwire.ledger.chain import Tip
from tripwire.ledger.head import Head, head_bytes, read_head

KEY = b"k" * 32
HEAD = Head("s", Tip(3, "a" * 64), Tip(2, "b" * 64), Tip(1, "c" * 64))


def test_it_comes_back():
    assert read_head(head_bytes(HEAD, KEY), KEY) == HEAD


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.replace(b'"seq":3', b'"seq":4'),
        lambda c: c.replace(b'"seq":3', b'"seq":03'),
        lambda c: c + b"\n",
        lambda c: b"{}",
        lambda c: b"",
        lambda c: b"[]",
        lambda c: c.replace(b'"s"', b'"t"'),
    ],
)
def test_any_change_is_noticed(change):
    with pytest.raises(JournalTampered, match=r"^edited: "):
        read_head(change(head_bytes(HEAD, KEY)), KEY)


def test_another_key_is_noticed():
    with pytest.raises(JournalTampered):
        read_head(head_bytes(HEAD, KEY), b"x" * 32)
