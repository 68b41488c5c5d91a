"""What a goal asks for and what it forbids, clause by clause (gateway.md C-9 intent_match).

Reads words, not meaning: a verb that it does not know leaves a clause open, which changes nothing.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from tripwire.text import fold
from tripwire.text.lexicon import lexicon

MAX_GOAL = 8192

PAY = lexicon(
    "pay repay remit settle wire refund reimburse disburse prepay "
    "zahl zahle zahlen zahlt bezahl bezahle bezahlen überweis überweise überweisen begleiche "
    "begleichen erstatte erstatten "
    "payer paie paye payes payez régler règle réglez virer vire verser verse versez rembourser "
    "rembourse remboursez "
    "pagar paga pague pagues pagad abonar abona abone abones liquidar liquida transferir "
    "transfiere transfieras transfiera reembolsar reembolsa pagare pagate saldare salda rimborsare "
    "rimborsa reembolse transfira transfere betaal betalen voldoe zapłać opłać płać betala betal "
    "оплати оплатить оплатите плати платить платите заплати заплатите переведи перевести "
    "переведите öde ödeyin"
)
"""Verbs that are seldom anything else."""

_MAY_PAY = lexicon(
    "payment payments transfer send process issue execute make clear approve release handle "
    "complete finalise finalize paying deposit donate buy purchase order book renew give fund "
    "compensate zahlung überweisung paiement virement pago transferencia pagamento bonifico "
    "betaling"
)
_REQUEST = lexicon(
    "ask request demand chase remind tell inform notify whether draft write reply frage "
    "fragen erinnere demande demander demandez pide pedir pregunta chiedi chiedere vraag"
)
"""Words after which somebody else is to act, or nobody."""

_LOOK = lexicon(
    "check verify review read summarise summarize list show find explain compare translate "
    "delete archive ignore negotiate print download rename discuss calculate schedule arrange "
    "organise organize describe analyse analyze report count inspect search "
    "prüfe prüfen lies zeige vérifie vérifier lis montre resume revisa verifica lee muestra leggi "
    "controleer controllare"
)
_ARRANGE = lexicon("schedule arrange organise organize")
"""They are about a payment if one is named."""

_QUESTION = lexicon("what who when where which how why is are does did has have was were")
_STOP = lexicon(
    "cancel stop wait block skip abort withhold refuse suspend halt postpone avoid decline reject "
    "dispute storniere stornieren stoppe stoppen annuler annule annulez cancela cancelar detén "
    "annulla annulleer annuleer stop avbryt annuller отмени отмените"
)
_NOT = lexicon(
    "not never cannot nicht kein keine keinen keinem niemals nie ne jamais non jamás nunca não nao "
    "niet geen nooit inte ikke aldrig aldri не нельзя никогда nobody nothing none"
)
_AFTER_VERB = lexicon(
    "keinen kein nicht pas niet inte ikke nichts rien nada nulla niente niets ingenting"
)
_NOTHING = lexicon("nothing nobody none nichts rien nada nulla niente niets")
_NO_OF = lexicon(
    "one payment payments money invoice invoices bill bills pague pagues pagar pagues abone abones "
    "transfiera transfieras envíe envíes realice realices haga hagas"
)
_UNDONE = lexicon(
    "unpaid hesitate delay wait miss fail worry bother later only twice again double late able "
    "been zögere zögern"
)
"""`Do not forget to pay` asks for it; `do not pay twice` forbids only the second time."""

_FORGET = lexicon(
    "forget vergiss vergessen oublie oublier oubliez olvides olvide olvidar dimenticare vergeet "
    "glöm"
)
_PAST = lexicon("did didn't has hasn't have haven't had hadn't was wasn't were weren't")
_MODAL = lexicon("must should may shall can mustn't shouldn't cannot can't soll sollen darf dürfen")
_PAID = lexicon("paid receive get bezahlt bekommen erhalten")
_IMPERATIVE = lexicon("do please and but aber und bitte then also by por s'il")
_IF = lexicon("why warum if unless when falls wenn sofern si se ob als om если")
_AUXILIARY = lexicon(
    "do does did should must can could would will shall may might is are am was were be been has "
    "have if or and but why whether please wir ich ist sind bitte"
)
_OF_OTHERS = lexicon(
    "funds amount refund refunds reimbursement money payment payments rückerstattung erstattung"
)
_OBTAIN = lexicon("get obtain seek collect receive recover pursue claim fordere fordern reclama")
_ARTICLES = lexicon("a an the any my our full partial his her their its no for")
_UNSPACED_PAY = ("支付", "付款", "支払", "振込", "转账", "轉帳", "汇款", "송금", "지불", "결제")
_UNSPACED_NOT = (
    "不要", "别", "別付", "不付", "不得", "勿", "禁止", "支払わない", "しないで", "하지 마",
    "하지마",
)  # fmt: skip

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_CUT = re.compile(
    r"[;!?\n。；！？]|\.(?=\s+(?-i:[^\Wa-z\d_])|\s*\Z)|[,，、](?!\d)|:(?=\s)"
    r"|\s(?=(?:but|aber|sondern|mais|pero|sino|maar|men|но|except|excluding|instead of|rather than|"
    r"other than|außer|statt|sauf|excepto|salvo|tranne|behalve|utom|кроме)\s)",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    r"\s*(?:but not|except|excluding|instead of|rather than|other than|außer|statt|sauf|excepto|"
    r"salvo|tranne|behalve|utom|кроме)\b",
    re.IGNORECASE,
)
_HOLD = re.compile(
    r"\b(?:(?:hold|put) off|put\b.{1,60}\bon hold|leave\b.{1,60}\b(?:unpaid|alone))\b",
    re.IGNORECASE,
)
_PAPERS = re.compile(
    r"\b(?:send|forward|e-?mail|give|issue)\b(?:(?!\bfor\b)[^\d]){0,40}?\b(?:an?|the|our|this|that)\s+"
    r"(?:\w+\s+){0,3}?(?:invoice|bill|reminder|e-?mail|message|note|letter|quote|report|copy|"
    r"receipt|reply|offer|contract|file|document|statement)s?\b",
    re.IGNORECASE,
)
_AND = re.compile(
    r"\s(?=(?:and|then|und|dann|et|puis|y|luego|e|poi|en|dan|och|og|и)\s+"
    r"(?:then\s+|please\s+|also\s+)?([^\W_]+(?:['’][^\W_]+)*))",
    re.IGNORECASE,
)
_NOT_THIS = re.compile(r"([^\W_]+(?:['’][^\W_]+)*)\s(?=not\s)", re.IGNORECASE)
_BOUND = re.compile(
    r"\b(?:more than|over|above|exceed(?:ing)?|mehr als|über|plus de|dépasser|más de|superar|"
    r"più di|mais de|meer dan|mer än|более|больше)\b[^\d]{0,16}\d",
    re.IGNORECASE,
)


class Act(Enum):
    """What a clause is about."""

    PAYS = "pays"
    FORBIDS = "forbids"
    OTHER = "other"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a goal. `paying`: it has a word for paying, or nothing but a word for stopping."""

    text: str
    act: Act
    paying: bool = False


