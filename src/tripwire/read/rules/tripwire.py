"""read/tripwire — the agent touches a path that the team knows something about.

Does not catch: a path that the client does not report, or one that the agent's shell command puts
together at run time.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.model.verdict import Action, Finding
from tripwire.read.knowledge import Touching, knowledge
from tripwire.rule import Case, Rule

ID = "read/tripwire"


def check(event: Touching, case: Case) -> Iterator[Finding]:
    """The context as an INFORM; what was shown before or does not fit is recorded all the same."""
    known = knowledge(event, case)
    if known is None or not known.plan.groups:
        return
    names = [group.root.tripwire.name for group in known.plan.groups]
    yield Finding(
        ID,
        Action.INFORM if known.text else Action.ALLOW,
        f"{', '.join(names[:5])}{' …' if len(names) > 5 else ''}",
        tell=known.text,
        firing=known.firing,
    )


RULE = Rule(ID, Touching, check)
