"""act/unnamed-object — after a stranger's text, a thing is used that the user did not pick out.

Files to attach or share, events to move, records to change (flow-rules.md §3.4, §3.5 step 8).
Deletions are act/delete-after-untrusted. Does not catch: an own object that a read the user asked
for brought up, in a change the user asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.act.choice import object_ok
from tripwire.act.declared import declared
from tripwire.model.event import ToolCall
from tripwire.model.label import WriteClass
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule

ID = "act/unnamed-object"


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """A finding for the objects that nobody but the agent picked."""
    found = declared(event, case)
    if found is None or WriteClass.DESTRUCTIVE in found.classes:
        return
    internal = found.classes <= {WriteClass.INTERNAL}
    strange = [
        value
        for value, kind in found.objects
        if not object_ok(value, kind, found.wanted, internal=internal)
    ]
    if not strange:
        return
    shown = ", ".join(v if len(v) <= 32 and v.isprintable() else "…" for v in strange[:3])
    yield Finding(
        ID,
        Action.ASK,
        f"{event.exposed} uses {shown}, which the user did not pick out, and this session has read"
        f" untrusted text",
        remedy="Ask the user which one they mean.",
        code="flow_violation",
    )


RULE = Rule(ID, ToolCall, check)
