"""act/off-purpose — after a stranger's text, a kind of action that the user never asked for.

Compares the call's class with the user's words by a lexicon (flow-rules.md §3.3, §3.5).
Does not catch: another call of the very kind that was asked for; nouns that sound like a request.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.act.declared import Declared, declared
from tripwire.model.event import ToolCall
from tripwire.model.label import WriteClass
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule

ID = "act/off-purpose"

_ADDRESSED = frozenset(
    {WriteClass.EXTERNAL, WriteClass.COMMIT, WriteClass.PUBLIC, WriteClass.PRIVILEGED}
)
_EFFECTS = {
    WriteClass.DESTRUCTIVE: "deletes or cancels something",
    WriteClass.COMMIT: "pays or books something",
    WriteClass.PRIVILEGED: "changes who may do what",
    WriteClass.PUBLIC: "publishes something",
    WriteClass.EXTERNAL: "sends something out",
    WriteClass.INTERNAL: "makes or changes something",
}


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """A finding if no word of the user asks for such a call."""
    found = declared(event, case)
    if found is None or found.fetches or not case.policy.flow.purpose or found.wanted.licensed:
        return
    if _spared(found):
        return
    effect = next(text for cls, text in _EFFECTS.items() if cls in found.classes)
    yield Finding(
        ID,
        Action.ASK,
        f"{event.exposed} {effect}, which nothing the user said asks for, and this session has"
        f" read untrusted text",
        remedy="Do what the user asked; ask them before doing anything else.",
        code="flow_violation",
    )


def _spared(found: Declared) -> bool:
    """Calls that another rule answers for, or that go where the user said and nowhere else."""
    classes = found.classes
    if not classes & _EFFECTS.keys():
        return True
    if WriteClass.DESTRUCTIVE in classes:
        return False
    places = found.facts.places
    if classes & _ADDRESSED:
        return bool(places) and all(p.why in ("typed", "your own") for p in places)
    return bool(places) or bool(found.objects)


RULE = Rule(ID, ToolCall, check)
