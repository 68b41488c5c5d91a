"""A project's root, and a path as its forms inside it (read.md CTX-11 to CTX-14, CTX-17).

Looks at the file system; decides nothing. A path is never trusted to be one: whatever has no form
inside the root is outside.
"""

from __future__ import annotations

import os
import posixpath
import stat
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote

from tripwire.errors import UsageError
from tripwire.io import jail
from tripwire.model.tripwire import Enforcement, FileAccess, ReadConfig

MARKERS = (".tripwires", ".tripwirerc.yml", ".git")
"""What makes a directory the root of a project (CTX-14)."""

MAX_EXAMINED = 16 << 20
"""Bytes of a file whose text is examined; a larger one counts as met (CTX-17)."""

_SNIFFED = 8_192
_RAW_READS = ("read", "mcp")


class Knowing(Protocol):
    """What collecting facts needs of a project's tripwires."""

    @property
    def config(self) -> ReadConfig:
        """The configuration in force."""

    def wants_content(self, forms: Sequence[str]) -> bool:
        """Whether the text of a file with these forms could decide what fires."""


@dataclass(frozen=True, slots=True)
class PathForms:
    """One path, as given and as it is matched."""

    given: str
    spelled: str
    """Relative to the root after `\\`, `//`, `.` and `..` are folded; "" if that is outside."""
    real: str
    """The same with links followed; "" if that is outside. The root itself is `.`."""
    forms: tuple[str, ...]
    """Every form inside the root, without repeats: spelled, real, then those in NFC."""
    inside_real: bool
    absolute: Path
    """What to open: the path as given if it exists, else its slash form."""


def find_root(project: str | None, cwd: str) -> Path:
    """`project`, else the nearest directory from `cwd` upwards that holds a marker, else `cwd`.

    Raises UsageError if `project` is no directory.
    """
    if project is not None:
        root = _absolute(project)
        if not root.is_dir():
            raise UsageError("no such directory", where=f"--project {project}")
        return root
    here = _absolute(cwd)
    for folder in (here, *here.parents):
        if any(os.path.lexists(folder / marker) for marker in MARKERS):
            return folder
    return here


def path_forms(root: Path, path: str, *, cwd: str = "") -> PathForms:
    """The forms of `path`, relative to `cwd` (the root if empty), absolute, or a `file:` URI.

    Raises ValueError if no file system could hold such a path (a NUL, a lone surrogate).
    """
    base = cwd or str(root)
    given = _of_uri(path, base)
    slashed = given.replace("\\", "/")
    opened = posixpath.join(base, given)
    if slashed != given and not os.path.lexists(opened):
        opened = posixpath.join(base, slashed)
    os.fsencode(opened)
    if "\0" in opened:
        raise ValueError("a path cannot hold a NUL character")
    real_root = os.path.realpath(root)
    spelled = _inside(_folded(posixpath.join(base, slashed)), str(root), real_root)
    real = _inside(os.path.realpath(opened), real_root)
    found = [form for form in (spelled, real) if form]
    found += [unicodedata.normalize("NFC", form) for form in found]
    forms = tuple(dict.fromkeys(encodable(form) for form in found))
    return PathForms(path, spelled, real, forms, bool(real), Path(opened))


def file_access(
    root: Path,
    rules: Knowing,
    path: str,
    *,
    route: str,
    cwd: str = "",
    proposed: str | None = None,
    writes: bool = False,
    opaque: bool = False,
) -> FileAccess | None:
    """The facts of one access; None if the path is outside the project.

    The file is read only if its text could decide what fires. Raises ValueError as `path_forms`.
    """
    found = path_forms(root, path, cwd=cwd)
    forms = tuple(form for form in found.forms if form != ".")
    if not forms:
        return None
    content, missing = None, False
    if rules.wants_content(forms):
        content, missing = _examined(root, found, proposed)
    strict = rules.config.enforcement_mode is Enforcement.STRICT
    text = is_text(found.absolute) if strict and route in _RAW_READS else True
    return FileAccess(
        path,
        forms,
        route,
        real=encodable(found.real) if found.real != "." else "",
        content=content,
        missing=missing,
        writes=writes,
        text=text,
        opaque=opaque,
    )


def is_text(path: Path) -> bool:
    """Whether a regular file is there whose beginning is text in UTF-8."""
    try:
        start = beginning(path, _SNIFFED)
    except (OSError, ValueError):
        return False
    if b"\0" in start:
        return False
    try:
        start.decode("utf-8")
    except UnicodeDecodeError as problem:
        return problem.start > len(start) - 4 and len(start) == _SNIFFED
    return True


def _absolute(path: str) -> Path:
    return Path(posixpath.normpath(Path(path).absolute()))


def _examined(root: Path, found: PathForms, proposed: str | None) -> tuple[str | None, bool]:
    """Text of the file plus the proposed text, None if not known; and whether there is neither."""
    if not os.path.lexists(found.absolute):
        return proposed, proposed is None
    if not found.inside_real:
        return None, False
    try:
        raw = jail.beginning(os.path.realpath(root), found.real, MAX_EXAMINED + 1)
    except (OSError, ValueError):
        return None, False
    if len(raw) > MAX_EXAMINED:
        return None, False
    text = raw.decode("utf-8", "replace")
    return (text if proposed is None else f"{text}\n{proposed}"), False


def beginning(path: Path, size: int, *, follow: bool = True) -> bytes:
    """At most `size` bytes of a regular file, through a link at the end of the path or not.

    Raises OSError, also for anything that is no regular file.
    """
    # O_NONBLOCK: opening a pipe must not hang.
    mode = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    handle = os.open(path, mode)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError("no regular file")
    return jail.first_bytes(handle, size)


def _of_uri(path: str, base: str) -> str:
    """The path of a `file:` URI; any other text, and a file of that very name, as it is."""
    if path[:5].lower() != "file:" or os.path.lexists(posixpath.join(base, path)):
        return path
    rest = path[5:].partition("?")[0].partition("#")[0]
    if rest.startswith("//"):
        host, slash, rest = rest[2:].partition("/")
        if host.lower() not in ("", "localhost"):
            return path
        rest = slash + rest
    return unquote(rest)


def _folded(path: str) -> str:
    normal = posixpath.normpath(path)
    return normal[1:] if normal.startswith("//") else normal


def _inside(path: str, *roots: str) -> str:
    """`path` relative to the first root that it is in, `.` for the root itself, "" for none."""
    for root in roots:
        if path == root:
            return "."
        prefix = root if root.endswith("/") else f"{root}/"
        if path.startswith(prefix):
            return path[len(prefix) :]
    return ""


def encodable(form: str) -> str:
    """Without the stand-ins for bytes that are not UTF-8, which nothing could record."""
    return form.encode("utf-8", "replace").decode("utf-8")
