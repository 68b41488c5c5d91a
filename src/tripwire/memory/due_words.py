"""Words that say what a figure is: due, a balance, a part (gateway.md C-9)."""

from __future__ import annotations

import functools
import re
from typing import Any

import re2

from tripwire.text.well_formed import well_formed

_DUE = (
    "amount due|balance due|total due|due|payable|outstanding|owed|owing|to pay|"
    "pay(?:able)? amount|"
    "approved(?:[ _]amount)?|please (?:pay|remit)|amount to (?:pay|remit)|grand total|"
    "zu zahlen|zahlbetrag|rechnungsbetrag|fällig\\w*|offener betrag|gesamtbetrag|"
    "montant dû|à payer|net à payer|a pagar|importe debido|adeudado|importe a pagar|da pagare|"
    "importo dovuto|totale dovuto|te betalen|verschuldigd|valor a pagar|valor devido|do zapłaty|"
    "att betala|å betale|at betale|maksettava|к оплате|до сплати|ödenecek|देय|應付|应付|應繳|お支払|"
    "ご請求|請求額|請求金額|支払金額|납부|지불 금액|청구|المستحق|לתשלום"
)
_TOTAL = (
    "total|order[ _]total|invoice[ _]total|summe|gesamt|gesamtsumme|importe|importe total|totale|"
    "totaal|montant|betrag|suma|razem|summa|итого|всего|toplam|कुल|合計|合计|總計|总计|總額|总额|"
    "총액|합계|المجموع|סהכ|refund(?:able)?|price"
)
_BALANCE = (
    "balance|available|saldo|kontostand|guthaben|solde|restante disponible|остаток|баланс|余额|"
    "餘額|残高|잔액|رصيد|bakiye|credit line|funds"
)
_PART = (
    "instal?lments?|deposit|part(?:ial)?(?: payment)?|down ?payment|first payment|milestone|"
    "tranche|advance|ratenzahlung|teilrate|\\d\\. rate|rate \\d{1,2} von \\d{1,2}|"
    "anzahlung|teilzahlung|abschlag|"
    "acompte|versement|échéance|cuota|plazo|anticipo|"
    "depósito|pago parcial|parcial|acconto|rata|caparra|aanbetaling|termijn|entrada|parcela|"
    "zaliczka|аванс|задаток|рассрочка|分期|订金|訂金|定金|首付|頭金|前金|분할|계약금|taksit|avans"
)
_NOT_DUE = (
    "sub-?total|subtotal|zwischensumme|sous-total|tax|vat|mwst|ust|tva|iva|discount|rabatt|shipping|"
    "versand|paid|bezahlt|payé|pagado|credit note|gutschrift|late fee|unit price|previous"
)


@functools.cache
def _words(pattern: str) -> re.Pattern[str]:
    # Compiled at first use: few sessions meet a figure, and every start would pay for it.
    # Scripts without spaces have no word edges: only Latin-like words need them.
    return re.compile(rf"(?<![^\W\d_])(?:{pattern})(?![^\W\d_\u2e80-\uffff])", re.IGNORECASE)


_CLAUSE = re.compile(r"(?<!\d)(?<!no)(?<!nr)\.|[,;:!?\n]", re.IGNORECASE)
_TAKEN_OFF = (
    "paid|received|less|after|minus|deducted|net of|without|excluding|bezahlt|erhalten|abzüglich|"
    "nach|ohne|reçu|après|moins|sans|recibido|después|menos|sin|ricevuto|dopo|meno|senza|na|efter"
)
"""Words that say that the part has gone from what is due."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@functools.cache
def _part_ends() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![^\W\d_])(?:{_PART})(?: (?:no|nr|number|of|von|à|de|di)\.?)?[\s(:]*$", re.IGNORECASE
    )


@functools.cache
def _part_begins() -> re.Pattern[str]:
    return re.compile(
        rf" (?:(?:monthly|equal|weekly|quarterly|gleiche|monatliche) )?(?:{_PART})(?![^\W\d_])",
        re.IGNORECASE,
    )


def ends_in_part(text: str) -> bool:
    """Whether a text ends in a word for a part, so that a small number after it counts parts."""
    return _part_ends().search(text) is not None


def begins_with_part(text: str) -> bool:
    """Whether a text begins with a word for a part: the number before it counts them."""
    return _part_begins().match(text) is not None


@functools.lru_cache(maxsize=4096)
def kind_of(label: str) -> str:
    """What a label says of its figure: due, instalment, part, balance, total, or "" for nothing.

    An instalment is a part that is called due itself: `Instalment 1 of 3 due now`.
    """
    spoken = _CAMEL.sub(" ", label).replace("_", " ").replace("-", " ")
    if due := _words(_DUE).search(spoken):
        clause = _CLAUSE.split(spoken[: due.start()])[-1]
        part = _words(_PART).search(clause) is not None
        if not part and ends_in_part(spoken):
            part, clause = True, spoken[due.start() :]
        return "instalment" if part and not _words(_TAKEN_OFF).search(clause) else "due"
    if _words(_PART).search(spoken):
        return "part"
    if _words(_BALANCE).search(spoken):
        return "balance"
    if _words(_NOT_DUE).search(spoken):
        return ""
    return "total" if _words(_TOTAL).search(spoken) else ""


def _ignoring_case(pattern: str) -> Any:
    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = 64 << 20
    return re2.compile(pattern, options)


@functools.cache
def _any() -> Any:
    known = (_DUE, _TOTAL, _BALANCE, _PART)
    return _ignoring_case("|".join(p.replace("\\w*", "") for p in known) + "|amount")


@functools.cache
def _labelled() -> Any:
    known = f"{_DUE}|{_TOTAL}|{_BALANCE}|{_PART}"
    unspaced = "|".join(word for word in known.split("|") if max(map(ord, word)) >= 0x2E80)
    return _ignoring_case(rf"(?m)^.*?(?:(?:^|[^\pL])(?:{known})(?:$|[^\pL])|{unspaced}).*$")


_DOTLESS = str.maketrans("ıİ", "ii")
_DIGIT = re.compile(r"\d")


def labels_a_number(text: str) -> bool:
    """A closer look: whether a line holds a word that `kind_of` knows and a digit.

    It says yes too often, but never no to a line that has a labelled amount.
    """
    spoken = _CAMEL.sub(" ", text).replace("_", " ").replace("-", " ")
    if not spoken.isascii():
        # Python takes a dotless i for an i where case is ignored; RE2 does not.
        spoken = well_formed(spoken).translate(_DOTLESS)
    return any(_DIGIT.search(line) for line in _labelled().findall(spoken))


def may_label(text: str) -> bool:
    """A quick look: whether anything like a label stands in a text at all."""
    return _any().search(well_formed(text)) is not None
