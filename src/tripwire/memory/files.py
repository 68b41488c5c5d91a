"""Which paths the session made, which carry a stranger's text, and where git pushed to before.

Paths are absolute and resolved by whoever calls; globs and directories are matched by prefix.
Does not look at content: see `memory/tokens.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from posixpath import normpath

from tripwire.model.label import Label, Origin

MAX_SCRIPT = 65_536
"""Characters of one file whose text is kept."""
MAX_SCRIPTS = 1_048_576
"""Characters of all of them; the oldest goes first."""


@dataclass(slots=True)
class Files:
    """Created paths (OBJ-4), tainted paths (PROV-9) and remotes (DEST-8)."""

    root: str = ""
    """The project the session was opened in."""
    home: str = ""
    created: dict[str, None] = field(default_factory=dict)
    tainted: dict[str, Origin] = field(default_factory=dict)
    trees: dict[str, Origin] = field(default_factory=dict)
    """Tainted directories: cloned or unpacked; everything beneath is tainted."""
    remotes: dict[str, None] = field(default_factory=dict)
    """Names and URLs configured before the first untrusted read."""
    later_remotes: dict[str, None] = field(default_factory=dict)
    started: set[Label] = field(default_factory=set)
    """Labels of commands that were started: their output may be read later (flow.md §3.8)."""
    scripts: dict[str, str] = field(default_factory=dict)
    """Text of files the session wrote, where it is known whole: judged when they run (SH-8)."""
    _kept: int = 0

    def create(self, path: str) -> None:
        """The agent made `path` in this session."""
        self.created[normpath(path)] = None

    def forget(self, path: str) -> None:
        """`path` was deleted: a later file of that name is not the session's own work."""
        self.created.pop(normpath(path), None)
        self.keep_text(path, None)

    def disown(self, path: str) -> None:
        """Something else was put to `path`: what holds it is no longer all the session's own."""
        for held in [p for p in self.created if _within(normpath(path), p)]:
            del self.created[held]

    def keep_text(self, path: str, text: str | None) -> None:
        """What `path` holds now; None or too long: not known, so running it is opaque."""
        path = normpath(path)
        before = self.scripts.pop(path, "")
        self._kept -= len(before)
        if text is not None and len(text) <= MAX_SCRIPT:
            while self.scripts and self._kept + len(text) > MAX_SCRIPTS:
                self._kept -= len(self.scripts.pop(next(iter(self.scripts))))
            self.scripts[path] = text
            self._kept += len(text)

    def taint(self, path: str, origin: Origin, *, tree: bool = False) -> None:
        """A stranger's text may be in `path`; the first origin stays."""
        (self.trees if tree else self.tainted).setdefault(normpath(path), origin)

    def rename(self, old: str, new: str) -> None:
        """A rename carries taint and authorship along (PROV-9)."""
        old, new = normpath(old), normpath(new)
        for table in (self.tainted, self.trees):
            for path in [p for p in table if _within(p, old)]:
                table.setdefault(new + path[len(old) :], table[path])
        for path in [p for p in self.created if _within(p, old)]:
            self.created[new + path[len(old) :]] = None
        for path in [p for p in self.scripts if _within(p, old)]:
            self.keep_text(new + path[len(old) :], self.scripts.get(path))

    def taint_of(self, path: str) -> Origin | None:
        """Where the stranger's text in `path` came from, or None."""
        path = normpath(path)
        found = self.tainted.get(path)
        return found if found is not None else self._tree_of(path)

    def any_taint_below(self, directory: str) -> Origin | None:
        """The first tainted path in `directory`, for reads of whole trees."""
        root = normpath(directory)
        below = (
            o for table in (self.tainted, self.trees) for p, o in table.items() if _within(p, root)
        )
        return next(below, None) or self.taint_of(root)

    def made_here(self, path: str) -> bool:
        """Whether the session created `path`, or a directory above it."""
        path = normpath(path)
        return path in self.created or any(parent in self.created for parent in _parents(path))

    def remember_remotes(self, names: Iterable[str], *, trusted: bool) -> None:
        """Remotes met: `trusted` while no untrusted text has been read (DEST-8)."""
        for name in names:
            if trusted:
                self.remotes[name] = None
                self.later_remotes.pop(name, None)
            elif name not in self.remotes:
                self.later_remotes[name] = None

    def change_remote(self, name: str) -> None:
        """A remote was re-pointed after untrusted text: its name is no longer what it was."""
        self.remotes.pop(name, None)
        self.later_remotes[name] = None

    def _tree_of(self, path: str) -> Origin | None:
        if not self.trees:
            return None
        return next((self.trees[p] for p in (path, *_parents(path)) if p in self.trees), None)

    def snapshot(self) -> object:
        """A comparable copy."""
        return {
            "root": self.root,
            "home": self.home,
            "created": sorted(self.created),
            "tainted": sorted(self.tainted.items()),
            "trees": sorted(self.trees.items()),
            "remotes": sorted(self.remotes),
            "later_remotes": sorted(self.later_remotes),
            "started": sorted(self.started),
            "scripts": sorted(self.scripts.items()),
        }


def _within(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def _parents(path: str) -> Iterable[str]:
    while "/" in path[1:]:
        path = path.rsplit("/", 1)[0]
        yield path
