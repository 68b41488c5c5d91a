"""Sums of a few figures (gateway.md §2 derive)."""

from decimal import Decimal

import pytest

from tripwire.act.sums import is_sum


@pytest.mark.parametrize(
    ("wanted", "currency", "figures", "answer"),
    [
        ("1000", "EUR", [("400", "EUR"), ("600", "EUR")], True),
        ("1000", "", [("400", "EUR"), ("600", "EUR")], True),
        ("1000", "EUR", [("400", "EUR"), ("600", "USD")], False),
        ("1000", "USD", [("400", "EUR"), ("600", "EUR")], False),
        ("400", "EUR", [("400", "EUR"), ("600", "EUR")], False),
        ("13", "", [("1", "")] * 13, False),
        ("12", "", [("1", "")] * 13, True),
        ("-5", "", [("-2", ""), ("-3", "")], False),
    ],
)
def test_is_sum(wanted, currency, figures, answer):
    assert is_sum(Decimal(wanted), currency, [(Decimal(a), c) for a, c in figures]) is answer


def test_the_search_is_bounded():
    figures = [(Decimal(3**n), "") for n in range(64)]
    assert not is_sum(Decimal(2 * 3**60 + 1), "", figures)
