"""Words of commands and results as the files they stand for on disk (CTX-33).

Globs: `*`, `?` and `[…]` of one segment each; `**` is `*`, as in a shell without options. They do
not leave the root and have a budget. Any text may be asked about: what is no path is not there.
"""

from __future__ import annotations

import fnmatch
import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

MAX_LOOKED_AT = 20_000
"""Directory entries that one pattern may look at."""

_GLOB = re.compile(r"[*?\[]")


def exists(path: str) -> bool:
    """Whether something is there, be it a link that leads nowhere."""
    try:
        return os.path.lexists(path)
    except ValueError:
        return False


def is_folder(path: str) -> bool:
    """Whether a directory is there."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def joined(folder: str, word: str, *, home: str = "") -> str:
    """`word` as an absolute path without `.` and `..`; `~/` is below `home`."""
    if home and (word == "~" or word.startswith("~/")):
        word = home + word[1:]
    path = word if word.startswith("/") else f"{folder}/{word}"
    return posixpath.normpath(path)


def is_glob(path: str) -> bool:
    """Whether a path holds a glob character."""
    return bool(_GLOB.search(path))


def matches(pattern: str, root: Path, *, limit: int) -> list[str]:
    """At most `limit` existing paths below `root` that the absolute `pattern` matches, sorted."""
    budget = [MAX_LOOKED_AT]
    parts = [part for part in pattern.split("/") if part]
    inside = list(root.parts[1:])
    if len(parts) < len(inside) or any(
        not _fits(part, given) for part, given in zip(parts, inside, strict=False)
    ):
        return []
    found: list[str] = []
    for path in _below(str(root), parts[len(inside) :], budget):
        found.append(path)
        if len(found) >= limit:
            break
    return sorted(found)


def _fits(part: str, name: str) -> bool:
    return part == name or (is_glob(part) and fnmatch.fnmatchcase(name, part))


def _below(folder: str, parts: list[str], budget: list[int]) -> Iterator[str]:
    if not parts:
        yield folder
        return
    part, rest = parts[0], parts[1:]
    if not is_glob(part):
        there = f"{folder}/{part}"
        if exists(there):
            yield from _below(there, rest, budget)
        return
    accepts = re.compile(fnmatch.translate(part)).match
    for name in _names(folder, budget):
        if name.startswith(".") and not part.startswith("."):
            continue
        if name == part or accepts(name):
            yield from _below(f"{folder}/{name}", rest, budget)


def _names(folder: str, budget: list[int]) -> list[str]:
    found: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                budget[0] -= 1
                if budget[0] < 0:
                    break
                found.append(entry.name)
    except OSError:
        return []
    return sorted(found)
