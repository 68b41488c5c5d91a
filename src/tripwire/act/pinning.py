"""What a server's tools are compared with: the definitions that were pinned (gateway.md §3.2).

Pure: reads no pin file (io/pins.py) and stops nothing (act/rules/pin.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tripwire.text import fold
from tripwire.text.canonical import any_digest
from tripwire.text.edit_distance import distance

FIELDS = (
    "title", "description", "inputSchema", "outputSchema", "annotations", "icons",
)  # fmt: skip
"""What a pin covers besides the name (AP-P1)."""
SHORTEST = 5
"""Letters from which a name that differs in one of them is a look-alike (AP-P3)."""

Definition = Mapping[str, object]


def definition(tool: Mapping[str, object]) -> dict[str, object]:
    """The members of a listed tool that a pin covers."""
    return {name: tool[name] for name in FIELDS if name in tool}


@dataclass(frozen=True, slots=True)
class Look:
    """What one listing comes to: tools to pin now, and those that wait for a person, with why."""

    fresh: Mapping[str, Definition] = field(default_factory=dict)
    quarantined: Mapping[str, str] = field(default_factory=dict)


def compare(
    pinned: Mapping[str, Definition] | None,
    listed: Iterable[Mapping[str, object]],
    *,
    strict: bool,
) -> Look:
    """The tools of a listing against the pins of their server; None: it was never seen (AP-P2).

    With `strict` a tool that is new on a known server waits; else it is pinned, unless its name is
    made to be taken for another's.
    """
    found = {str(tool["name"]): definition(tool) for tool in listed if _named(tool)}
    if pinned is None:
        return Look(found)
    fresh: dict[str, Definition] = {}
    waiting: dict[str, str] = {}
    for name, now in found.items():
        if name not in pinned:
            why = _stranger(name, now, pinned, found)
            if why or strict:
                waiting[name] = why or "new since the server was pinned"
            else:
                fresh[name] = now
        elif any_digest(pinned[name]) != any_digest(now):
            waiting[name] = "changed since it was pinned: " + ", ".join(changes(pinned[name], now))
    return Look(fresh, waiting)


def changes(before: Definition, after: Definition) -> list[str]:
    """The names of the members that differ."""
    return [name for name in FIELDS if before.get(name) != after.get(name)]


def _named(tool: Mapping[str, object]) -> bool:
    return isinstance(tool.get("name"), str) and bool(tool["name"])


def _stranger(
    name: str, now: Definition, pinned: Mapping[str, Definition], listed: Mapping[str, object]
) -> str:
    """Whether a new name stands for a pinned tool: look-alike, or the tool itself renamed."""
    for known in pinned:
        if alike(name, known):
            return f"its name looks like {known}"
    schema = now.get("inputSchema")
    for known, held in pinned.items():
        if known not in listed and schema is not None and held.get("inputSchema") == schema:
            return f"{known} under another name"
    return ""


def alike(one: str, other: str) -> bool:
    """Whether two different names can be taken for each other (AP-P3)."""
    if one == other:
        return False
    if fold.skeleton(one).casefold() == fold.skeleton(other).casefold():
        return True
    near = abs(len(one) - len(other)) <= 1 and min(len(one), len(other)) >= SHORTEST
    return near and distance(one.casefold(), other.casefold()) <= 1
