"""What a command line has set so far: variables, directory, functions, files it wrote.

Where branches disagree the value is a hole (unknown) and every directory is kept as a candidate.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from tripwire.act.shell.text import HOLE, resolve

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_DIRECTORIES = 4


class Body:
    """The body of a shell function: its node and the source it points into."""

    __slots__ = ("called", "node", "open", "source")

    def __init__(self, node: Node, source: bytes) -> None:
        self.node = node
        self.source = source
        self.called = False
        self.open = 0


class Scope:
    """Mutable state of one shell; a subshell works on a copy."""

    __slots__ = ("aliases", "cwds", "files", "functions", "home", "params", "root", "vars")

    def __init__(self, cwd: str, home: str, written: Mapping[str, str | None]) -> None:
        self.cwds: tuple[str, ...] = (cwd.rstrip("/") or "/",) if cwd else ("",)
        self.root = self.cwds[0]
        """Where the command starts: programs and scripts below it are the project's (SH-9)."""
        self.home = home
        self.vars: dict[str, str] = {}
        self.functions: dict[str, list[Body]] = {}
        """Every body a name was given: which one holds may depend on a branch."""
        self.aliases: dict[str, str] = {}
        self.files: ChainMap[str, str | None] = ChainMap({}, cast("Any", written))
        """Paths written by this line or by the agent → text, None if it cannot be told."""
        self.params: list[str] | None = []
        """`$1`, `$2`, …; None where they cannot be told."""

    def copy(self) -> Scope:
        """A subshell: aliases and files are shared, the rest is its own."""
        other = Scope.__new__(Scope)
        other.cwds, other.home, other.vars = self.cwds, self.home, dict(self.vars)
        other.root = self.root
        other.functions = {name: list(bodies) for name, bodies in self.functions.items()}
        other.aliases = self.aliases
        other.files, other.params = self.files, self.params
        return other

    def restore_variable(self, name: str, old: str | None) -> None:
        """Undo a temporary assignment."""
        if old is None:
            self.vars.pop(name, None)
        else:
            self.vars[name] = old

    def paths(self, word: str) -> list[str]:
        """`word` as absolute paths, one for each directory the shell may be in."""
        return list(dict.fromkeys(resolve(word, cwd, self.home) for cwd in self.cwds))

    def enter(self, word: str) -> None:
        """`cd word`; an unknown directory makes relative paths start with `*`."""
        if HOLE in word or word == "-":
            self.cwds = ("",)
        else:
            self.cwds = tuple(self.paths(word)[:_MAX_DIRECTORIES])

    def state(self) -> tuple[tuple[str, ...], dict[str, str], list[str] | None]:
        """What branches may change, to be given to `restore` and `join`."""
        return self.cwds, dict(self.vars), self.params

    def restore(self, state: tuple[tuple[str, ...], dict[str, str], list[str] | None]) -> None:
        """Back to an earlier state, to walk another branch."""
        self.cwds, self.params = state[0], state[2]
        self.vars = dict(state[1])

    def join(self, states: list[tuple[tuple[str, ...], dict[str, str], list[str] | None]]) -> None:
        """After branches: what all agree on is known, what they disagree on is a hole."""
        cwds = tuple(dict.fromkeys(cwd for state in states for cwd in state[0]))
        self.cwds = cwds if len(cwds) <= _MAX_DIRECTORIES else (*cwds[:_MAX_DIRECTORIES], "")
        names = {name for state in states for name in state[1]}
        first = states[0][1]
        self.vars = {
            name: first[name]
            if all(state[1].get(name) == first.get(name) for state in states)
            else HOLE
            for name in names
        }
        self.params = states[0][2] if all(s[2] == states[0][2] for s in states) else None
