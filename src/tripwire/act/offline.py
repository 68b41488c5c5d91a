"""The offline verifier: three deterministic checks of a guarded call (gateway.md C-9).

Does not read prose for meaning, and asks nobody. It can only refuse what structure let through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

from tripwire.act import goal_amounts, goal_clauses, goal_words
from tripwire.act.goal_clauses import Act
from tripwire.act.grounding import Grounded, Grounding
from tripwire.act.references import goal_references
from tripwire.act.sums import is_sum
from tripwire.memory.figures import Figure, same_reference
from tripwire.memory.records import identifies, name_words, record_words
from tripwire.model.event import ToolCall
from tripwire.model.label import Trust
from tripwire.model.verdict import CheckOutcome
from tripwire.rule import Case
from tripwire.text import numerals

MIN_SPACED = 12
"""Characters of a value that is found in a text without its spaces."""

Check = Callable[[Grounding, Case], str]


def review(found: Grounding, event: ToolCall, case: Case) -> tuple[CheckOutcome, ...]:
    """The outcome of every check that the rule asks for."""
    del event
    outcomes = []
    for name in found.rule.verify.checks:
        fault = CHECKS[name](found, case)
        outcomes.append(CheckOutcome(name, not fault, fault or "holds"))
    return tuple(outcomes)


# ── intent_match ─────────────────────────────────────────────────────────────────────────────


def intent_match(found: Grounding, case: Case) -> str:
    """Why a recipient is not the one that the goal names; "" if every one is."""
    goals = case.memory.goals
    if not goals.current.strip():
        return goals.missing
    payment = bool(found.of_role("amount") or found.beside)
    for element in found.of_role("destination"):
        if fault := _against(goals.latest, element, case, payment=payment):
            return fault
    goal = goal_clauses.asked(goals.stated)
    names = goal_words.groups(goal, case.memory.provenance.records)
    if not names:
        return ""
    if found.expects_recipient and not found.of_role("destination"):
        return "the goal names a recipient and the call has none"
    for element in found.of_role("destination"):
        if not _named(element, goal, case):
            return f"the goal does not name the record that {element.param} comes from"
    return ""


def _against(texts: Sequence[str], element: Grounded, case: Case, *, payment: bool) -> str:
    """Why the goal is against this recipient: what was said last about it counts."""
    paid = False
    others: list[bool] = []
    for text in reversed(texts):
        parts = goal_clauses.clauses(text)
        pays = [c for c in parts if c.act is Act.PAYS]
        forbids = [c for c in parts if c.act is Act.FORBIDS]
        if any(_named(element, c.text, case) for c in pays):
            return ""
        if any(_named(element, c.text, case) for c in forbids):
            return f"the goal forbids the recipient that {element.param} names"
        paid = paid or bool(pays)
        if payment and not paid and any(c.paying and not _names(c, case) for c in forbids):
            return "the goal forbids a payment"
        others.append(any(c.act is Act.OTHER for c in parts))
    if payment and not paid and others and all(others):
        return "the goal asks for no payment"
    return ""


def _names(clause: goal_clauses.Clause, case: Case) -> bool:
    """Whether a clause names a record that is known."""
    records = case.memory.provenance.records
    return any(goal_words.required(g, records) for g in goal_words.groups(clause.text, records))


def _named(element: Grounded, text: str, case: Case) -> bool:
    """Whether a text holds the value itself, or the name of its record."""
    value = element.readings[0] if element.readings else None
    if value is None:
        return False
    folded = text.casefold()
    if any(_holds(folded, form.casefold()) for form in (value.norm, str(element.raw))):
        return True
    if len(value.norm) >= MIN_SPACED and value.norm.casefold() in "".join(folded.split()):
        return True
    records = case.memory.provenance.records
    own = _own_words(element)
    return any(
        words <= own
        for group in goal_words.groups(text, records)
        if (words := goal_words.required(group, records))
    )


def _holds(text: str, form: str) -> bool:
    """Whether a text has these characters as whole words; scripts without spaces have no edges."""
    if not form:
        return False
    if not form.isascii():
        return form in text
    at = text.find(form)
    while at >= 0:
        around = (text[at - 1 : at], text[at + len(form) : at + len(form) + 1])
        if not any(char.isalnum() and char.isascii() for char in around):
            return True
        at = text.find(form, at + 1)
    return False


def _own_words(element: Grounded) -> frozenset[str]:
    """Every word of the records that hold the value now."""
    marks = element.standing.trusted or element.standing.others
    return frozenset(
        w for mark in marks if mark.record is not None for w in record_words(mark.record)
    )


# ── source_grounding ─────────────────────────────────────────────────────────────────────────


def source_grounding(found: Grounding, case: Case) -> str:
    """Which guarded value has no current origin; "" if every one has."""
    del case
    lost = [v.param for v in found.violations]
    return f"{', '.join(lost)} has no current origin" if lost else ""


# ── bounds_and_sanity ────────────────────────────────────────────────────────────────────────


def bounds_and_sanity(found: Grounding, case: Case) -> str:
    """Why an amount is not what the documents say is due; "" if it is."""
    recipients = found.of_role("destination")
    amounts = found.of_role("amount") or found.beside
    paired = len(recipients) == len(amounts)
    allowed = _allowed(case)
    total = sum((a for element in amounts for a in element.amounts[:1]), Decimal(0))
    for position, element in enumerate(amounts):
        payees = [recipients[position]] if paired else list(recipients)
        for amount in element.amounts:
            code = _currency(element, found)
            bounds = _Bounds(amount, code, payees, case)
            bounds.summed = "sum" in element.guard.derive
            outside = allowed.fault(amount, code, total=total)
            if outside and not (bounds.is_part and "at most" not in outside):
                return f"{element.param}: {outside}"
            if fault := bounds.fault():
                return f"{element.param}: {fault}"
    return ""


def _allowed(case: Case) -> goal_amounts.Allowed:
    home = case.memory.provenance
    return goal_amounts.allowed(
        case.memory.goals.latest,
        lambda word: home.records.count(word) > 0,
        lambda digits: bool(home.figures.bound_to(frozenset({digits}))),
    )


def _currency(element: Grounded, found: Grounding) -> str:
    return next((v.currency for v in element.readings if v.currency), found.currency)


class _Bounds:
    """One amount against the figures known: the table of C-9, first row that applies."""

    def __init__(
        self, amount: Decimal, currency: str, payees: Iterable[Grounded], case: Case
    ) -> None:
        self.amount = amount
        self.currency = currency
        self.case = case
        self.figures = case.memory.provenance.figures
        self.references = goal_references(case)
        self.vendors = [names for payee in payees if (names := _vendor_names(payee))]
        bound = self.figures.bound_to(self.references) if self.references else []
        self.parts = [f for f in bound if f.kind in ("part", "instalment")]
        self.due = _firm([f for f in bound if f.due])
        self.summed = False
        """The guard takes sums (`derive: [sum]`)."""
        self.stating = self.figures.of_amount(amount)

    def fault(self) -> str:
        """Why the amount fails; "" if it passes."""
        if self._other_currency():
            return "its currency differs from the due figure's"
        if self._conflict():
            return "documents state different due figures for the same reference"
        if self.due:
            return (
                ""
                if self._is_due() or self.is_part or self._is_sum()
                else "another figure is due for the goal's reference"
            )
        if self._of_vendor():
            return ""
        if self.figures.any_due and any(f.kind == "balance" for f in self.stating):
            return "it is a balance, not a figure that is due"
        return "" if not self.figures.any_due else "no document states it as due to this recipient"

    def _other_currency(self) -> bool:
        relevant = self.due or [f for f in self.stating if f.due]
        if not self.currency or not relevant:
            return False
        return not any(numerals.same_currency(f.currency, self.currency) for f in relevant)

    def _conflict(self) -> bool:
        for name in self.references:
            stated = {
                f.amount
                for f in self.due
                if f.trust < Trust.PLATFORM and any(same_reference(name, r) for r in f.references)
            }
            if len(stated) > 1 and not self._confirmed():
                return True
        return False

    def _confirmed(self) -> bool:
        """Whether a trusted figure of the reference or the vendor is this amount."""
        return any(
            f.trust >= Trust.PLATFORM
            and f.kind != "balance"
            and (f in self.due or self._vendor_in(f))
            for f in self.stating
        )

    def _is_due(self) -> bool:
        trusted = [f.amount for f in self.due if f.trust >= Trust.PLATFORM]
        stated = [f.amount for f in self.due]
        if trusted and self.amount not in trusted:
            # A document may claim less than what was approved, never more.
            return self.amount in stated and self.amount <= max(trusted)
        return self.amount in stated

    @property
    def is_part(self) -> bool:
        """Whether it is less than what is due and a document calls it a part."""
        if not self.due:
            return False
        least = min(f.amount for f in self.due)
        return self.amount < least and any(f.amount == self.amount for f in self.parts)

    def _is_sum(self) -> bool:
        """Whether it is the sum of what is due for several references of the goal."""
        if not self.summed:
            return False
        figures = {(f.references, f.amount, f.currency) for f in self.due}
        return is_sum(self.amount, self.currency, [(a, code) for _, a, code in figures])

    def _of_vendor(self) -> bool:
        for figure in self.stating:
            if figure.kind == "balance":
                continue
            if figure.due and (self._vendor_in(figure) or self._nobody_in(figure)):
                return True
            if figure.trust >= Trust.PLATFORM and (
                self._vendor_in(figure) or self._own_order(figure)
            ):
                return True
        return False

    def _vendor_in(self, figure: Figure) -> bool:
        return any(_mentions(figure.words, names) for names in self.vendors)

    def _nobody_in(self, figure: Figure) -> bool:
        """Whether the document names neither a vendor that is known nor any reference."""
        if figure.references:
            return False
        records = self.case.memory.provenance.records
        return not any(
            records.count(word) and word not in goal_words.GENERIC and not word.isdecimal()
            for word in figure.words
        )

    def _own_order(self, figure: Figure) -> bool:
        """Whether the figure is bound to an order that a document of the vendor names."""
        beside = self.figures.bound_to(figure.references) if figure.references else []
        return any(self._vendor_in(other) for other in beside)


def _firm(figures: list[Figure]) -> list[Figure]:
    """Figures called due; totals count only where nothing is, instalments where neither is."""
    for kind in ("due", "total"):
        if found := [f for f in figures if f.kind == kind]:
            return found
    return figures


def _vendor_names(payee: Grounded) -> frozenset[str]:
    """The words that name the recipient in its own record, legal forms left out."""
    marks = payee.standing.trusted or payee.standing.others
    found: set[str] = set()
    for mark in marks:
        if mark.record is None:
            continue
        for name, text in mark.record.fields():
            if identifies(name, text) or name == "text":
                found.update(name_words(text))
    return frozenset(
        w for w in found if len(w) > 1 and w not in goal_words.LEGAL and w not in goal_words.GENERIC
    )


def _mentions(words: frozenset[str], names: frozenset[str]) -> bool:
    if words & names:
        return True
    unspaced = [name for name in names if not name.isascii()]
    return any(name in word for name in unspaced for word in words)


CHECKS: dict[str, Check] = {
    "intent_match": intent_match,
    "source_grounding": source_grounding,
    "bounds_and_sanity": bounds_and_sanity,
}
