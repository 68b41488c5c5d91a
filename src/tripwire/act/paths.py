"""What a path is: secret, code that runs next, a stranger's, shared, scratch, Tripwire's own.

Paths are resolved before they are matched, under the name the caller used and under the one it
leads to (flow.md §2.3). Does not touch the disk: the door says where links lead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from posixpath import normpath

from tripwire.errors import PolicyError
from tripwire.model.policy import PathLists
from tripwire.text.glob import GlobSet, expand_braces, match

_WILD = frozenset("*?[")
_STARS = re.compile(r"\*+|\?|\[[^\]]*\]")
_FILLER = "\x01any\x01name\x01"
"""Stands for a wildcard in a path: no list spells it out, only a wildcard of a list covers it."""


@dataclass(frozen=True, slots=True)
class PathContext:
    """Where a call runs: working directory, home, where links lead, the session's project."""

    cwd: str
    home: str
    links: Mapping[str, str]
    root: str


def resolve(path: str, here: PathContext) -> tuple[str, ...]:
    """The absolute forms of `path`: as written, and what it leads to."""
    given = path
    path = path.removeprefix("file://") if path.startswith("file:///") else path
    if path == "~" or path.startswith("~/"):
        path = f"{here.home or '/home/user'}{path[1:]}"
    if not path.startswith("/"):
        path = f"{here.cwd or '/'}/{path}"
    plain = _plain(path)
    spellings = (given, given.removeprefix("file://"), plain, path)
    leads = next((here.links[each] for each in spellings if here.links.get(each)), "")
    return tuple(dict.fromkeys((plain, _plain(leads)) if leads else (plain,)))


def _plain(path: str) -> str:
    path = normpath(path.replace("\x00", ""))
    return f"/{path.lstrip('/')}" if path.startswith("//") else path


class PathKinds:
    """The path lists of a policy, compiled for one home directory."""

    def __init__(self, lists: PathLists, home: str) -> None:
        self.secret = PathList(lists.secret, home)
        self.exec = PathList(lists.exec, home)
        self.build = PathList(lists.build, home)
        self.untrusted = PathList(lists.untrusted, home)
        self.public = PathList(lists.public, home)
        self.shared = PathList(lists.shared, home)
        self.scratch = PathList(lists.scratch, home)
        self.fixture = PathList(lists.fixture, home)
        self.own_state = PathList(lists.own_state, home)


@lru_cache(maxsize=16)
def path_kinds(lists: PathLists, home: str) -> PathKinds:
    """Compiled once for a policy and a home."""
    return PathKinds(lists, home)


