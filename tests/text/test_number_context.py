"""What stands around a number: money, groups of digits, postal codes (gateway.md P-2)."""

import pytest

from tripwire.text import number_context, values


def amounts(text):
    return [(v.norm, v.currency) for v in values.scan(text) if v.kind == "amount"]


@pytest.mark.parametrize(
    ("text", "norm", "currency"),
    [
        ("Amount due: 12.500 €", "12500", "EUR"),
        ("€12.500", "12500", "EUR"),
        ("EUR 12.500", "12500", "EUR"),
        ("12.500 Euro", "12500", "EUR"),
        ("12.500 kr", "12500", "KR"),
        ("12 500 kr", "12500", "KR"),
        ("kr 12 500", "12500", "KR"),
        ("12\u00a0500 kr", "12500", "KR"),
        ("12\u202f500 kr", "12500", "KR"),
        ("SEK 12 500", "12500", "SEK"),
        ("12 500 SEK", "12500", "SEK"),
        ("€ 12 500", "12500", "EUR"),
        ("$12 500", "12500", "USD"),
        ("12 500 zł", "12500", "PLN"),
        ("12 500 Ft", "12500", "HUF"),
        ("Att betala 12 500:-", "12500", ""),
        ("12 500,- kr", "12500", "KR"),
        ("1 234 567 kr", "1234567", "KR"),
        ("1 234 567,89 kr", "1234567.89", "KR"),
        ("Amount due: 12 500", "12500", ""),
        ("12 500", "12500", ""),
        ("INR 1,25,000/-", "125000", "INR"),
        ("CHF 12\u2019500.-", "12500", "CHF"),
    ],
)
def test_money_as_people_write_it(text, norm, currency):
    assert amounts(text) == [(norm, currency)]


@pytest.mark.parametrize(
    "text",
    ["Total: 12.500", "12.500 BTC", "12.500 KWD", "1.250 €/l", "12.500 pieces"],
)
def test_three_decimals_stay_in_doubt_where_they_may_be_meant(text):
    assert len(amounts(text)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "take 12 500 pieces",
        "rooms 12 500 and 13",
        "kr 12 500 1",
        "art. 12 500-3",
        "5 12 500 kr",
        "a: 100 200 300 400",
    ],
)
def test_numbers_side_by_side_stay_apart(text):
    assert ("12500", "") not in amounts(text)
    assert ("12500", "KR") not in amounts(text)


@pytest.mark.parametrize(
    "text",
    [
        "1 Main St\n90210 Beverly Hills",
        "Hauptstr. 5, 10115 Berlin",
        "10115 Berlin, Germany",
        "Beverly Hills, CA 90210",
        "postal 90210",
    ],
)
def test_a_postal_code_is_no_amount(text):
    assert not {"90210", "10115"} & {norm for norm, _ in amounts(text)}


@pytest.mark.parametrize(
    "text",
    [
        "Amount due: 90210",
        "90210 Euro",
        "90210 is due",
        "Total 90210 Beverly Hills Office Supply and Paper",
        "Due: 10115 Berlin office rent",
        "USD 90210 Beverly Hills",
    ],
)
def test_an_amount_before_a_name_stays_one(text):
    assert {"90210", "10115"} & {norm for norm, _ in amounts(text)}


def test_grouping_is_linear():
    text = number_context.prepare("123 456 " * 20_000)
    assert text == "123 456 " * 20_000
