"""The names and references in a goal, grouped as they were written (gateway.md C-9 intent_match).

Does not understand a goal: it only drops words that name nobody.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from tripwire.memory.records import Records, name_words
from tripwire.text import fold, numerals, shapes
from tripwire.text.lexicon import lexicon

LEGAL = lexicon(
    "corp corporation inc incorporated ltd limited llc llp plc co company gmbh ag kg ug sa "
    "sas sarl sl srl spa bv nv ab as asa oy oyj aps kft sro zrt pty pvt group holding "
    "holdings international intl ооо зао ао оао "
)
"""Legal forms: they narrow a name down, but do not name anybody."""

GENERIC = lexicon(  # English
    "pay paid payment payments settle send transfer remit remittance refund reimburse wire "
    "issue make process invoice invoices bill bills order orders outstanding open due overdue "
    "amount total sum balance customer customers client vendor vendors supplier suppliers "
    "merchant contractor the a an of for to from our my your their his her its on in at by "
    "with and or & please now today tomorrow this that last next latest current first second "
    "third monthly weekly yearly annual quarterly month week year quarter all any each every "
    "it is are be re as per account wallet address iban number no nr ref reference id po "
    "purchase contract plan installment instalment deposit partial full remaining rest half "
    "them they who which what new old same both via using check look up find get then after "
    "before if when so not do does don't me us we you i can could would should will purchase "
    "subscription fee fees salary rent services service goods date money funds bank out "
    # German
    "zahle zahlen bezahle bezahlen überweise überweisen begleiche begleichen rechnung "
    "rechnungen die der das den dem des ein eine einen an von für bei und oder bitte offene "
    "offenen offener betrag kunde kunden lieferant lieferanten unser unsere unseren mein "
    "meine erstatte erstatten bestellung "
    # French
    "payer paie payez régler règle réglez virer rembourser facture factures la le les l un "
    "une de du des d à au aux pour et ou s'il vous plaît notre nos mon ma mes commande "
    "fournisseur client solde "
    # Spanish, Portuguese, Italian
    "pagar paga pague abonar liquidar transferir transfiere reembolsar devolver factura "
    "facturas el los las al del y o por favor para nuestro nuestra mi pedido proveedor "
    "cliente pendiente pendientes pague fatura faturas os as ao aos do da dos das e em nosso "
    "nossa encomenda fornecedor pendente pagare saldare salda bonifico rimborsa rimborsare "
    "fattura fatture il lo gli i con di ordine fornitore nostra nostro aperta scaduta "
    # Dutch, Polish, Swedish, Turkish, Russian
    "betaal betalen factuur facturen aan van voor het openstaande onze klant leverancier "
    "zapłać opłać fakturę faktura dla od oraz klienta betala fakturan till från och öde "
    "faturayı оплати оплатить оплатите счет счёт за для от и клиенту перевести переведи "
)
_WORD = re.compile(r"#?[^\W_]+(?:[-'.&/][^\W_]+)*")
_NO_SPACES = re.compile(r"[\u0e00-\u0e7f\u2e80-\u9fff\u3040-\u30ff\uac00-\ud7af]+")
_ELIDED = re.compile(r"^(?:d|l|qu|s|n|dell|all|nell|sull|un)'(?=\w)", re.IGNORECASE)
_BREAK = re.compile(r"[,;\n]")
MAX_GOAL = 8192
MAX_NAME = 16


def groups(goal: str, records: Records) -> list[list[str]]:
    """Names as lists of folded words, rarest meaning left to the caller; ids stand alone."""
    text = fold.nfkc(goal)[:MAX_GOAL]
    if _NO_SPACES.search(text) is None:
        return [list(group) for group in _spaced(text)]
    return _grouped(text, records)


@functools.lru_cache(maxsize=512)
def _spaced(text: str) -> tuple[tuple[str, ...], ...]:
    """The groups of a text in which words have spaces between them: no record tells them apart."""
    return tuple(map(tuple, _grouped(text, Records())))


def _grouped(text: str, records: Records) -> list[list[str]]:
    found: list[list[str]] = []
    current: list[str] = []
    last = 0
    for match in _WORD.finditer(text):
        word = match[0]
        if _BREAK.search(text, last, match.start()):
            current = _close(found, current)
        last = match.end()
        if _NO_SPACES.search(word):
            current = _close(found, current)
            found.extend([name] for name in _unspaced(word, records))
            continue
        word = _ELIDED.sub("", word)
        folded = next(iter(name_words(word.lstrip("#"))), "")
        if _generic(word, folded):
            current = _close(found, current)
        else:
            current.append(folded)
    _close(found, current)
    return [group for group in found if any(word not in LEGAL for word in group)]


def _close(found: list[list[str]], current: list[str]) -> list[str]:
    if current:
        found.append(current)
    return []


def _generic(word: str, folded: str) -> bool:
    plain = word.casefold()
    if folded in LEGAL:
        return False
    if plain in GENERIC or folded in GENERIC or len(folded) < 2:
        return True
    typed = shapes.typed(word)
    if typed is not None and typed[0] in ("date", "time"):
        return True
    if shapes.month(plain) or numerals.currency(word):
        return True
    return numerals.parse(word) is not None and not word.startswith("#")


def _unspaced(word: str, records: Records) -> Iterator[str]:
    """Known names inside a run of a script without spaces, longest first."""
    for run in _NO_SPACES.findall(word):
        at, known = 0, False
        while at < len(run) - 1:
            name = next(
                (
                    run[at:end]
                    for end in range(min(len(run), at + MAX_NAME), at + 1, -1)
                    if records.count(run[at:end])
                ),
                "",
            )
            if name:
                known = True
                yield name
            at += len(name) or 1
        if not known and len(run) > 4:
            yield run


def required(group: list[str], records: Records) -> frozenset[str]:
    """The words of a name that a record must hold: narrowed down from the rarest on."""
    order = sorted(
        (w for w in group if w not in LEGAL), key=lambda w: (records.count(w) or 1 << 30, w)
    )
    order += [w for w in group if w in LEGAL]
    held: set[str] | None = None
    wanted: set[str] = set()
    for word in order:
        known = records.by_word.get(word)
        if not known or (held is None and word in LEGAL):
            continue
        narrowed = known if held is None else held & known
        if narrowed:
            held = set(narrowed)
            wanted.add(word)
    return frozenset(wanted)
