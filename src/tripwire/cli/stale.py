"""`tripwire stale`: which tripwires have been overtaken by the files they speak of."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.cli.read_project import sound, tripwires_of
from tripwire.io.git import repository
from tripwire.io.project_files import walk
from tripwire.read.history import History
from tripwire.read.stale import DEAD, STALE, UNKNOWN, Staleness, as_json, staleness
from tripwire.read.tripwire_set import TripwireSet


def stale(
    *,
    fail: Annotated[bool, Parameter(negative="")] = False,
    project: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Say how far the files have moved on since each tripwire was last edited.

    Stale: as many commits as `stale_commits`, or as much of the lines as `stale_ratio`. Dead: it
    matches no file. Unknown: the history is cut off before its last edit, as in a shallow clone.

    Args:
        fail: Exit code 1 if one is stale or dead.
        project: The project directory; without it, the nearest one around this directory.
        json: Print one JSON object instead of text.

    """
    root, rules = tripwires_of(project)
    found, history = looked_at(root, sound(rules))
    bad = any(each.state in (STALE, DEAD) for each in found)
    if json:
        show.data(as_json(found, complete=history.complete))
        return 1 if fail and bad else 0
    if not found:
        show.line("No tripwires found.")
    for each in found:
        show.line(f"  {each.state:<12}{each.tripwire.name}{_measured(each)}")
    if any(each.state == UNKNOWN for each in found):
        show.warning("the history is cut off; in CI, check out with fetch-depth: 0")
    return 1 if fail and bad else 0


def looked_at(root: Path, rules: TripwireSet) -> tuple[tuple[Staleness, ...], History]:
    """Every tripwire against the history around `root`. Raises UsageError."""
    history = repository(root).history()
    files = list(walk(root, lambda path: rules.excluded((path,))))
    return staleness(rules, history, files, now=time.time()), history


def _measured(each: Staleness) -> str:
    if not each.since or each.state in (DEAD, UNKNOWN):
        return ""
    return f": {each.commits} commit(s), {each.ratio:.0%} of the lines since {each.since[:12]}"
