"""Lays a project's configuration over the user-level one: tighter counts, looser is reported.

Which way is tighter stands in the tables of keys (`Key.under`). What the user-level file does not
set, the project may set freely (README of the specs, "One of each" 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tripwire.config import flow_keys, keys
from tripwire.config.keys import Key, Under
from tripwire.config.node import Node, plain_value
from tripwire.config.problems import Problems
from tripwire.config.scalars import resolve

_SECTIONS: Mapping[str, Mapping[str, Key]] = {
    "defaults": keys.DEFAULTS,
    "intent": keys.INTENT,
    "approvals": keys.APPROVALS,
    "audit": keys.AUDIT,
    "limits": keys.LIMITS,
    "telemetry": keys.TELEMETRY,
    "flow": flow_keys.FLOW,
    "flow.dlp": flow_keys.DLP,
}

_SCALE = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def merged(user: Node, project: Node, problems: Problems) -> Node:
    """One root node of both files."""
    return _section(user, project, keys.ROOT, "", problems)


def _section(
    user: Node, project: Node, table: Mapping[str, Key], path: str, problems: Problems
) -> Node:
    if not isinstance(user.value, Mapping) or not isinstance(project.value, Mapping):
        return project if isinstance(user.value, Mapping) else user
    values, places = dict(user.value), dict(user.keys)
    for name, node in project.value.items():
        at = f"{path}.{name}" if path else name
        places[name] = project.keys.get(name, node.place)
        if name not in user.value:
            values[name] = node
            continue
        key = table.get(name)
        values[name] = _value(user.value[name], node, key, at, problems) if key else node
    base = project.base or user.base
    return replace(project, value=values, keys=places, base=base)


def _value(user: Node, project: Node, key: Key, path: str, problems: Problems) -> Node:
    if key.under is Under.SECTION:
        return _section(user, project, _SECTIONS[path], path, problems)
    if key.under is Under.ENTRIES:
        return _entries(user, project, path, problems)
    if key.under is Under.UNION:
        return _union(user, project, path, problems)
    if key.under is Under.FREE or plain_value(user) == plain_value(project):
        return project
    if _tighter(user, project, key):
        return project
    if key.under is Under.SUBSET:
        return _subset(user, project, path, problems)
    problems.notice(project.place, path, f"ignored: looser than the user-level file ({user.place})")
    return user


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


def _union(user: Node, project: Node, path: str, problems: Problems) -> Node:
    added = tuple(node for node in _list(project) if not _takes_out(node))
    for node in _list(project):
        if _takes_out(node):
            problems.notice(
                node.place, path, f"ignored: takes out what the user-level file says ({user.place})"
            )
    return replace(project, value=_list(user) + added)


def _subset(user: Node, project: Node, path: str, problems: Problems) -> Node:
    allowed = [plain_value(node) for node in _list(user)]
    kept = tuple(n for n in _list(project) if _takes_out(n) or plain_value(n) in allowed)
    always = tuple(n for n in _list(user) if _takes_out(n))
    for node in _list(project):
        if node not in kept:
            problems.notice(
                node.place, path, f"ignored: not in the user-level file's list ({user.place})"
            )
    return replace(project, value=kept + always)


def _entries(user: Node, project: Node, path: str, problems: Problems) -> Node:
    if isinstance(user.value, Mapping) and isinstance(project.value, Mapping):
        values, places = dict(user.value), dict(user.keys)
        for name, node in project.value.items():
            if name in values:
                _ignored(node, user, f"{path}.{name}", problems)
            else:
                values[name], places[name] = node, project.keys.get(name, node.place)
        return replace(project, value=values, keys=places)
    if isinstance(user.value, tuple) and isinstance(project.value, tuple):
        names = {_name(node) for node in user.value} - {""}
        added = []
        for number, node in enumerate(project.value):
            if _name(node) in names:
                _ignored(node, user, f"{path}[{number}]", problems)
            else:
                added.append(node)
        return replace(project, value=user.value + tuple(added))
    return project if isinstance(user.value, Mapping | tuple) else user


def _ignored(node: Node, user: Node, path: str, problems: Problems) -> None:
    problems.notice(
        node.place, path, f"ignored: the user-level file ({user.place}) already has that name"
    )


def _name(node: Node) -> str:
    """The name of an upstream or the id of a rule, folded."""
    found = node.items.get("name") or node.items.get("id")
    return found.value.casefold() if found is not None and isinstance(found.value, str) else ""
