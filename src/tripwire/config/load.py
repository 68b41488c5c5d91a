"""Reads `tripwire.yaml` over the user-level file, and policies from mappings.

All faults of both files are raised at once, as PolicyErrors; what the project may not loosen is
ignored and named in `Policy.notices`. A project that a person has not accepted loosens nothing at
all; `Policy.unaccepted` then says so (ADR 0013).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from tripwire.config import places, trust
from tripwire.config.flow_schema import Shipped, shipped
from tripwire.config.interpolate import interpolated
from tripwire.config.merge import Looser, merged, tightened
from tripwire.config.node import Node, Place, plain_node
from tripwire.config.problems import Problems
from tripwire.config.reading import Value
from tripwire.config.roles_schema import Library
from tripwire.config.schema import Given, policy_of
from tripwire.config.shell_tables import load_shell_tables
from tripwire.config.strict_yaml import PRESETS, preset_names, read_file
from tripwire.model.policy import Policy


def load_policy(
    path: Path | None, *, project: Path | None = None, user: Path | None = None
) -> Policy:
    """The Policy of `path`, else the `tripwire.yaml` in or above `project`, over the user's file.

    Whoever gives `path` answers for it: it counts as it stands. What is found around `project`
    loosens nothing until a person has accepted it. `user` names another user-level file. With no
    file at all, the built-in policy holds. Raises PolicyErrors; a `path` that does not exist is
    one.
    """
    if path is not None:
        reading, roots = _read(path, user)
        return reading.policy(roots, path, project)
    found = places.find_config(project.absolute()) if project is not None else None
    reading, roots = _read(found, user)
    whole = reading.policy(roots, found, project)
    offer = reading.offer(roots) if found is not None and not _same(found, _beneath(user)) else None
    if offer is None or trust.is_accepted(os.environ, offer):
        return whole
    reading.problems.notices.clear()
    tight = reading.policy(roots, found, project, trusted=False)
    digest = hashlib.sha256(f"{tight.digest}\0unaccepted".encode()).hexdigest()
    return replace(tight, digest=digest, unaccepted=offer.line)


def offer_of(path: Path) -> trust.Offer | None:
    """What the configuration of a project would loosen, accepted or not; None for nothing.

    Raises PolicyErrors.
    """
    reading, roots = _read(path, None)
    reading.policy(roots, path, None)
    return reading.offer(roots)


def _read(path: Path | None, user: Path | None) -> tuple[_Reading, list[Node]]:
    """The root nodes, the user's first. Raises PolicyErrors."""
    reading = _Reading()
    beneath = _beneath(user)
    roots = []
    if (user is not None or os.path.lexists(beneath)) and not _same(beneath, path):
        roots.append(reading.root(beneath))
    if path is not None:
        roots.append(reading.root(path))
        reading.project = str(reading.files[-1])
    reading.problems.raise_if_any()
    return reading, roots


def _beneath(user: Path | None) -> Path:
    return user if user is not None else places.user_file(os.environ)


def _policy_file(entry: Node) -> str:
    """The absolute name of a policy file, if an entry of `flow.policies` names one."""
    if not isinstance(entry.value, str):
        return ""
    return str(Path(entry.base, Path(entry.value).expanduser()).absolute())


def mapping_policy(mapping: Mapping[str, Any], *, base: Path | None = None) -> Policy:
    """The Policy of a mapping in `tripwire.yaml` form; variables are not replaced in it."""
    reading = _Reading()
    try:
        root = plain_node(mapping, base=str(base) if base is not None else "")
    except TypeError as error:
        reading.problems.add(Place(), "", str(error))
        reading.problems.raise_if_any()
        raise
    reading.seen["mapping"] = repr(mapping).encode("utf-8", "surrogatepass")
    return reading.policy([root], None, base)


def shown_name(path: Path) -> str:
    """How messages name a file: relative to the working directory where that is shorter."""
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


