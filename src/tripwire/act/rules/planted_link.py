"""act/planted-link — a stranger's link, address or account is passed on, or put into own notes.

Looks at what is written besides recipients and objects (flow-rules.md §3.5 step 10, `live-token`).
Does not catch: a link of a colleague; a link that the user asked to pass on by its whole address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tripwire.act.declared import Declared, declared
from tripwire.act.payload import payload_texts
from tripwire.memory.tokens import Bits
from tripwire.model.event import ToolCall
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule
from tripwire.text import urls, words

ID = "act/planted-link"

_OURS = Bits.USER | Bits.PLATFORM | Bits.MEMBER
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """A finding for what only strangers brought."""
    found = declared(event, case)
    if found is None or found.fetches:
        return
    planted = _planted(found, case)
    if not planted:
        return
    yield Finding(
        ID,
        Action.ASK,
        f"{event.exposed} would carry {planted}, which only untrusted text brought up",
        remedy="Leave the link or address out, or ask the user whether to pass it on.",
        code="flow_violation",
    )


def _planted(found: Declared, case: Case) -> str:
    tokens = case.memory.tokens
    for text in payload_texts(found):
        for value in dict.fromkeys((*words.addresses((text,)), *_IBAN.findall(text))):
            host = urls.host_of(value) if "://" in value else ""
            seen = tokens.seen(value).bits | (tokens.token(host).bits if host else 0)
            if seen & Bits.WORLD and not seen & _OURS:
                return host or ("an account number" if _IBAN.fullmatch(value) else value)
    return ""


RULE = Rule(ID, ToolCall, check)
