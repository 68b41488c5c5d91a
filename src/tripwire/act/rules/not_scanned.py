"""act/not-scanned — a call would carry out something that nobody could look into.

Does not catch: a value that can be opened but whose meaning is hidden (an encrypted archive is text
to us); for known secrets see act/known-secret.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.act.facts import call_facts
from tripwire.model.event import ToolCall
from tripwire.model.label import Label
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule

ID = "act/not-scanned"
_TAINTING = frozenset({Label.UNTRUSTED, Label.PRIVATE, Label.SECRET})


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """Ask where something leaves a session that has read anything (flow.md LIB-2); else inform."""
    if not event.unopened:
        return
    facts = call_facts(event, case)
    tainted = bool(case.memory.labels.as_set() & _TAINTING)
    action = Action.ASK if tainted and facts.leaves else Action.INFORM
    kinds = ", ".join(sorted(set(event.unopened)))
    yield Finding(
        ID,
        action,
        f"arguments of type {kinds} could not be opened, so they were not scanned",
        remedy="Pass plain data (text, numbers, lists, mappings, dataclasses) instead.",
        evidence=case.memory.labels.origins(Label.SECRET),
    )


RULE = Rule(ID, ToolCall, check)
