"""act/pin — the server, or the tool, is not the one that was pinned.

Does not catch: a tool that does something else under an unchanged definition.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.model.event import ToolCall
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule

ID = "act/pin"


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """A BLOCK for a tool in quarantine; with `pins.mode: warn` the agent is only told."""
    why = case.memory.listings.quarantine(event.source, event.tool)
    if why:
        warn = case.policy.pins.mode == "warn"
        yield Finding(
            ID,
            Action.INFORM if warn else Action.BLOCK,
            f"{event.exposed}: {why}",
            remedy="Go on without it; a person can look with `tripwire pins diff` and accept it.",
            code="pin_quarantined",
        )


RULE = Rule(ID, ToolCall, check)
