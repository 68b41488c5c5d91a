"""The project files that a command line names, for READ (read.md CTX-33, shell row).

Pure: told from the text alone by the walker of the classifier; a door looks which of the paths
exist. Does not judge, and does not say what a program does with a file beyond writing it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tripwire.act.shell.classify import walk
from tripwire.act.shell.text import HOLE
from tripwire.act.shell.walk import Walker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from tripwire.act.shell.scope import Scope
    from tripwire.model.shell_tables import ShellTables

MAX_PATHS = 2_000
"""Paths of one command line that are kept."""

_SEARCH = frozenset(
    {"grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "find", "fd", "fdfind", "locate"}
)
_LISTS = frozenset({"ls", "tree", "du", "eza", "exa", "dir", "vdir"})
_TREES = frozenset({"cp", "rsync", "scp", "tar", "zip", "diff"})
"""Programs that read whole directories."""
_MOVES = frozenset({"mv", "rename"})
_GIT_SEARCH = frozenset({"grep", "ls-files", "diff", "log", "status", "show"})
_GIT_CHANGES = frozenset({"rm", "checkout", "restore", "clean"})
_AUTHORS = {"import": frozenset({"--write", "--update"}), "lint": frozenset({"--prune"})}
"""Verbs and flags of the command `tripwire` that change the project's tripwires."""


@dataclass(frozen=True, slots=True)
class NamedPaths:
    """Absolute paths, which may hold glob characters and may not exist."""

    words: tuple[str, ...] = ()
    """What words could name, read or not."""
    folders: tuple[str, ...] = ()
    """What words of searches, listings and copies could name: a directory counts here."""
    writes: tuple[str, ...] = ()
    """What is written or created, new files included."""
    removed: tuple[str, ...] = ()
    """What is deleted, moved away or replaced by an older state, directories included."""
    vague: tuple[str, ...] = ()
    """What is written or removed in a directory that cannot be told; each begins with `*`."""
    revisions: tuple[str, ...] = ()
    """`PATH` of `git show REV:PATH`, relative to the top of the work tree."""
    searched_from: tuple[str, ...] = ()
    """Directories that the names in a search's output are relative to; empty: no search."""
    authors: bool = False
    """The command `tripwire` is told to change the project's tripwires."""
    unresolved: bool = False
    """A part of the text could not be resolved: a variable, a substitution, a parse error."""


def named_paths(command: str, *, cwd: str, home: str, tables: ShellTables) -> NamedPaths:
    """The paths that `command`, run in `cwd`, names. Never raises on any text."""
    walker = _Naming(tables)
    walk(walker, command, cwd=cwd, home=home)
    effects = walker.sink.effects()
    writes = dict.fromkeys(w.path for w in effects.writes)
    removed = dict.fromkeys((*(d.path for d in effects.deletions), *walker.removed))
    words = dict.fromkeys((*walker.words, *effects.reads))
    changed = tuple(path for path in (*writes, *removed) if path.startswith("*"))
    lost = bool(changed) or any(path.startswith("*") for path in words)
    return NamedPaths(
        words=_certain(words),
        folders=_certain(walker.folders),
        writes=_certain(writes),
        removed=_certain(removed),
        vague=changed,
        revisions=tuple(walker.revisions),
        searched_from=tuple(walker.searched_from),
        authors=walker.authors,
        unresolved=walker.unresolved or lost,
    )


def _certain(paths: dict[str, None]) -> tuple[str, ...]:
    """Without the paths that begin in an unknown directory."""
    return tuple(path for path in paths if not path.startswith("*"))


class _Naming(Walker):
    """The walker of the classifier, which also keeps what every word could name."""

    def __init__(self, tables: ShellTables) -> None:
        super().__init__(tables)
        self.words: dict[str, None] = {}
        self.folders: dict[str, None] = {}
        self.removed: dict[str, None] = {}
        self.revisions: dict[str, None] = {}
        self.searched_from: dict[str, None] = {}
        self.authors = False
        self.unresolved = False

    def lost(self, node: Node, why: str) -> None:
        """A part that cannot be read."""
        self.unresolved = True
        super().lost(node, why)

    def run(self, words: list[str], scope: Scope, stdin: str | None) -> str | None:
        """Run one simple command given as words."""
        if len(self.words) < MAX_PATHS:
            self._note(words, scope)
        return super().run(words, scope, stdin)

    def _note(self, words: list[str], scope: Scope) -> None:
        program = words[0].rpartition("/")[2]
        verb = next((w for w in words[1:] if not w.startswith("-")), "") if program == "git" else ""
        if program in _SEARCH or verb in _GIT_SEARCH:
            self.searched_from.update(dict.fromkeys(cwd for cwd in scope.cwds if cwd))
        into = [self.words]
        if program in _SEARCH | _LISTS | _TREES or verb in _GIT_SEARCH:
            into.append(self.folders)
        self._note_removed(words, scope, verb or program)
        self.authors |= _authors(words)
        for word in words if "/" in words[0] else words[1:]:
            if HOLE in word:
                self.unresolved = True
                continue
            for part in _parts(word) if word != verb else ():
                for kept in into:
                    kept.update(dict.fromkeys(scope.paths(part)))
            if verb and ":" in word:
                self.revisions[word.partition(":")[2]] = None

    def _note_removed(self, words: list[str], scope: Scope, verb: str) -> None:
        """The sources of a move, and what `git` changes in the work tree."""
        if verb not in _MOVES and verb not in _GIT_CHANGES:
            return
        plain = [word for word in words[1:] if not word.startswith("-") and word != verb]
        aimed = any(word.startswith(("-t", "--target")) for word in words)
        for word in plain[:-1] if verb in _MOVES and not aimed else plain:
            self.removed.update(dict.fromkeys(scope.paths(word) if HOLE not in word else ()))


def _authors(words: list[str]) -> bool:
    spelled = {word.rpartition("/")[2].partition("=")[0] for word in words}
    return "tripwire" in spelled and any(
        verb in spelled and bool(flags & spelled) for verb, flags in _AUTHORS.items()
    )


def _parts(word: str) -> Iterator[str]:
    """What a word could name: itself, the value of `--name=value`, the file of `@file`."""
    if word and not word.startswith("-"):
        yield word
        if word[0] == "@" and len(word) > 1:
            yield word[1:]
    if "=" in word and (value := word.partition("=")[2]):
        yield value.removeprefix("@")
