"""Policies and roles: what each tool of a source reads and writes (flow.md §2.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tripwire.config import flow_keys
from tripwire.config.node import Node
from tripwire.config.problems import Problems
from tripwire.config.reading import Section, Value
from tripwire.config.strict_yaml import packaged
from tripwire.config.suggest import did_you_mean
from tripwire.config.upstream_schema import glob, globs
from tripwire.model.label import Label, Trust, WriteClass
from tripwire.model.policy import Condition, Role, ToolRoles

SOURCES = {"platform": Trust.PLATFORM, "member": Trust.MEMBER, "world": Trust.WORLD}
FIELD_KINDS = ("contact", "platform", "id", "text")
CLASSIFIERS = ("shell", "notebook", "url", "path")
NOT_TOOLS = frozenset({"flow", "paths", "shell"})
"""Packaged files that are no policies."""

_FILE = re.compile(r"[/\\]|\.ya?ml$|\.json$")
_WILD = re.compile(r"[*?\[\]{}()!+@\\]")


@dataclass(frozen=True, slots=True)
class Library:
    """Where named policies and policy files come from; `load.py` makes it."""

    names: tuple[str, ...]
    file: Callable[[Path, Value], Node | None]

    @property
    def policies(self) -> tuple[str, ...]:
        """The packaged files that are policies."""
        return tuple(name for name in self.names if name not in NOT_TOOLS)


def policies(value: Value | None, library: Library) -> dict[str, ToolRoles]:
    """Source → roles. An entry without roles is a fault: it would pass everything."""
    if value is None:
        return {}
    if value.node.value == {}:
        value.fail("names no policy, so no tool has a role", "name a preset, or remove the key")
    found = {}
    for source, _, entry in value.pairs():
        roles = _policy(entry, library)
        if roles is not None:
            found[source] = roles
    return found


def _policy(entry: Value, library: Library) -> ToolRoles | None:
    raw = entry.node.value
    if isinstance(raw, Mapping):
        return _inline(entry, library)
    name = entry.text()
    if not name:
        return None
    if name in library.policies:
        return preset_roles(name)
    if _FILE.search(name):
        node = library.file(Path(entry.node.base, Path(name).expanduser()), entry)
        return None if node is None else _inline(replace_value(entry, node), library)
    entry.fail(f"no preset is named {entry.shown()}", did_you_mean(name, library.policies))
    return None


def replace_value(value: Value, node: Node) -> Value:
    """The same reading position in another file."""
    return Value(node, "", value.problems)


@cache
def preset_roles(name: str) -> ToolRoles:
    """The roles of a packaged policy."""
    from_file = Value(packaged(name)[0], "", Problems())
    roles = _inline(from_file, Library((), lambda _path, _asked: None))
    from_file.problems.raise_if_any()
    return replace(roles, preset=name) if roles is not None else ToolRoles(preset=name)


def _inline(entry: Value, library: Library) -> ToolRoles | None:
    """`{tools: …, preset: …}`, or directly tool → role."""
    whole = set(entry.node.items) <= set(flow_keys.POLICY) and "tools" in entry.node.items
    base = ToolRoles()
    tools: Value | None = entry
    own_only = False
    if whole or "preset" in entry.node.items:
        section = entry.section(flow_keys.POLICY)
        base = _base(section.get("preset"), library)
        own_only = section.flag("own_only", default=base.own_only)
        tools = section.get("tools")
    roles = dict(base.roles)
    for tool, place, value in tools.pairs() if tools is not None else ():
        if _WILD.search(tool):
            glob(Value(Node(tool, place), value.path, value.problems))
        roles[tool] = _variants(value)
    if not roles:
        entry.fail("has no roles, so it would pass everything", "add a tool, or name a preset")
        return None
    return ToolRoles(_specific_first(roles), base.preset, own_only)


def _base(value: Value | None, library: Library) -> ToolRoles:
    if value is None:
        return ToolRoles()
    name = value.text()
    if name in library.policies:
        return preset_roles(name)
    value.fail(f"no preset is named {value.shown()}", did_you_mean(name, library.policies))
    return ToolRoles()


def _specific_first(roles: Mapping[str, tuple[Role, ...]]) -> dict[str, tuple[Role, ...]]:
    """Exact names, then globs by the length of their literal prefix (flow.md §2.4)."""

    def rank(tool: str) -> tuple[bool, int, str]:
        wild = _WILD.search(tool)
        return wild is not None, -(wild.start() if wild else len(tool)), tool

    return {tool: roles[tool] for tool in sorted(roles, key=rank)}


def _variants(value: Value) -> tuple[Role, ...]:
    if isinstance(value.node.value, tuple):
        found = tuple(_role(entry) for entry in value.each())
        if not found:
            value.fail("must not be empty", "write a role, or harmless: true")
        return found
    return (_role(value),)


def _role(value: Value) -> Role:
    section = value.section(flow_keys.ROLE)
    source = section.word("source", SOURCES, "")
    role = Role(
        reads=frozenset(Label(word) for word in section.words("reads", Label)),
        writes=frozenset(WriteClass(word) for word in section.words("writes", WriteClass)),
        when=_conditions(section.get("when")),
        unless=_conditions(section.get("unless")),
        destination=_arguments(section, "destination"),
        carries_data=section.flag("carries_data"),
        object=_arguments(section, "object"),
        amount=_arguments(section, "amount"),
        source=SOURCES[source] if source else None,
        records=section.flag("records"),
        kind=section.text("kind"),
        authority=_arguments(section, "authority"),
        payload=_arguments(section, "payload"),
        fields=_fields(section.get("fields")),
        effects=section.texts("effects"),
        classifier=section.word("classifier", CLASSIFIERS, ""),
        path=_arguments(section, "path"),
        access=section.word("access", ("read", "write"), ""),
        harmless=section.flag("harmless"),
        user_words=section.flag("user_words"),
        delegates=section.flag("delegates"),
    )
    if section.usable:
        _check_role(section, role)
    return role


def _check_role(section: Section, role: Role) -> None:
    if not set(section.value.node.items) - {"when", "unless", "kind"}:
        section.fail(
            "says nothing, so the tool would pass unseen", "write reads, writes, or harmless: true"
        )
    if role.harmless and (role.reads or role.writes or role.classifier):
        section.fail("harmless excludes reads, writes and classifier", "remove one")
    if role.carries_data and not (role.destination or role.classifier):
        section.fail("carries_data needs a destination", "name the argument")


def _arguments(section: Section, name: str) -> tuple[str, ...]:
    value = section.get(name)
    if value is None:
        return ()
    found = []
    for entry in value.many():
        text = entry.text()
        if text.count("[") != text.count("]") or text.startswith(".") or text.endswith("."):
            entry.fail(
                f"{value.shown()} is no argument path",
                "write it like to, headers.cc or attendees[*].email",
            )
        elif text:
            found.append(text)
    return tuple(found)


def _conditions(value: Value | None) -> tuple[Condition, ...]:
    if value is None:
        return ()
    if value.node.value == {}:
        value.fail("must not be empty", "name an argument, or remove the key")
    return tuple(Condition(subject, globs(entry)) for subject, _, entry in value.pairs())


def _fields(value: Value | None) -> dict[str, str]:
    if value is None:
        return {}
    return {path: entry.word(FIELD_KINDS, "text") for path, _, entry in value.pairs()}
