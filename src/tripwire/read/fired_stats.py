"""Which tripwires fired, how often, by which route: a fold over `read.fired` entries (§4.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tripwire.read.render import in_order
from tripwire.read.tripwire_set import TripwireSet

SUPPRESSED = ("context_budget", "client_limit")


@dataclass(slots=True)
class Fired:
    """What became of one tripwire; `last` is the time stamp of the last firing that was shown."""

    name: str
    shown: int = 0
    repeats: int = 0
    denied: int = 0
    suppressed: Counter[str] = field(default_factory=Counter)
    by_route: Counter[str] = field(default_factory=Counter)
    last: str = ""

    def add(self, outcome: str, route: str, at: str) -> None:
        """Count one firing."""
        if outcome == "shown":
            self.shown += 1
            self.by_route[route] += 1
            self.last = max(self.last, at)
        elif outcome in SUPPRESSED:
            self.suppressed[outcome] += 1
        elif outcome == "denied":
            self.denied += 1
        else:
            self.repeats += 1


@dataclass(frozen=True, slots=True)
class FiredStats:
    """Firings of a project. `unreadable` records could not be counted."""

    tripwires: tuple[Fired, ...]
    """In the order of CTX-18; those that are gone since come last, by name."""
    never: tuple[str, ...]
    """Names of tripwires that can fire and were never shown."""
    records: int
    unreadable: int = 0


def fired_stats(
    rules: TripwireSet,
    entries: Iterable[tuple[str, Mapping[str, Any]]],
    *,
    now: float,
    unreadable: int = 0,
) -> FiredStats:
    """The statistics of (time stamp, data) pairs; probes of doctor do not count (CTX-37)."""
    found: dict[str, Fired] = {}
    records = 0
    for at, data in entries:
        if data.get("probe"):
            continue
        try:
            rows = [(str(r["name"]), str(r["outcome"])) for r in data["tripwires"]]
            route = str(data["route"])
        except (KeyError, TypeError):
            unreadable += 1
            continue
        records += 1
        for name, outcome in rows:
            found.setdefault(name, Fired(name)).add(outcome, route, at)
    known = {tripwire.name: in_order(tripwire) for tripwire in rules.tripwires}
    last = (len(known) + 4, "")
    order = sorted(found.values(), key=lambda each: (known.get(each.name, last), each.name))
    never = tuple(
        t.name
        for t in rules.tripwires
        if t.alive(now) and (t.name not in found or not found[t.name].shown)
    )
    return FiredStats(tuple(order), never, records, unreadable)


def as_json(stats: FiredStats) -> dict[str, Any]:
    """For `stats --fired --json`."""
    return {
        "records": stats.records,
        "unreadable": stats.unreadable,
        "tripwires": [
            {
                "name": each.name,
                "shown": each.shown,
                "repeat": each.repeats,
                "denied": each.denied,
                "suppressed": {reason: each.suppressed[reason] for reason in SUPPRESSED},
                "by_route": dict(sorted(each.by_route.items())),
                "last": each.last or None,
            }
            for each in stats.tripwires
        ],
        "never": list(stats.never),
    }
