"""act/off-purpose-payload — private text leaves that no request names.

Numbers, ids and longer free texts of private records, unless the user picked the record out or
asked for the read that brought it (flow-rules.md §3.5 step 10, `private-token`, `private-text`).
Does not catch: a paraphrase; a private text shorter than twenty characters without digits.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.act.choice import private_leaf
from tripwire.act.declared import Declared, declared
from tripwire.act.payload import payload_texts, rare_private
from tripwire.model.event import ToolCall
from tripwire.model.label import Trust, WriteClass
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule

ID = "act/off-purpose-payload"

_LEAVING = frozenset({WriteClass.EXTERNAL, WriteClass.PUBLIC})
_SENT = _LEAVING | {WriteClass.INTERNAL, WriteClass.COMMIT}
_LONG = 20


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """A finding for the first private piece that nobody asked to send."""
    found = declared(event, case)
    if found is None or found.fetches or not found.facts.places:
        return
    if not found.classes & _SENT:
        return
    what = _private(found, case)
    if not what:
        return
    yield Finding(
        ID,
        Action.ASK,
        f"{event.exposed} would send {what}, which the request does not name, and this session has"
        f" read untrusted text",
        remedy="Send only what the user asked for, or ask them.",
        code="flow_violation",
    )


def _private(found: Declared, case: Case) -> str:
    held = case.memory.held
    texts = payload_texts(found)
    whole = "\n".join(texts)
    leaving = bool(found.classes & _LEAVING)
    for index in held.private_in(whole):
        record = held.records[index]
        if held.pinned(index) is not None:
            continue
        asked = record.source.asked and record.source.asked_by_user
        for _, value in record.leaves:
            if value in whole and not case.memory.tokens.typed(value):
                if record.source.trust is Trust.PLATFORM and private_leaf(value):
                    return "a private value"
                if leaving and len(value) >= _LONG and " " in value and not asked:
                    return "a private text"
    return "a private number or id" if rare_private(texts, case) else ""


RULE = Rule(ID, ToolCall, check)
