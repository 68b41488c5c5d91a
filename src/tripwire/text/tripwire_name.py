"""Names of tripwires: one normal form for files, dependencies and arguments (read.md CTX-3).

A normal name holds `a-z 0-9 -` only, so it can stand in a header, and is never a path (CTX-42).
"""

from __future__ import annotations

import re

LONGEST = 100
"""Characters of a name that can be created (CTX-38)."""

_GAPS = re.compile(
    "[_\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]+"
)
_DROPPED = re.compile("[^a-z0-9-]+")
_HYPHENS = re.compile("-{2,}")
_EXTENSIONS = (".yml", ".yaml")


def normalise(name: str) -> str:
    """The normal form of a file's name without extension; "" if nothing is left of it."""
    spaced = _GAPS.sub("-", name.lower())
    return _HYPHENS.sub("-", _DROPPED.sub("", spaced)).strip("-")


def from_argument(name: str) -> str:
    """The normal form of a name that somebody wrote, with or without the file's extension."""
    for extension in _EXTENSIONS:
        if name.endswith(extension):
            return normalise(name[: -len(extension)])
    return normalise(name)
