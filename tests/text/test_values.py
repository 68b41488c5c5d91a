"""Typed values: what a text is evidence of, and what it is not (gateway.md P-2, P-3, P-15)."""

import time
from decimal import Decimal

import ada_url
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.text import shapes, values


def found(text, **options):
    return [(v.kind, v.norm) for v in values.scan(text, **options)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Amount due: 12,500 USDC", [("amount", "12500")]),
        ("Total: 12.500,00 EUR", [("amount", "12500")]),
        ("Total: 12\u00a0500,00 EUR", [("amount", "12500")]),
        ("CHF 12'500.00", [("amount", "12500")]),
        ("₹12,50,000", [("amount", "1250000")]),
        ("12.5k USDC", [("amount", "12500")]),
        ("1,00 EUR", [("amount", "1")]),
        ("Credit: −500 USDC", [("amount", "-500")]),
        ("-$500.00", [("amount", "-500")]),
        ("支付500元给北京公司", [("amount", "500")]),
        ("Due date: 2026-06-15", [("date", "2026-06-15")]),
        ("June 15, 2026", []),
        ("INVOICE #7741", [("id", "7741")]),
        ("Invoice 7741", [("id", "7741")]),
        ("20% off", []),
        ("GB29 NWBK 6016 1331 9268 19 thanks", [("iban", "GB29NWBK60161331926819")]),
        ("GB29 NWBK 6016 1331 9268 18", [("id", "GB29")]),
        ("see https://a.example/x.", [("url", "https://a.example/x")]),
        ("write to pay-me@ACME.example,", [("email", "pay-me@acme.example")]),
        ("+1 (415) 555-0100", [("phone", "+14155550100")]),
        ("0x123456", [("address", "0x123456")]),
    ],
)
def test_scan(text, expected):
    got = found(text)
    assert got[: len(expected)] == expected
    if not text.endswith("18"):
        assert got == expected


def test_a_lone_point_before_three_digits_can_be_read_twice():
    both = values.scan("Total: 12.500")
    assert {v.norm for v in both} == {"12.5", "12500"}
    assert all(v.ambiguous for v in both)


@pytest.mark.parametrize(("comma", "norm"), [(True, "12500"), (False, "12.5")])
def test_a_locale_decides(comma, norm):
    assert found("Total: 12.500", comma=comma) == [("amount", norm)]


def test_a_document_that_shows_decimal_commas_decides():
    assert ("amount", "12500") in found("Netto 10,50 EUR, Summe 12.500 EUR")


def test_types_consume_their_inner_words_and_digits():
    text = "0x0000000000000000000000000000000000012500 a12500@x.example https://x.example/12500"
    assert not [v for v in values.scan(text) if v.kind in ("amount", "id")]


def test_hex_of_forty_digits_needs_no_prefix_and_no_case():
    bare = values.whole("BBBB00000000000000000000000000000000BBBB")
    assert bare == values.whole("bbbb00000000000000000000000000000000bbbb")
    assert bare.key == values.whole("0xBBBB00000000000000000000000000000000BBBB").key


def test_case_of_ids_and_leading_zeros_count():
    assert values.whole("acct_1AbC").key != values.whole("ACCT_1aBc").key
    assert [v.norm for v in values.leaf("007") if v.kind == "id"] == ["007"]


def test_a_url_that_two_parsers_read_differently_is_untraceable():
    assert values.scan("https://good.example\\@evil.example/x")[0].kind == "untraceable"


@pytest.mark.parametrize(
    ("text", "norms"),
    [
        ("12,500 USDC", ["12500"]),
        ("12500abc", []),
        ("0x30d4", []),
        ("1 2 3", []),
        ("12.500", ["12.5", "12500"]),
    ],
)
def test_a_string_argument_as_an_amount(text, norms):
    assert [v.norm for v in values.amount(text)] == norms


def test_a_float_is_its_shortest_decimal():
    assert values.number(0.1 + 0.2).norm == "0.30000000000000004"
    assert values.number(13337.42).norm == "13337.42"
    assert values.number(Decimal("12500.00")).norm == "12500"
    assert values.number(float("inf")) is None


@given(st.text(max_size=400))
def test_any_text_can_be_scanned(text):
    for value in values.leaf(text):
        assert value.kind
        assert value.norm


@given(st.decimals(min_value=-(10**12), max_value=10**12, places=2, allow_nan=False))
def test_an_amount_is_found_again_however_it_is_grouped(amount):
    key = values.number(amount).key
    for written in (f"{amount:,.2f}", f"{amount:.2f}"):
        assert key in {v.key for v in values.scan(f"due {written} USD")}


@pytest.mark.parametrize("unit", ["a", "1", "a-", "a@", "1.", "0x", "#", "://"])
def test_hostile_text_takes_no_longer_than_four_times_normal_text(unit):
    size = 40_000
    normal = ("Please pay 12,500 USDC to Acme Corp for order V-1001 by Friday. " * 700)[:size]
    hostile = (unit * size)[:size]

    def cost(text):
        start = time.process_time()
        values.scan(text)
        return time.process_time() - start

    assert min(cost(hostile) for _ in range(2)) <= 4 * min(cost(normal) for _ in range(2))


@given(
    st.lists(
        st.sampled_from(
            ["a", "b1", "xn--a", "www", "example", "com", "1", "-", ".", "/", "/..", "?q=1"]
        ),
        max_size=6,
    )
)
def test_a_url_that_is_read_quickly_is_its_own_serialisation(parts):
    text = "https://" + "".join(parts)
    found = shapes._PLAIN_URL.fullmatch(text)
    if found is not None and found["path"]:
        assert str(ada_url.URL(text).href) == text