@functools.lru_cache(maxsize=256)
def clauses(goal: str) -> tuple[Clause, ...]:
    """The clauses of one text, in order."""
    found: list[Clause] = []
    pending = False
    for text in _cut(fold.nfkc(goal)[:MAX_GOAL]):
        words = _words(text)
        act, paying = _act(text, words)
        if pending and act in (Act.PAYS, Act.OPEN) and words:
            act = Act.FORBIDS if act is Act.PAYS else Act.OPEN
            pending = act is Act.OPEN
        elif act is Act.FORBIDS and _denies(words[-1] if words else ""):
            pending = True  # "Do not, whatever happens, pay …"
        found.append(Clause(text, act, paying))
    return tuple(found)


def _words(text: str) -> list[str]:
    found: list[str] = []
    for match in _WORD.findall(text):
        word = match.casefold().replace("’", "'")
        found.extend(("ne", word[2:]) if word.startswith("n'") else (word,))
    return found


@functools.lru_cache(maxsize=256)
def asked(texts: tuple[str, ...]) -> str:
    """The texts without the clauses that forbid something."""
    return "\n".join(
        ", ".join(c.text.strip() for c in clauses(text) if c.act is not Act.FORBIDS)
        if any(c.act is Act.FORBIDS for c in clauses(text))
        else text
        for text in texts
    )


