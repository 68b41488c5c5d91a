"""`tripwire stats`: how many tripwires there are, and which of them fire."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.cli.read_project import sound, tripwires_of
from tripwire.cli.since import moment
from tripwire.errors import UsageError
from tripwire.io.fired import firings
from tripwire.io.reading import usual_roots
from tripwire.read.fired_stats import Fired, FiredStats, as_json, fired_stats
from tripwire.read.listing import Stats
from tripwire.read.listing import stats as totals
from tripwire.read.render import one_line
from tripwire.read.tripwire_set import TripwireSet


def stats(
    *,
    fired: Annotated[bool, Parameter(negative="")] = False,
    since: str = "",
    state: Annotated[tuple[Path, ...], Parameter(consume_multiple=False)] = (),
    project: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Count the project's tripwires; with --fired also what agents were shown.

    Args:
        fired: Also say how often each tripwire was shown or held back, when last, by which route,
            and which never was. Probes of `tripwire doctor` do not count.
        since: With --fired: only from then on, as 2026-11-30, 30d, 12h or 2w.
        state: State directories whose sessions count (repeat for more). Default: `.tripwire` here
            and in the project, then your own.
        project: The project directory; without it, the nearest one around this directory.
        json: Print one JSON object instead of text.

    """
    if (since or state) and not fired:
        raise UsageError("--since and --state are about --fired", fix="Add --fired.")
    root, rules = tripwires_of(project)
    now = time.time()
    counted = totals(sound(rules), now=now)
    shown = _fired(root, rules, now, since, state) if fired else None
    if json:
        show.data(asdict(counted) | ({"fired": as_json(shown)} if shown is not None else {}))
        return 0
    _print_totals(counted)
    if shown is not None:
        _print_fired(shown)
    return 0


def _fired(
    root: Path, rules: TripwireSet, now: float, since: str, state: tuple[Path, ...]
) -> FiredStats:
    if missing := next((place for place in state if not place.is_dir()), None):
        raise UsageError("no such directory", where=f"--state {missing}")
    states = state or (*usual_roots(), root / ".tripwire")
    found = firings(states, root, since=moment(since, now) if since else None)
    return fired_stats(rules, found.entries, now=now, unreadable=found.unreadable)


def _print_totals(counted: Stats) -> None:
    dead = f"{counted.inactive} inactive, {counted.expired} expired, {counted.broken} broken"
    show.line(f"{counted.total} tripwire(s): {counted.active} active, {dead}")
    for title, counts in (
        ("severity", counted.by_severity),
        ("tag", counted.by_tag),
        ("creator", counted.by_creator),
    ):
        if counts:
            show.line(f"  by {title:<9}{_counts(counts)}")


def _print_fired(shown: FiredStats) -> None:
    show.line(f"{shown.records} event(s) at which something fired")
    for each in shown.tripwires:
        show.line(f"  {one_line(each.name)}: {_outcomes(each)}")
    if shown.never:
        show.line(f"  never shown: {', '.join(shown.never)}")
    if shown.unreadable:
        show.warning(f"{shown.unreadable} record(s) could not be read and are not counted")


def _outcomes(each: Fired) -> str:
    counts = {"repeated": each.repeats, "denied": each.denied}
    counts |= {f"suppressed by {reason}": each.suppressed[reason] for reason in each.suppressed}
    more = "".join(f", {number} {what}" for what, number in counts.items() if number)
    routes = f" ({_counts(dict(sorted(each.by_route.items())))})" if each.by_route else ""
    last = f", last {each.last}" if each.last else ""
    return f"shown {each.shown}{routes}{more}{last}"


def _counts(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{one_line(name)} {number}" for name, number in counts.items())
