"""`tripwire list`: the project's tripwires."""

from __future__ import annotations

import time
from typing import Annotated

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.cli.read_project import sound, tripwires_of
from tripwire.errors import UsageError
from tripwire.read.listing import as_data, line_of, listed
from tripwire.read.render import severity_of


def list_(
    *,
    tag: str = "",
    severity: str = "",
    all_: Annotated[bool, Parameter(name=["--all"], negative="")] = False,
    project: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """List the tripwires that can fire.

    Args:
        tag: Only those with this tag.
        severity: Only those of this level: critical, high, warning or info.
        all_: Those that are switched off or expired as well.
        project: The project directory; without it, the nearest one around this directory.
        json: Print a JSON list instead of text.

    """
    _, rules = tripwires_of(project)
    level = severity_of(severity)
    if severity and level is None:
        raise UsageError(f'no severity "{severity}"', fix="Use critical, high, warning or info.")
    chosen = listed(sound(rules), now=time.time(), tag=tag, severity=level, dead=all_)
    if json:
        show.data([as_data(t) for t in chosen])
        return 0
    show.text(f"{len(chosen)} tripwire(s):\n" if chosen else "No tripwires found.\n")
    for t in chosen:
        show.line(line_of(t))
    return 0
