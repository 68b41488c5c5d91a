"""act/amount — after a stranger's text, a sum that is larger than anything the user could mean.

Not typed, and above the largest sum that is typed or stands in a record naming the payee; or at
least 100 and known from a stranger's text only; or the same payee paid again by the same tool
(flow-rules.md §3.5 step 11). Does not catch: a wrong sum below those bounds.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.act.arguments import values_at
from tripwire.act.declared import Declared, declared
from tripwire.memory.tokens import Bits
from tripwire.model.event import ToolCall
from tripwire.model.label import WriteClass
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule
from tripwire.text import words

ID = "act/amount"

_LARGE = 100.0
_OWN_STEP = 1.5
"""How much a standing order of the user's own may grow without being asked about."""


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """A finding for a sum that nobody named, or a payee who was paid already."""
    found = declared(event, case)
    if found is None:
        return
    why = _too_much(found, case) or _twice(found, case)
    if not why:
        return
    yield Finding(
        ID,
        Action.ASK,
        f"{event.exposed} {why}, and this session has read untrusted text",
        remedy="Ask the user to confirm the sum.",
        code="flow_violation",
    )


def _too_much(found: Declared, case: Case) -> str:
    held = case.memory.held
    for path in found.role.amount:
        for value in values_at(found.wanted.event.args, path):
            sum_ = _number(value)
            if sum_ is None or sum_ in held.numbers or case.memory.tokens.typed(value):
                continue
            if sum_ > _most(found, case):
                return "moves a larger sum than the user or a record of that payee names"
            bits = case.memory.tokens.seen(value).bits
            if sum_ >= _LARGE and bits & Bits.WORLD and not bits & (Bits.PLATFORM | Bits.USER):
                return "moves a sum that stands in untrusted text only"
    return ""


def _most(found: Declared, case: Case) -> float:
    """The largest sum that this call may move unasked."""
    held = case.memory.held
    if not held.records and not held.numbers:
        return float("inf")  # nothing is known of any sum: other rules judge the payee
    payees = {place.value for place in found.facts.places}
    step = 1.0 if payees else _OWN_STEP
    most = max(held.numbers, default=0.0)
    ids = {value for value, _ in found.objects}
    if not payees and not any(record.holds(one) for record in held.records for one in ids):
        return float("inf")  # an own order that was not read: there is nothing to compare with
    typed = [who.casefold() for who in payees if case.memory.tokens.typed(who)]
    for record in held.records:
        names = any(record.holds(who) for who in payees or ids) or any(
            who in value.casefold() for who in typed for _, value in record.leaves
        )
        if names:
            sums = [_number(v) for k, v in record.leaves if k in ("amount", "total", "price")]
            most = max([most, *(s * step for s in sums if s is not None)])
    return most


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _twice(found: Declared, case: Case) -> str:
    event = found.wanted.event
    if WriteClass.COMMIT not in found.classes:
        return ""
    for place in found.facts.places:
        if (event.source, event.tool, words.fold(place.value)) in case.memory.held.paid:
            return "pays or books the same place a second time"
    return ""


RULE = Rule(ID, ToolCall, check)
