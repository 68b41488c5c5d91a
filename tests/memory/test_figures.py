"""Labelled figures and what they are bound to (gateway.md C-9)."""

import pytest

from tripwire.memory import due_words
from tripwire.memory.figures import Figures, same_reference
from tripwire.model.label import Trust


def learnt(*documents, comma=None):
    figures = Figures()
    for number, document in enumerate(documents, 1):
        figures.learn(
            document, call=f"call-{number}", receipt=number, trust=Trust.WORLD, comma=comma
        )
    return figures


def rows(figures):
    return [
        (f.kind, str(f.amount), f.currency, sorted(f.references))
        for held in figures.by_call.values()
        for f in held
    ]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("INVOICE #7741\nAmount due: 12,500 USDC", [("due", "12500", "USDC", ["7741"])]),
        (
            "INVOICE #1\nAmount due: 5 EUR\nINVOICE #2\nAmount due: 6 EUR",
            [("due", "5", "EUR", ["1"]), ("due", "6", "EUR", ["2"])],
        ),
        ("Subtotal: 10 EUR\nTax: 2 EUR\nTotal: 12 EUR", [("total", "12", "EUR", [])]),
        ("Total: 12 EUR\nPaid: 2 EUR\nBalance due: 10 EUR", [("due", "10", "EUR", [])]),
        ("Rechnung Nr. 7\nZu zahlen: 1.500,00 EUR", [("due", "1500", "EUR", ["7"])]),
        ("Plan for #7: first instalment of 200 EUR now", [("part", "200", "EUR", ["7"])]),
        ({"balance": 5, "currency": "EUR"}, [("balance", "5", "EUR", [])]),
        ({"po": "PO-77", "approved_amount": 13337.42}, [("due", "13337.42", "", ["po-77"])]),
        ({"invoice": "7741", "amount": 12}, [("total", "12", "", ["7741"])]),
        ({"amount": 12}, []),
        ("nothing to see", []),
    ],
)
def test_figures(document, expected):
    assert rows(learnt(document)) == expected


def test_a_newer_result_of_the_same_call_replaces_the_figures():
    figures = learnt("Amount due: 5 EUR #1")
    figures.learn("Amount due: 6 EUR #1", call="call-1", receipt=9, trust=Trust.WORLD, comma=None)
    assert [row[1] for row in rows(figures)] == ["6"]
    assert [str(f.amount) for f in figures.bound_to(frozenset({"1"}))] == ["6"]
    figures.learn("gone", call="call-1", receipt=10, trust=Trust.WORLD, comma=None)
    assert not figures.any_due


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("551", "ord-551", True),
        ("g-2210", "g-2210", True),
        ("ord-551", "inv-551", False),
        ("1", "x-1", False),
        ("551", "5510", False),
    ],
)
def test_references(one, other, same):
    assert same_reference(one, other) is same


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Amount due:", "due"),
        ("orderTotal", "total"),
        ("availableBalance", "balance"),
        ("subtotal", ""),
        ("Anzahlung", "part"),
        ("合計", "total"),
        ("应付金额：", "due"),
        ("dues", ""),
        ("residue", ""),
    ],
)
def test_labels(label, kind):
    assert due_words.kind_of(label) == kind


@pytest.mark.parametrize(
    "line",
    [
        "Amount due: EUR 5.00",
        "down_payment: 5",
        "orderTotal 5",
        "合計EUR500",
        "100USD合計",
        "x\nprevious\nTOTAL 7",
        "İmporte 5",
    ],
)
def test_a_line_with_a_labelled_number_is_looked_at(line):
    assert due_words.labels_a_number(line)


@pytest.mark.parametrize("text", ["residue 5", "due\n5", "no number is due", ""])
def test_lines_without_a_label_and_a_number_are_passed_over(text):
    assert not due_words.labels_a_number(text)


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Instalment 1 of 3 due now", "instalment"),
        ("instalment_due", "instalment"),
        ("depositDue", "instalment"),
        ("2. Rate fällig", "instalment"),
        ("Deposit", "part"),
        ("Amount due", "due"),
        ("payable in 3 instalments of", "instalment"),
        ("Balance due after deposit", "due"),
        ("After deposit, amount due", "due"),
        ("Less deposit amount due", "due"),
        ("Deposit received. Amount due", "due"),
    ],
)
def test_an_instalment_is_a_part_that_is_due_itself(label, kind):
    assert due_words.kind_of(label) == kind


@pytest.mark.parametrize(
    "which",
    [
        "Instalment 1 of 3",
        "Instalment 1/3",
        "Rate 1 von 3",
        "1. Rate fällig",
        "1st instalment",
        "Instalment #1",
        "Instalment no. 1",
        "2e versement",
    ],
)
def test_which_instalment_it_is_is_no_figure(which):
    held = learnt(f"Invoice #7741\nTotal: 12,000\n{which} due now: 4,000")
    kinds = {str(f.amount): f.kind for f in held.bound_to(frozenset({"7741"}))}
    assert kinds["12000"] == "total"
    assert set(kinds) == {"12000", "4000"}


def test_what_stands_under_instalments_is_a_part():
    plan = {"invoice": "#7741", "total": 12000, "instalments": [{"no": 1, "amount": 4000}]}
    kinds = {str(f.amount): f.kind for f in learnt(plan).bound_to(frozenset({"7741"}))}
    assert kinds == {"12000": "total", "4000": "instalment"}


def test_how_many_parts_there_are_is_no_figure():
    text = "Invoice #7741\nTotal: 12,000 USD, payable in 3 equal instalments of 4,000 USD"
    kinds = {str(f.amount): f.kind for f in learnt(text).bound_to(frozenset({"7741"}))}
    assert kinds == {"12000": "total", "4000": "instalment"}
