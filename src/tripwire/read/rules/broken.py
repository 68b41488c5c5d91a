"""read/broken — a file of the project's knowledge does not load, so its advice is missing.

Does not catch: a file that loads and says something else than was meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.model.tripwire import FileAccess, ReadConfig
from tripwire.model.verdict import Action, Finding
from tripwire.read.knowledge import Touching, knowledge
from tripwire.read.places import inside_config
from tripwire.read.render import broken, one_line
from tripwire.rule import Case, Rule

ID = "read/broken"
_FIX = "Mend the file; `tripwire lint` shows every fault."


def check(event: Touching, case: Case) -> Iterator[Finding]:
    """An INFORM with the notice; a BLOCK under `on_broken: block` (CTX-8)."""
    known = knowledge(event, case)
    if known is None or not known.plan.problems:
        return
    plan = known.plan
    blocks = plan.config.on_broken == "block" and not _mending(event.touched, plan.config)
    if not (blocks or plan.notices):
        return
    found = plan.problems if blocks else plan.notices
    first = [problem for problem in found if problem.file == found[0].file]
    alone = not plan.groups
    yield Finding(
        ID,
        Action.BLOCK if blocks else Action.INFORM if known.text else Action.ALLOW,
        one_line(broken(first)),
        remedy=f"{one_line(found[0].where)}: {one_line(found[0].fix) or _FIX}",
        at=one_line(found[0].where),
        tell=known.text if alone else "",
        firing=known.firing if alone else None,
    )


def _mending(touched: tuple[FileAccess, ...], config: ReadConfig) -> bool:
    """Whether nothing but the broken files' own place is touched, so that they can be mended."""
    return all(a.forms and all(inside_config(f, config) for f in a.forms) for a in touched)


RULE = Rule(ID, Touching, check)
