"""Lint of tripwires together: dependencies, duplicates, and sizes of what they show at once."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from tripwire.model.tripwire import Severity, Tripwire
from tripwire.read.hook_text import LIMIT, group_units
from tripwire.read.lint_codes import LintFinding, found
from tripwire.read.render import trimmed
from tripwire.read.tripwire_set import TripwireSet

MAX_ALL = 16_384
"""Code points of all contexts together (TW024)."""
MAX_CYCLES = 50
"""Cycles that are reported; mending these shows the rest."""


def of_groups(rules: TripwireSet, now: float) -> Iterator[LintFinding]:
    """What is wrong between tripwires."""
    alive = [tripwire for tripwire in rules.tripwires if tripwire.alive(now)]
    for tripwire in rules.tripwires:
        yield from _edges(tripwire, rules, now)
    yield from _cycles(rules)
    for tripwire in alive:
        yield from _group(tripwire, rules, now)
    yield from _twins(alive)
    size = sum(len(trimmed(tripwire.context)) for tripwire in alive)
    if size > MAX_ALL:
        text = f"all contexts together have {size:,} code points (over {MAX_ALL:,})"
        fix = "shorten or retire some: an agent meets many of them in one session"
        yield found("TW024", rules.config.tripwires_dir, text, fix=fix)


def line_of(tripwire: Tripwire, key: str) -> int:
    """The line of a key, or of the key around it; 0 if it is not known."""
    return tripwire.lines.get(key) or tripwire.lines.get(key.partition(".")[0], 0)


def _edges(tripwire: Tripwire, rules: TripwireSet, now: float) -> Iterator[LintFinding]:
    for number, name in enumerate(tripwire.depends_on):
        line = line_of(tripwire, f"depends_on.{number}")
        other = rules.by_name.get(name)
        if other is None:
            text = f'depends on "{name}", which does not exist or does not load'
            yield found("TW016", tripwire.file, text, line=line, fix="name an existing tripwire")
        elif tripwire.alive(now) and not other.alive(now):
            state = "has expired" if other.active else "is inactive"
            text = f'depends on "{name}", which {state}'
            yield found("TW018", tripwire.file, text, line=line, fix="revive it, or drop the name")


def _cycles(rules: TripwireSet) -> Iterator[LintFinding]:
    """One finding per cycle, of any length, whether it is walked at run time or not."""
    graph = {t.name: [n for n in t.depends_on if n in rules.by_name] for t in rules.tripwires}
    for _ in range(MAX_CYCLES):
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            way: list[str] = list(reversed(error.args[1]))
            first = rules.by_name[way[0]]
            text = f"dependency cycle: {' → '.join(way)}"
            line = line_of(first, f"depends_on.{first.depends_on.index(way[1])}")
            yield found("TW017", first.file, text, line=line, fix="drop one of these names")
            graph[way[0]] = [name for name in graph[way[0]] if name != way[1]]
        else:
            return


def _group(tripwire: Tripwire, rules: TripwireSet, now: float) -> Iterator[LintFinding]:
    blocks, _ = rules.group(tripwire.name, now)
    line, limit = line_of(tripwire, "context"), rules.config.max_context_length
    for warning in rules.closure(tripwire.name, now).warnings:
        if warning.code == "TW019":
            at = line_of(tripwire, "depends_on")
            fix = "raise max_dependency_depth, or depend on it directly"
            yield found("TW019", tripwire.file, warning.message, line=at, fix=fix)
            break
    cost = sum(block.cost for block in blocks)
    if tripwire.severity is Severity.CRITICAL and 0 < limit < cost:
        text = f"its group needs {cost:,} code points, the budget is {limit:,}: it is never shown"
        yield found("TW025", tripwire.file, text, line=line, fix="shorten it, or raise the budget")
    if (size := group_units(blocks)) > LIMIT:
        text = f"its group has {size:,} UTF-16 units, hooks can show {LIMIT:,}"
        fix = "shorten it; through hooks only its name is shown"
        yield found("TW026", tripwire.file, text, line=line, fix=fix)


def _twins(alive: list[Tripwire]) -> Iterator[LintFinding]:
    by_triggers: dict[frozenset[str], Tripwire] = {}
    for tripwire in alive:
        first = by_triggers.setdefault(frozenset(tripwire.triggers), tripwire)
        if first is not tripwire:
            text = f'the same triggers as "{first.name}"'
            line = line_of(tripwire, "triggers")
            yield found("TW021", tripwire.file, text, line=line, fix="join the two")