def _cut(goal: str) -> Iterator[str]:
    at = 0
    for end in sorted({*(m.end() for m in _CUT.finditer(goal)), *_joints(goal), len(goal)}):
        if goal[at:end].strip():
            yield goal[at:end].strip(" ,;\n")
        at = end


def _joints(goal: str) -> Iterator[int]:
    """Where a second act begins without a mark: `and pay …`, `… not Globex`."""
    for found in _AND.finditer(goal):
        word = found[1].casefold().replace("’", "'")
        if word in _ACTS or _denies(word) or word == "do":
            yield found.end()
    for found in _NOT_THIS.finditer(goal):
        if found[1].casefold() not in _AUXILIARY:
            yield found.end()


_ACTS = PAY | _MAY_PAY | _REQUEST | _LOOK | _STOP


def _denies(word: str) -> bool:
    return word in _NOT or word.endswith("n't") or word in ("dont", "doesnt", "cant", "wont")


def _act(text: str, words: list[str]) -> tuple[Act, bool]:
    pays = next((i for i, w in enumerate(words) if _pays(words, i)), -1)
    paying = pays >= 0 or any(w in _MAY_PAY for w in words)
    if any(sign in text for sign in _UNSPACED_PAY):
        refused = any(sign in text for sign in _UNSPACED_NOT)
        return (Act.FORBIDS if refused else Act.PAYS), True
    if _HOLD.search(text):
        return Act.FORBIDS, True
    if _BOUND.search(text) is None and (_EXCEPT.match(text) or _refuses(words, pays)):
        return Act.FORBIDS, paying
    asks = words and words[0] in _QUESTION
    head = words[0] if asks else next((w for w in words if w in _ACTS), "")
    if head in _STOP and any(_denies(w) for w in words[: words.index(head)]):
        return Act.OPEN, paying  # "do not cancel"
    if head in _STOP:
        bare = all(w in _STOP or len(w) <= len("that") for w in words)
        return Act.FORBIDS, paying or bare
    if head in _REQUEST or _obtains(words) or _hands_over(text, words):
        return Act.OTHER, paying
    looks = head in _LOOK | _QUESTION and not (paying and head in _ARRANGE)
    if pays >= 0 or (paying and not looks):
        return Act.PAYS, True
    return (Act.OTHER if looks else Act.OPEN), paying


def _pays(words: list[str], at: int) -> bool:
    if words[at] not in PAY:
        return False
    noun = words[at] == "refund" and at > 0 and words[at - 1] in _ARTICLES
    return not noun


def _refuses(words: list[str], pays: int) -> bool:
    return not _FORGET.intersection(words) and any(
        _refused_at(words, at, pays) for at in range(len(words))
    )


def _refused_at(words: list[str], at: int, pays: int) -> bool:
    """Whether the word there forbids what the clause is about."""
    word, before, after = words[at], words[:at], words[at + 1 :]
    no = word == "no" and bool(after) and after[0] in _NO_OF
    if not (_denies(word) or no or word in _AFTER_VERB) or _UNDONE.intersection(after):
        return False
    if word in _PAST or (before and before[-1] in _PAST | _IF):
        return False
    if at < pays or no:
        return True
    if pays < 0 and _PAID.intersection(after):
        return word in _MODAL or bool(before and before[-1] in _MODAL)
    if pays < 0:
        return all(w in _IMPERATIVE for w in before) or bool(_MAY_PAY.intersection(after))
    near = word in _NOTHING and at - pays <= len("to")
    return near or (word in _AFTER_VERB - _NOTHING and not _IF.intersection(before))


def _hands_over(text: str, words: list[str]) -> bool:
    """`Send Acme an invoice`, `forward the invoice`: papers go out, no money."""
    return _PAPERS.search(text) is not None and not _OF_OTHERS.intersection(words)


def _obtains(words: list[str]) -> bool:
    """`Get a refund from …`: money comes in."""
    money = {"back", *_OF_OTHERS}.intersection(words) or any(w[0].isdecimal() for w in words)
    return bool(
        _OBTAIN.intersection(words)
        and money
        and {"from", "back", "von", "de", "da"}.intersection(words)
    )