@cache
def _packaged_bytes() -> dict[str, bytes]:
    return {f"packaged:{name}": (PRESETS / f"{name}.yaml").read_bytes() for name in preset_names()}


@cache
def _shipped() -> Shipped:
    return shipped(load_shell_tables())


def _same(one: Path, other: Path | None) -> bool:
    return other is not None and one.exists() and other.exists() and one.samefile(other)


@dataclass(slots=True)
class _Reading:
    """One loading: what was read, and what was wrong with it."""

    problems: Problems = field(default_factory=Problems)
    seen: dict[str, bytes] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    named: dict[str, Node] = field(default_factory=dict)
    """Policy files that a configuration names, by their absolute name."""
    project: str = ""
    """The absolute name of the configuration over the user-level one."""

    def root(self, path: Path) -> Node:
        """The root node of a file, variables replaced; an empty mapping after a fault."""
        absolute = path.expanduser().absolute()
        node, raw = read_file(absolute, shown_name(absolute), self.problems)
        self.seen[str(absolute)] = raw
        self.files.append(absolute)
        if node is None:
            return Node({})
        return interpolated(node, os.environ, self.problems)

    def file(self, path: Path, asked: Value) -> Node | None:
        """A policy file that a configuration names."""
        if not path.is_file():
            shown = asked.shown() if asked.node.interpolated else str(path)
            asked.fail(f"no such file: {shown}", "check the path; relative ones start at this file")
            return None
        node = self.named[str(path.absolute())] = self.root(path)
        return node if node.items else None

    def offer(self, roots: list[Node]) -> trust.Offer | None:
        """What the project, the last of the roots, would loosen."""
        looser = self._tightened(roots, Problems())[1]
        if not looser:
            return None
        own = {name: self.seen[name] for name in self._own(roots[-1])}
        opened = tuple(replace(one, new=self._opened(one.new)) for one in looser)
        return trust.Offer(tuple(own), trust.digest_of(own), opened)

    def _own(self, project: Node) -> list[str]:
        """The project's configuration and the policy files it names, by their absolute names."""
        flow = project.items.get("flow") or Node({})
        named = flow.items.get("policies") or Node({})
        files = [_policy_file(entry) for entry in named.items.values()]
        return [self.project, *(f for f in files if f in self.named)]

    def _opened(self, node: Node) -> Node:
        """The policy file that an entry of `flow.policies` names, in place of its name."""
        return self.named.get(_policy_file(node), node)

    def _tightened(self, roots: list[Node], problems: Problems) -> tuple[Node, tuple[Looser, ...]]:
        *users, project = roots
        under = users[0] if users else Node({})
        return tightened(under, project, trust.shipped_lists(), problems)

    def _merged(self, roots: list[Node]) -> Node:
        root = Node({})
        for node in roots:
            root = merged(root, node, self.problems) if root.items else node
        return root

    def policy(
        self, roots: list[Node], path: Path | None, project: Path | None, *, trusted: bool = True
    ) -> Policy:
        """The Policy of the merged roots; raises PolicyErrors."""
        root = self._merged(roots) if trusted else self._tightened(roots, self.problems)[0]
        library = Library(preset_names(), self.file)
        home = path.absolute().parent if path is not None else project
        given = Given(
            library, _shipped(), places.own_state(os.environ, project=home, files=tuple(self.files))
        )
        policy = policy_of(root, given, self.problems)
        self.problems.raise_if_any()
        return replace(
            policy,
            path=str(path.absolute()) if path is not None else "",
            files=tuple(dict.fromkeys(map(str, self.files))),
            digest=self.digest(),
            notices=tuple(self.problems.notices),
        )

    def digest(self) -> str:
        """SHA-256 over the names and bytes of everything that was read."""
        whole = hashlib.sha256()
        for name, raw in sorted((_packaged_bytes() | self.seen).items()):
            whole.update(f"{name}\0{len(raw)}\0".encode("utf-8", "surrogatepass"))
            whole.update(raw)
        return whole.hexdigest()
