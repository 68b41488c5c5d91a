"""What `list`, `check` and `stats` say, as values; all in the order of CTX-18."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tripwire.model.tripwire import ReadPlan, Severity, Tripwire
from tripwire.read.render import good_tags, in_order, one_line
from tripwire.read.tripwire_set import TripwireSet

_NO_TRIPWIRE = frozenset({"TW006", "TW007"})
"""Problems that are no tripwire file which fails to load."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One tripwire that would fire, with everything it brings along."""

    tripwire: Tripwire
    globs: tuple[str, ...]
    dependencies: tuple[str, ...]
    content: str = ""


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts over a project. The breakdowns are of what can fire."""

    total: int
    active: int
    inactive: int
    expired: int
    broken: int
    by_severity: dict[str, int]
    by_tag: dict[str, int]
    by_creator: dict[str, int]


def listed(
    rules: TripwireSet,
    *,
    now: float,
    forms: Sequence[str] | None = None,
    tag: str = "",
    severity: Severity | None = None,
    dead: bool = False,
) -> tuple[Tripwire, ...]:
    """The tripwires that can fire (with `dead`: all), for a path if `forms` are given.

    An excluded path has none (CTX-12). A content condition is not looked at.
    """
    chosen = rules.tripwires
    if forms is not None:
        excluded = not forms or rules.excluded(forms)
        chosen = () if excluded else tuple(t for t, _ in rules.matching(forms))
    return tuple(
        t
        for t in chosen
        if (dead or t.alive(now))
        and (not tag or tag in t.tags)
        and (severity is None or t.severity is severity)
    )


def checked(plan: ReadPlan) -> tuple[Checked, ...]:
    """What would fire for the plan's path, budget or not; the plan must be of an empty scope."""
    return tuple(
        Checked(
            group.root.tripwire,
            group.root.globs,
            tuple(
                t.name
                for t in sorted((b.tripwire for b in group.whole if b.originator), key=in_order)
            ),
            group.root.content,
        )
        for group in plan.groups
    )


def as_data(tripwire: Tripwire) -> dict[str, object]:
    """A tripwire in a list, as JSON."""
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


def line_of(tripwire: Tripwire) -> str:
    """The same in one line for people (§4.1)."""
    good = good_tags(tripwire.tags)
    tags = f" [{', '.join(good)}]" if good else ""
    triggers = one_line(", ".join(tripwire.triggers))
    return f"- {tripwire.name} ({tripwire.severity.value}){tags}: {triggers}"


def stats(rules: TripwireSet, *, now: float) -> Stats:
    """The totals of §4.2."""
    alive = [tripwire for tripwire in rules.tripwires if tripwire.alive(now)]
    loaded = {tripwire.file for tripwire in rules.tripwires}
    place = f"{rules.config.tripwires_dir.strip('/')}/"
    broken = {
        problem.file
        for problem in rules.problems
        if problem.code not in _NO_TRIPWIRE
        and problem.file.startswith(place)
        and problem.file not in loaded
    }
    severities = Counter(tripwire.severity for tripwire in alive)
    tags = Counter(tag for tripwire in alive for tag in good_tags(tripwire.tags))
    creators = Counter(tripwire.created_by or "unknown" for tripwire in alive)
    return Stats(
        total=len(rules.tripwires) + len(broken),
        active=len(alive),
        inactive=sum(not tripwire.active for tripwire in rules.tripwires),
        expired=sum(t.dead_from is not None and t.dead_from <= now for t in rules.tripwires),
        broken=len(broken),
        by_severity={level.value: severities[level] for level in Severity},
        by_tag=dict(sorted(tags.items())),
        by_creator=dict(sorted(creators.items())),
    )
