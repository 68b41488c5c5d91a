"""Lays a project's configuration over what lies under it: tighter counts, looser is reported.

Which way is tighter stands in the tables of keys (`Key.under`). Under an accepted project lies the
user-level file alone: what that does not set, the project may set freely. Under one that nobody
accepted lie the shipped defaults as well (`tightened`; README of the specs, "One of each" 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tripwire.config import flow_keys, keys
from tripwire.config.keys import Key, Under
from tripwire.config.node import Node, Place, plain_value
from tripwire.config.problems import Problems
from tripwire.config.scalars import resolve

_SECTIONS: Mapping[str, Mapping[str, Key]] = {
    "defaults": keys.DEFAULTS,
    "intent": keys.INTENT,
    "approvals": keys.APPROVALS,
    "audit": keys.AUDIT,
    "pins": keys.PINS,
    "limits": keys.LIMITS,
    "telemetry": keys.TELEMETRY,
    "flow": flow_keys.FLOW,
    "flow.dlp": flow_keys.DLP,
}

_SCALE = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_NOTHING = Node({})


@dataclass(frozen=True, slots=True)
class Looser:
    """One value of a project that is looser than what lies under it."""

    key: str
    """The key's path without names that the file made up, such as `flow.policies`."""
    path: str
    place: Place
    old: Node | None
    """None: there is nothing under it."""
    new: Node


def merged(user: Node, project: Node, problems: Problems) -> Node:
    """One root node of both files; what the user-level file forbids is a notice."""
    return _Merge(problems).section(user, project, keys.ROOT, "")


def tightened(
    user: Node, project: Node, shipped: Mapping[str, Node], problems: Problems
) -> tuple[Node, tuple[Looser, ...]]:
    """The root node in which the project only tightens, and what of it was left out for that.

    `shipped` holds the lists that ship, by key path; other defaults stand in the tables of keys.
    """
    merge = _Merge(problems, shipped)
    root = merge.section(user, project, keys.ROOT, "")
    return root, tuple(merge.looser)


