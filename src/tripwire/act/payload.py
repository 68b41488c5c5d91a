"""What a described call would carry besides recipients and objects (flow-rules.md §3.5 step 10)."""

from __future__ import annotations

import re

from tripwire.act.arguments import all_texts, values_at
from tripwire.act.choice import rare_runs
from tripwire.act.declared import Declared
from tripwire.memory.tokens import Bits
from tripwire.rule import Case


def payload_texts(found: Declared) -> tuple[str, ...]:
    """The texts of all arguments that name no recipient, object or amount."""
    event, role = found.wanted.event, found.role
    named = (*role.destination, *role.object, *role.amount)
    left_out = {value for path in named for value in values_at(event.args, path)}
    left_out |= {place.value for place in found.facts.places}
    return tuple(text for text in all_texts(event.args) if text not in left_out)


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def rare_private(texts: tuple[str, ...], case: Case) -> bool:
    """Whether a number or id of private data is in `texts` that the user did not pick out.

    A date carries no secret of its own (TYPE-1).
    """
    held = case.memory.held
    pinned = [held.records[index] for index in held.pins if held.pinned(index) is not None]
    for text in texts:
        for run in rare_runs(text):
            bits = case.memory.tokens.token(run).bits
            private = bits & (Bits.PRIVATE | Bits.SECRET) and not bits & Bits.USER
            if not private or _DATE.fullmatch(run):
                continue
            if not any(run in value for record in pinned for _, value in record.leaves):
                return True
    return False
