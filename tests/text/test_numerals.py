"""Written numbers and currencies."""

from decimal import Decimal

import pytest

from tripwire.text import numerals


@pytest.mark.parametrize(
    ("text", "comma", "readings"),
    [
        ("12,500", None, ["12500"]),
        ("12,500", True, ["12.5"]),
        ("12.500", None, ["12.5", "12500"]),
        ("1,234,567.89", None, ["1234567.89"]),
        ("1.234.567,89", None, ["1234567.89"]),
        ("1,2345", None, ["1.2345"]),
        ("0.500", None, ["0.5"]),
        ("1.5M", None, ["1500000"]),
        ("+7", None, ["7"]),
        ("−7", None, ["-7"]),
    ],
)
def test_parse(text, comma, readings):
    assert [f"{r:f}" for r in numerals.parse(text, comma=comma).readings] == readings


@pytest.mark.parametrize("text", ["", "1,2,3", "1.2.3", "1,23,4", "1e3", "0x10", "1" * 80, "12abc"])
def test_what_is_no_number(text):
    assert numerals.parse(text) is None


@pytest.mark.parametrize(
    ("locale", "comma"),
    [("", None), ("de", True), ("de-CH", False), ("en-GB", False), ("es_MX", False)],
)
def test_locales(locale, comma):
    assert numerals.decimal_comma(locale) is comma


def test_equal_numbers_have_one_key():
    assert numerals.key(Decimal("12500.00")) == numerals.key(Decimal("1.25E4")) == "12500"
    assert numerals.key(Decimal("-0.0")) == "0"
    assert numerals.key(Decimal("1E+999")) == "1E+999"


@pytest.mark.parametrize(
    ("word", "code"),
    [("USDC", "USDC"), ("€", "EUR"), ("euros", "EUR"), ("元", "CNY"), ("Total", ""), ("All", "")],
)
def test_currencies(word, code):
    assert numerals.currency(word) == code
