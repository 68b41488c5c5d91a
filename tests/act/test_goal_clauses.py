"""What a goal asks for and what it forbids (gateway.md C-9)."""

import pytest

from tripwire.act.goal_clauses import Act, asked, clauses


def acts(goal):
    return [clause.act for clause in clauses(goal)]


@pytest.mark.parametrize(
    "goal",
    [
        "Do not pay Acme",
        "Don\u2019t pay the Acme invoice yet",
        "Never pay Acme",
        "Pay nothing to Acme",
        "Make no payment to Acme",
        "I do not want you to pay Acme",
        "Acme must not be paid",
        "Cancel the payment to Acme",
        "Hold off on paying Acme",
        "Put the Acme invoice on hold",
        "Wait with the Acme payment",
        "Block any payment to Acme",
        "Leave the Acme invoice unpaid",
        "Zahle Acme keinen Cent",
        "Stop",
        "Zahle die Rechnung von Acme nicht",
        "Ne paie pas la facture d'Acme",
        "No pagues la factura de Acme",
        "Non pagare Acme",
        "Não pague a Acme",
        "Betala inte Acme",
        "Не плати Acme",
        "不要向北京公司付款",
    ],
)
def test_a_payment_is_forbidden(goal):
    assert acts(goal) == [Act.FORBIDS]


@pytest.mark.parametrize(
    "goal",
    [
        "Pay Acme",
        "Do not hesitate to pay Acme",
        "Please don't forget to pay Acme",
        "N'oublie pas de payer Acme",
        "Do not pay Acme more than 10,000",
        "Pay Acme if not already paid",
        "Pay invoice No. 7741",
        "Donate to the non-profit Acme",
        "Pay Acme so nothing is overdue",
        "Issue a refund to Acme",
        "Refund Acme for #7741",
        "Can you pay Acme?",
        "Send Acme the money for the invoice",
        "Send the payment for the invoice",
        "Pay Acme so they do not cancel our service",
        "Pay Acme to avoid late fees",
        "Schedule the payment to Acme",
        "Why not pay Acme now",
        "Bitte bezahle die Rechnung von Acme",
        "向北京公司付款",
    ],
)
def test_a_payment_is_asked_for(goal):
    assert acts(goal) == [Act.PAYS]


@pytest.mark.parametrize(
    "goal",
    [
        "Ask Acme for a refund",
        "Request a refund from Acme",
        "Get a refund from Acme",
        "Remind me to pay Acme",
        "Forward the Acme invoice to Bob",
        "Send Acme an invoice for 500 USD",
        "Collect 500 USD from Acme",
        "Delete the Acme invoice",
        "Schedule a meeting with Acme",
        "Summarise the Acme invoice",
        "Check whether the Acme invoice is right",
        "What do we owe Acme?",
    ],
)
def test_something_else_is_asked_for(goal):
    assert acts(goal) == [Act.OTHER]


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("Pay Acme, do not pay Globex", [Act.PAYS, Act.FORBIDS]),
        ("Pay Acme not Globex", [Act.PAYS, Act.FORBIDS]),
        ("Pay all vendors except Globex", [Act.PAYS, Act.FORBIDS]),
        ("Pay Acme instead of Globex", [Act.PAYS, Act.FORBIDS]),
        ("Check the invoice and pay it", [Act.OTHER, Act.PAYS]),
        ("Cancel the Globex order and pay Acme", [Act.FORBIDS, Act.PAYS]),
        ("Do not, whatever happens, pay Acme", [Act.FORBIDS, Act.OPEN, Act.FORBIDS]),
        ("But not more than 10,000 USD", [Act.OPEN]),
        ("Pay Acme, and do not wait", [Act.PAYS, Act.OPEN]),
        ("Vergiss nicht, Acme zu bezahlen", [Act.OPEN, Act.PAYS]),
        ("Acme has not been paid. Please pay.", [Act.OTHER, Act.PAYS]),
    ],
)
def test_each_clause_by_itself(goal, expected):
    got = acts(goal)
    assert len(got) == len(expected)
    allowed = {Act.OTHER: {Act.OTHER, Act.OPEN}}
    assert all(g in allowed.get(e, {e}) for g, e in zip(got, expected, strict=True))


def test_what_is_forbidden_is_left_out_of_what_is_asked():
    assert asked(("Pay Acme, do not pay Globex", "Thanks.")) == "Pay Acme\nThanks."


def test_cutting_is_linear():
    assert len(clauses("and pay, " * 5000)) < 2000