class PathList:
    """Patterns, and patterns with `!` that take paths out again."""

    def __init__(self, patterns: Iterable[str], home: str) -> None:
        spelled = [_at_home(p, home) for p in patterns]
        self._positive = [p for p in spelled if not p.startswith("!")]
        self._yes = GlobSet(self._positive, path=True)
        self._takes_out = [p[1:] for p in spelled if p.startswith("!")]
        self._no = GlobSet(self._takes_out, path=True)
        self._steps = tuple(
            dict.fromkeys(
                step
                for p in self._positive
                for spelt in expand_braces(p)
                for step in spelt.split("/")[:-1]
                if step and not _WILD & set(step)
            )
        )
        self._samples = tuple(dict.fromkeys(s for p in self._positive for s in _samples(p)))

    def has(self, path: str) -> bool:
        """Whether one path, or a path with wildcards that could be one of them, is in the list."""
        if _WILD & set(path):
            return self._could_be(path)
        return self._yes.any(path) and not self._no.any(path)

    def surely_has(self, path: str) -> bool:
        """Whether one path, or all that a path with wildcards stands for, is in the list.

        For lists that loosen: `has` errs towards yes, this towards no.
        """
        if not _WILD & set(path):
            return self.has(path)
        filled = _STARS.sub(_FILLER, path)
        if self._takes_out or _WILD & set(filled):
            return False  # one of them may be what a `!` takes out again
        return self._yes.any(filled)

    def any(self, paths: Iterable[str]) -> bool:
        """Whether one of `paths` is in the list."""
        return any(self.has(path) for path in paths)

    def under(self, directory: str) -> bool:
        """Whether everything in `directory` is in the list."""
        return self.has(f"{directory.rstrip('/')}/x")

    def below(self, directory: str) -> bool:
        """Whether the list names a file that `directory` would hold."""
        whole = directory.rstrip("/")
        while whole.endswith(("/*", "/**")):
            whole = whole.rpartition("/")[0]
        above, _, name = whole.rpartition("/")
        for pattern in self._positive:
            steps = pattern.split("/")
            for at, step in enumerate(steps[:-1]):
                if not step or _WILD & set(step) or not _names(name, step):
                    continue
                rest = _STARS.sub("x", "/".join(steps[at + 1 :]))
                if self._yes.any(f"{above}/{step}/{rest}"):
                    return True
        return False

    def _stepwise(self, pattern: str) -> bool:
        """`.g*/hooks/x`: each step with a wildcard may be a step the list spells out."""
        steps = pattern.split("/")
        for at, given in enumerate(steps[:-1]):
            if not _WILD & set(given) or not given.strip("*?"):
                continue
            for step in self._steps:
                if _names(given, step):
                    tried = "/".join([*steps[:at], step, *steps[at + 1 :]])
                    if self._yes.any(_STARS.sub("x", tried)):
                        return True
        return False

    def _could_be(self, pattern: str) -> bool:
        literal = pattern[: min(pattern.find(c) for c in _WILD if c in pattern)]
        if self.under(literal.rpartition("/")[0]):
            return True
        directory, _, name = pattern.rpartition("/")
        if _WILD & set(directory):
            return self._yes.any(_STARS.sub("x", pattern)) or self._stepwise(pattern)
        if not name.strip("*?"):
            return False  # `*` alone would make every listing a secret; its text is scanned
        for sample in self._samples:
            hidden = sample.startswith(".") and not name.startswith((".", "["))
            if not hidden and _matches(name, sample) and self._yes.any(f"{directory}/{sample}"):
                return True
        return False


def _names(given: str, step: str) -> bool:
    """Whether a name in a command, wildcards or not, stands for one step of a pattern."""
    if not _WILD & set(given):
        return given == step
    return bool(given.strip("*?")) and _matches(given, step)


def _matches(pattern: str, name: str) -> bool:
    try:
        return match(pattern, name)
    except (PolicyError, ValueError):
        return True  # what cannot be read as a pattern could stand for anything


def _samples(pattern: str) -> Iterable[str]:
    """File names that a pattern stands for, to compare with a glob in a command."""
    last = pattern.rsplit("/", 1)[-1]
    if "/" in last or last.strip("*") == "":
        return ()
    plain = last.replace("[sS]", "s").replace("[cC]", "c")
    return tuple(
        name.replace("*", "x" if name.startswith("*.") else "") for name in expand_braces(plain)
    )


def _at_home(pattern: str, home: str) -> str:
    no = "!" if pattern.startswith("!") else ""
    body = pattern.removeprefix("!")
    if body == "~" or body.startswith("~/"):
        body = f"{home.rstrip('/') or '/home/user'}{body[1:]}"
    return no + body


def is_root(path: str, here: PathContext) -> bool:
    """The file system's root, a system directory, a home, or all that is in one (OBJ-4)."""
    bare = path.rstrip("*").rstrip("/") or "/"
    if bare == "/" or bare.count("/") == 1:
        return bare != "/tmp" or path != bare  # noqa: S108 (a name, not a file)
    homes = (here.home, "/home", "/root", "/Users")
    in_homes = bare.rsplit("/", 1)[0] in ("/home", "/Users")
    return bare in homes or in_homes


def is_project_root(path: str, here: PathContext) -> bool:
    """The project itself, something above it, or its `.git`."""
    bare = path.rstrip("*").rstrip("/") or "/"
    git = bare.endswith("/.git") or "/.git/" in f"{bare}/"
    return git or (bool(here.root) and (here.root == bare or here.root.startswith(f"{bare}/")))
