"""Which amounts a goal allows (gateway.md C-9)."""

from decimal import Decimal

import pytest

from tripwire.act.goal_amounts import allowed


def fault(goal, amount, currency="USD"):
    texts = [goal] if isinstance(goal, str) else goal
    said = allowed(texts, lambda word: word == "acme", lambda digits: digits == "7741")
    return said.fault(Decimal(amount), currency, total=Decimal(amount))


@pytest.mark.parametrize(
    "goal",
    [
        "Pay Acme at most 10,000 USD",
        "Pay Acme, but no more than 10,000",
        "Do not pay Acme more than 10,000",
        "Pay Acme up to $10k",
        "Pay Acme max. 10000",
        "Pay Acme less than 12,000",
        "Pay Acme 10,000 or less",
        "Zahle höchstens 10.000 an Acme",
        "Paga a Acme como máximo 10.000",
        "Payer au maximum 10 000,00 à Acme",
        "Pay Acme 9,000 USD",
        "Pay 9,000 to Acme",
        "Pay 9000 to Acme",
        "Pay Acme 9000",
        "Pay Acme the sum of 9000",
        ["Pay Acme 9,000", "Thanks. Use the address on file"],
        "Pay Acme, my limit is 10,000 USD",
        ["Pay Acme", "But not more than 10,000 USD"],
        ["Pay Acme up to 15,000", "No: at most 10,000"],
    ],
)
def test_another_amount_than_the_goal_allows(goal):
    assert fault(goal, 12000)


@pytest.mark.parametrize(
    "goal",
    [
        "Pay Acme at most 12,000 USD",
        "Pay Acme 12,000",
        "Pay Acme $12k",
        "Pay Acme invoice #8000",
        "Pay Acme invoice 8000",
        "Pay Acme 7741",
        "Pay 3 invoices of Acme",
        "Pay contract 5512",
        "Pay Acme within 30 days",
        "Pay Acme by 2026-05-01",
        "Pay Acme for 2026",
        "Pay half of the 24,000 to Acme",
        "Pay Acme 10,000 plus VAT",
        "Pay Acme 9,000 and Globex 12,000",
        "Our budget is 50,000. Pay Acme",
        "Summarise the 9,000 invoice, then pay Acme",
        ["Pay Acme 9,000", "Sorry, 12,000 USD"],
        ["Pay Acme at most 10,000", "You may go up to 15,000"],
    ],
)
def test_an_amount_that_the_goal_allows(goal):
    assert not fault(goal, 12000)


def test_the_bound_holds_for_all_amounts_of_a_call_together():
    said = allowed(["Pay Acme at most 10,000"], bool, bool)
    assert said.fault(Decimal(6000), "", total=Decimal(12000))


def test_a_dollar_sign_may_be_a_stablecoin_but_no_euro():
    assert not fault("Pay Acme $12,000", 12000, "USDC")
    assert fault("Pay Acme $12,000", 12000, "EUR")
