"""Other work trees of a project's repository: the same files at another place (CTX-11).

`git worktree add` gives an agent a checkout of its own, inside the project or beside it; what the
team knows about `src/a.py` holds for that copy of it too. A false `.git` file can only make more
tripwires fire, never fewer.
"""

from __future__ import annotations

import os
import posixpath
from pathlib import Path

from tripwire.io.project import beginning

_MAX_BYTES = 4_096
_MAX_DEPTH = 64
_MARK = "gitdir:"


def form_in_worktree(root: Path, path: str) -> str:
    """`path`, absolute, relative to the linked work tree it is in, "" if that is none of `root`'s.

    Raises nothing: what cannot be read is no work tree.
    """
    above = posixpath.dirname(path)
    for _ in range(_MAX_DEPTH):
        if above in ("/", "", str(root)):
            break
        if repository := _linked(above):
            return posixpath.relpath(path, above) if repository == _own(root) else ""
        above = posixpath.dirname(above)
    return ""


def _own(root: Path) -> str:
    """The repository of the project, be its root a linked work tree itself."""
    return _linked(str(root)) or os.path.realpath(root / ".git")


def _linked(folder: str) -> str:
    """The repository that a `.git` file in `folder` names, "" without such a file."""
    try:
        start = beginning(Path(folder) / ".git", _MAX_BYTES, follow=False)
    except (OSError, ValueError):
        return ""
    text = start.decode("utf-8", "replace").strip()
    named = text.removeprefix(_MARK).strip()
    if named == text or "\0" in named:
        return ""
    home, kind = posixpath.split(posixpath.dirname(posixpath.join(folder, named)))
    return os.path.realpath(home) if kind == "worktrees" else ""
