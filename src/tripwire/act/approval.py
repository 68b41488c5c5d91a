"""What a person's yes covers: one call, or the calls of a scope; with at most the labels it had.

Does not ask anybody: a door does, and reports the answer as `Approved` (gateway.md §3.7).
"""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import dataclass
from decimal import Decimal

from tripwire.act.facts import call_facts
from tripwire.act.grounding import grounding
from tripwire.errors import NotCanonical
from tripwire.memory.memory import Memory
from tripwire.model.event import Approved, ToolCall
from tripwire.rule import Case
from tripwire.text import numerals, values
from tripwire.text.canonical import canonical_bytes


def call_hash(event: ToolCall, memory: Memory | None = None) -> str:
    """SHA-256 hex of the canonical {tool, arguments, principal, conversation, pin} (A-2).

    Conversation and pin are the memory's; a door that only wants to know the same call again
    leaves it out. Arguments that RFC 8785 cannot express are hashed in a form of their own, which
    no canonical form can equal.
    """
    bound: dict[str, object] = {
        "tool": event.exposed,
        "arguments": dict(event.args),
        "principal": event.principal,
    }
    if memory is not None:
        bound["conversation"] = memory.approvals.conversation
        bound["pin"] = memory.listings.fingerprint(event.source, event.tool)
    return hashlib.sha256(_canonical(bound)).hexdigest()


def _canonical(bound: dict[str, object]) -> bytes:
    try:
        return canonical_bytes(bound)
    except NotCanonical:
        text = json.dumps(bound, sort_keys=True, default=repr)
        return b"\x00" + text.encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Reach:
    """Where a call goes and what it moves, as a scope sees it. `amount` None: it has no sum.

    `unclear`: a sum that cannot be read, or sums of two currencies: no scope covers the call.
    """

    destinations: frozenset[str]
    amount: Decimal | None = None
    currency: str = ""
    unclear: bool = False


def reach(event: ToolCall, case: Case) -> Reach:
    """Keyed hashes of the call's destinations, and the sum of its amounts."""
    places = {f"{place.kind}:{place.value}" for place in call_facts(event, case).places}
    found = grounding(event, case)
    if found is None:
        return Reach(_hashed(places, case))
    for element in found.of_role("destination"):
        places |= {value.key for value in element.readings} or {f"raw:{element.raw!r}"}
    total: Decimal | None = None
    currencies = {found.currency} - {""}
    unclear = False
    for element in (*found.of_role("amount"), *found.beside):
        unclear |= len(set(element.amounts)) != 1
        currencies |= {v.currency for v in element.readings} - {""}
        total = (total or Decimal(0)) + abs(sum(set(element.amounts), Decimal(0)))
    unclear |= len(currencies) > 1
    return Reach(_hashed(places, case), total, next(iter(sorted(currencies)), ""), unclear)


def _hashed(places: set[str], case: Case) -> frozenset[str]:
    key = case.memory.approvals.key
    return frozenset(
        hmac.digest(key, f"destination\0{p}".encode("utf-8", "surrogatepass"), "sha256").hex()[:32]
        for p in places
    )


def approved_rules(event: ToolCall, case: Case) -> tuple[frozenset[str], str]:
    """The rules a person has silenced for this call, and a note for the record.

    A grant counts while it has not expired and the session holds no label it did not hold then
    (flow.md APR-1, FLOW-3). A BLOCK stays whatever was approved: see `Verdict.approved`.
    """
    valid = covering(event, case)
    rules = frozenset(rule for a in valid for rule in a.rules)
    return rules, "; ".join(dict.fromkeys(f"approved by {a.approver}" for a in valid))


def covering(event: ToolCall, case: Case) -> tuple[Approved, ...]:
    """The approvals that cover this call now."""
    held = case.memory.approvals
    if not held.granted and not held.scoped:
        return ()
    exact = held.granted.get(call_hash(event, case.memory), ()) if held.granted else ()
    wide = [a for a in held.scoped.values() if a.tool == event.exposed]
    labels = case.memory.labels.as_set()
    found = [a for a in (*exact, *wide) if _fresh(a, event) and labels <= a.labels]
    if any(a.tool for a in found):
        place = reach(event, case)
        found = [a for a in found if not a.tool or _within(a, place, case)]
    return tuple(found)


def _fresh(approval: Approved, event: ToolCall) -> bool:
    return not approval.expires or event.at <= approval.expires


def _within(approval: Approved, call: Reach, case: Case) -> bool:
    """Whether a scope covers where the call goes, and the sum with all that went before."""
    if call.unclear or not call.destinations or not call.destinations <= approval.destinations:
        return False
    if call.amount is None:
        return True
    limit = limit_of(approval.max_amount)
    if limit is None:
        return False
    most, currency = limit
    spent = case.memory.approvals.spent.get(approval.approval_id, Decimal(0))
    same = numerals.same_currency(currency, call.currency) if currency and call.currency else False
    return (same or currency == call.currency) and spent + call.amount <= most


def limit_of(text: str) -> tuple[Decimal, str] | None:
    """`1200 EUR` as a sum and a currency; None for what is not exactly one sum."""
    found = values.amount(text) if text else ()
    if len({value.norm for value in found}) != 1:
        return None
    sum_ = Decimal(found[0].norm)
    return (sum_, found[0].currency) if sum_ >= 0 else None


def learn_use(event: ToolCall, case: Case) -> None:
    """The call goes through: what it was approved by is used, and a scope has less left."""
    held = case.memory.approvals
    if not held.granted and not held.scoped:
        return
    for approval in covering(event, case):
        if approval.tool and (moved := reach(event, case).amount) is not None:
            held.spend(approval.approval_id, moved)
    held.use(call_hash(event, case.memory))
