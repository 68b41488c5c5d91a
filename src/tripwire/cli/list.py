"""`tripwire list`: the project's tripwires."""

from __future__ import annotations

import time
from typing import Annotated

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.cli.read_project import sound, tripwires_of
from tripwire.errors import UsageError
from tripwire.model.tripwire import Tripwire
from tripwire.read.listing import listed
from tripwire.read.render import good_tags, severity_of


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
        show.data([_as_data(t) for t in chosen])
        return 0
    show.text(f"{len(chosen)} tripwire(s):\n" if chosen else "No tripwires found.\n")
    for t in chosen:
        tags = f" [{', '.join(good_tags(t.tags))}]" if good_tags(t.tags) else ""
        show.line(f"- {t.name} ({t.severity.value}){tags}: {', '.join(t.triggers)}")
    return 0


def _as_data(tripwire: Tripwire) -> dict[str, object]:
    return {
        "name": tripwire.name,
        "severity": tripwire.severity.value,
        "tags": list(good_tags(tripwire.tags)),
        "triggers": list(tripwire.triggers),
        "file": tripwire.file,
        "created_by": tripwire.created_by,
        "expires": tripwire.expires,
        "active": tripwire.active,
    }
