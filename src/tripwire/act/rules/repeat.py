"""act/repeat — the same payment was already made in this session (gateway.md C-8).

Does not catch: a repeat through another tool, or with a reference that evidence also names.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.act.grounding import Grounding, ground, grounding
from tripwire.act.params import call_effect
from tripwire.act.references import call_references, known_references
from tripwire.memory.deeds import Deed
from tripwire.model.event import ToolCall
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule
from tripwire.text import numerals

ID = "act/repeat"


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """An earlier call of the same tool with equal destination, amount, currency and reference."""
    found = grounding(event, case)
    if found is None or call_effect(case, event.source, event.tool) == "read":
        return
    if not found.of_role("destination") or not found.of_role("amount"):
        return
    deeds = {
        deed.receipt: deed
        for key in _destinations(found)
        for deed in case.memory.deeds.with_value(event.exposed, key)
    }
    for _, deed in sorted(deeds.items(), reverse=True):
        if _same(found, event, deed, case):
            yield Finding(
                ID,
                Action.ASK,
                f"the same {event.exposed} was already made (receipt {deed.receipt})",
                remedy="Do not repeat it unless the user wants it twice.",
                code="duplicate_action",
                at=found.rule.at,
                earlier_receipt=deed.receipt,
            )
            return


def _same(found: Grounding, event: ToolCall, deed: Deed, case: Case) -> bool:
    earlier = ToolCall("", event.source, event.tool, deed.args)
    before = ground(found.rule, earlier, case)
    if not numerals.same_currency(found.currency, before.currency):
        return False
    here, there = _destinations(found), _destinations(before)
    if not (here <= there or there <= here) or _keys(found, "amount") != _keys(before, "amount"):
        return False
    return _reference(event, case) == _reference(earlier, case)


def _keys(found: Grounding, role: str) -> frozenset[str]:
    return frozenset(v.key for e in found.of_role(role) for v in e.readings)


def _destinations(found: Grounding) -> frozenset[str]:
    """Accounts and addresses; names only where nothing else tells the recipient."""
    keys = _keys(found, "destination")
    return frozenset(key for key in keys if not key.startswith("text:")) or keys


def _reference(event: ToolCall, case: Case) -> frozenset[str]:
    """The references of the call that evidence knows, else the goal's."""
    return known_references(call_references(event), case)


RULE = Rule(ID, ToolCall, check)
