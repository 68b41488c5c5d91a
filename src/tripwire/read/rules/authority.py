"""read/authority — an agent changes the project's tripwires past the tool that is made for it.

Does not catch: a program of the project that does it when it runs, or the deletion of a directory
around the project.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.model.event import ToolCall
from tripwire.model.verdict import Action, Finding
from tripwire.read.places import touches_config
from tripwire.read.render import one_line
from tripwire.rule import Case, Rule

ID = "read/authority"
_REMEDY = "Use create_tripwire, or let a person edit the file."


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """An ASK for a visible write below `tripwires_dir` or to the configuration (CTX-43)."""
    rules = case.policy.read
    if rules is None or not rules.config.protect_tripwires:
        return
    for access in event.touched:
        hit = next((f for f in access.forms if touches_config(f, rules.config)), None)
        if access.writes and hit is not None:
            reason = f"{event.exposed} changes the project's tripwires: {one_line(hit)}"
            yield Finding(ID, Action.ASK, reason, _REMEDY)
            return


RULE = Rule(ID, ToolCall, check)