@dataclass(slots=True)
class _Merge:
    """One laying over; `shipped` is None if the project was accepted."""

    problems: Problems
    shipped: Mapping[str, Node] | None = None
    looser: list[Looser] = field(default_factory=list)

    def section(self, user: Node, project: Node, table: Mapping[str, Key], path: str) -> Node:
        if not isinstance(user.value, Mapping) or not isinstance(project.value, Mapping):
            return project if isinstance(user.value, Mapping) else user
        values, places = dict(user.value), dict(user.keys)
        for name, node in project.value.items():
            at = f"{path}.{name}" if path else name
            places[name] = project.keys.get(name, node.place)
            key, under = table.get(name), user.value.get(name)
            if key is None or (under is None and self.shipped is None):
                values[name] = node
            elif (found := self._value(under, node, key, at)) is not None:
                values[name] = found
            else:
                values.pop(name, None)
        base = project.base or user.base
        return replace(project, value=values, keys=places, base=base)

    def _value(self, user: Node | None, project: Node, key: Key, path: str) -> Node | None:
        """What counts; None if nothing is to stand there."""
        if key.under is Under.FREE or (key.under is Under.SECTION and path not in _SECTIONS):
            return project
        if key.under is Under.SECTION:
            return self.section(user or _NOTHING, project, _SECTIONS[path], path)
        if key.under is Under.ENTRIES:
            return self._entries(user, project, path)
        if key.under is Under.UNION:
            return self._union(user, project, path)
        under = user or self._default(key, path)
        if under is not None and plain_value(under) == plain_value(project):
            return project
        if under is not None and _tighter(under, project, key):
            return project
        if key.under is Under.SUBSET and under is not None:
            return self._subset(user, under, project, path)
        self._leave_out(user, under, project, path, "looser than the user-level file")
        return user

    def _default(self, key: Key, path: str) -> Node | None:
        """What ships, if the user-level file is silent."""
        if key.under is Under.SUBSET:
            return (self.shipped or {}).get(path, Node(()))
        return None if key.under is Under.KEEP else Node(key.default)

    def _leave_out(
        self, user: Node | None, under: Node | None, project: Node, path: str, why: str
    ) -> None:
        """Report it: as forbidden by the user-level file, or as waiting for acceptance."""
        if user is not None:
            self.problems.notice(project.place, path, f"ignored: {why} ({user.place})")
        else:
            key = path.partition("[")[0]
            self.looser.append(Looser(key, path, project.place, under, project))

    def _union(self, user: Node | None, project: Node, path: str) -> Node:
        added = tuple(node for node in _list(project) if not _takes_out(node))
        for node in _list(project):
            if _takes_out(node):
                why = "takes out what the user-level file says"
                self._leave_out(user, None, node, path, why)
        return replace(project, value=(_list(user) if user is not None else ()) + added)

    def _subset(self, user: Node | None, under: Node, project: Node, path: str) -> Node:
        allowed = [plain_value(node) for node in _list(under)]
        kept = tuple(n for n in _list(project) if _takes_out(n) or plain_value(n) in allowed)
        always = tuple(n for n in _list(under) if _takes_out(n))
        for node in _list(project):
            if node not in kept:
                self._leave_out(user, None, node, path, "not in the user-level file's list")
        return replace(project, value=kept + always)

    def _entries(self, user: Node | None, project: Node, path: str) -> Node | None:
        if isinstance(project.value, Mapping) and isinstance((user or _NOTHING).value, Mapping):
            return self._named(user, project, path)
        if isinstance(project.value, tuple) and (user is None or isinstance(user.value, tuple)):
            return self._listed(user, project, path)
        if user is None:
            return None  # of a wrong type: the reading of the whole file reports it
        return project if isinstance(user.value, Mapping | tuple) else user

    def _named(self, user: Node | None, project: Node, path: str) -> Node | None:
        values, places = dict(user.items if user else {}), dict(user.keys if user else {})
        ships = (self.shipped or {}).get(path, _NOTHING).items
        for name, node in project.items.items():
            at = f"{path}.{name}"
            if user is not None and name in user.items:
                self._taken(node, user, at)
            elif self.shipped is None or (
                name in ships and plain_value(ships[name]) == plain_value(node)
            ):
                values[name], places[name] = node, project.keys.get(name, node.place)
            else:
                self.looser.append(Looser(path, at, node.place, ships.get(name), node))
        if self.shipped is not None and not values:
            return None
        return replace(project, value=values, keys=places)

    def _listed(self, user: Node | None, project: Node, path: str) -> Node | None:
        held = _list(user) if user is not None else ()
        names = {_name(node) for node in held} - {""}
        added = []
        for number, node in enumerate(_list(project)):
            at = f"{path}[{number}]"
            if user is not None and _name(node) in names:
                self._taken(node, user, at)
            elif self.shipped is None:
                added.append(node)
            else:
                self.looser.append(Looser(path, at, node.place, None, node))
        if self.shipped is not None and not held:
            return None
        return replace(project, value=held + tuple(added))

    def _taken(self, node: Node, user: Node, path: str) -> None:
        self.problems.notice(
            node.place, path, f"ignored: the user-level file ({user.place}) already has that name"
        )


def _tighter(user: Node, project: Node, key: Key) -> bool:
    if key.under is Under.RANKED:
        ranks = {word: number for number, word in enumerate(key.ranks)}
        # a wrong word counts as tight here: it is the schema's to report
        return ranks.get(_word(project), len(ranks)) >= ranks.get(_word(user), len(ranks))
    if key.under not in (Under.SMALLER, Under.LARGER):
        return False
    mine, theirs = _amount(project), _amount(user)
    if mine is None or theirs is None:
        return mine is None
    return mine <= theirs if key.under is Under.SMALLER else mine >= theirs


def _word(node: Node) -> str:
    if isinstance(node.value, bool):
        return str(node.value).lower()
    return node.value if isinstance(node.value, str) else ""


def _amount(node: Node) -> int | None:
    raw = resolve(node.value) if isinstance(node.value, str) else node.value
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int):
        return raw * 1000
    if isinstance(raw, str):
        for unit in ("ms", "s", "m", "h", "d"):
            digits = raw.removesuffix(unit)
            if digits != raw and digits.isascii() and digits.isdigit() and len(digits) < 10:
                return int(digits) * _SCALE[unit]
    return None


def _list(node: Node) -> tuple[Node, ...]:
    return node.value if isinstance(node.value, tuple) else (node,)


def _takes_out(node: Node) -> bool:
    """A path glob that takes paths out of a list again."""
    return isinstance(node.value, str) and node.value.startswith("!")


def _name(node: Node) -> str:
    """The name of an upstream or the id of a rule, folded."""
    found = node.items.get("name") or node.items.get("id")
    return found.value.casefold() if found is not None and isinstance(found.value, str) else ""
