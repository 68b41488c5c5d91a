"""From one call, result or prompt to the project paths it touches: every route of CTX-33.

Looks which paths exist, decides nothing. Tools bear Claude Code's names (see `hook.py`); a tool
that is not known touches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tripwire.act.shell.named import NamedPaths, named_paths
from tripwire.doors.hooks.events import BUILT_IN, SERVER_ENTRY
from tripwire.doors.hooks.hits import hits
from tripwire.io.globbing import exists, is_folder, is_glob, joined, matches
from tripwire.io.project import file_access
from tripwire.io.worktrees import form_in_worktree
from tripwire.model.event import ToolCall, ToolResult
from tripwire.model.shell_tables import ShellTables
from tripwire.model.tripwire import FileAccess
from tripwire.read.tripwire_set import TripwireSet

MAX_PATHS = 200
"""Paths of one event (CTX-33: globs and hits)."""

READ_TOOL = "read_file"
SHELLS = ("Bash", "Monitor", "PreSkillShellCommand")
UNPARSED = ("PowerShell",)
"""Shells of another grammar: their text is only split."""

_ROUTES = {
    "Read": ("read", ("file_path", "paths", "include")),
    "NotebookRead": ("read", ("notebook_path",)),
    "Edit": ("edit", ("file_path",)),
    "MultiEdit": ("edit", ("file_path",)),
    "Write": ("write", ("file_path",)),
    "Delete": ("edit", ("file_path",)),
    "NotebookEdit": ("notebook", ("notebook_path",)),
    "Grep": ("search", ("path",)),
    "Glob": ("search", ("path",)),
    "LS": ("search", ("path",)),
}
"""Tool → route, arguments that hold paths."""
_WRITES = frozenset({"edit", "write", "notebook"})
_PROPOSED = ("content", "new_string", "new_source")
_MCP_PATHS = frozenset(
    {"path", "paths", "file", "file_path", "filePath", "filename", "source", "destination"}
    | {"relative_path", "uri"}
)
_MCP_DEPTH = 6
_MCP_WRITES = re.compile(
    r"write|edit|create|delete|remove|move|rename|append|patch|save|update|insert|replace|put|copy",
    re.IGNORECASE,
)
_MCP_READS = re.compile(r"read|get|view|open|cat|show|load|fetch", re.IGNORECASE)
_MCP_OTHER = re.compile(r"info|stat|list|dir|tree|search|find|meta|size|exists", re.IGNORECASE)
_SPLIT = re.compile(r"[\s'\"`;|&<>()=,{}]+|:[-+?]")
_UNKNOWN_START = re.compile(r"\$\w+(?=/)")
"""A variable before the first `/` of a word."""
_MAX_WORDS = 400


@dataclass(frozen=True, slots=True)
class Place:
    """Where paths are looked up, and what the rules of that project are."""

    root: Path
    rules: TripwireSet
    cwd: str
    home: str
    tables: ShellTables
    served: bool = False
    """Tripwire's own file server is configured and starts (CTX-29)."""

    def access(self, path: str, route: str, **more: Any) -> FileAccess | None:
        """The facts of one path; None if it is outside the project or no path at all."""
        if not path or "\0" in path or len(path) > 4096:
            return None
        try:
            found = file_access(self.root, self.rules, path, route=route, cwd=self.cwd, **more)
            copied = form_in_worktree(self.root, joined(self.cwd, path, home=self.home))
            if copied and found:
                found = replace(found, forms=tuple(dict.fromkeys((*found.forms, copied))))
            elif copied:
                found = file_access(self.root, self.rules, copied, route=route, **more)
        except (OSError, ValueError):
            return None  # nothing has such a name
        return found if found is None or any(found.forms) else None


def of_call(call: ToolCall, place: Place) -> tuple[FileAccess, ...]:
    """What a call touches, told before it runs."""
    return _limited(_of_call(call, place))


def of_result(result: ToolResult, place: Place) -> tuple[FileAccess, ...]:
    """What a result speaks of: hits of a search, and a read through Tripwire itself."""
    if result.is_error:
        return ()
    if _own_read(result):
        here = replace(place, cwd=str(place.root))
        read = here.access(str(result.args.get("path", "")), READ_TOOL)
        return (replace(read, observed=True),) if read else ()
    if result.source != BUILT_IN:
        return ()
    if result.tool in ("Grep", "Glob"):
        return _limited(_hits(result.result, (place.cwd,), "search", place))
    command = result.args.get("command")
    if result.tool in SHELLS and isinstance(command, str):
        named = named_paths(command, cwd=place.cwd, home=place.home, tables=place.tables)
        if named.searched_from:
            # Git names files from the top, wherever it runs.
            folders = dict.fromkeys((*named.searched_from, str(place.root)))
            return _limited(_hits(result.result, folders, "shell", place))
    return ()


def of_prompt(paths: Iterable[str], place: Place) -> tuple[FileAccess, ...]:
    """What a prompt mentions, if it exists in the project."""
    found = (place.access(path, "mention") for path in dict.fromkeys(paths) if _there(path, place))
    return _limited(each for each in found if each)


def _limited(found: Iterable[FileAccess]) -> tuple[FileAccess, ...]:
    """Each file once; what writes it stands for what only reads it."""
    kept: dict[tuple[str, ...], FileAccess] = {}
    for each in found:
        before = kept.get(each.forms)
        if before is None and len(kept) >= MAX_PATHS and not each.writes:
            continue
        if before is None or (each.writes and not before.writes):
            kept[each.forms] = each
    return tuple(kept.values())


def _of_call(call: ToolCall, place: Place) -> Iterator[FileAccess]:
    if call.source != BUILT_IN:
        if not _own(call.source):
            yield from _mcp(call, place)
        return
    command = call.args.get("command")
    if call.tool in SHELLS and isinstance(command, str):
        yield from _shell(command, place)
    elif call.tool in UNPARSED and isinstance(command, str):
        yield from _split(command, place)
    elif call.tool in _ROUTES:
        route, names = _ROUTES[call.tool]
        yield from _built_in(call.args, route, names, place)
    files = call.args.get("files")
    if call.tool in ("apply_patch", "editFiles") and isinstance(files, list):
        for each in files:
            if isinstance(each, dict):
                yield from _built_in(each, "edit", ("file_path",), place)


def _built_in(
    args: Mapping[str, object], route: str, names: tuple[str, ...], place: Place
) -> Iterator[FileAccess]:
    writes = route in _WRITES
    proposed = _proposed(args) if writes else None
    for path in _strings(args.get(name) for name in names):
        found = place.access(path, route, proposed=proposed, writes=writes)
        if found:
            yield replace(found, served=place.served and route == "read")


def _proposed(args: Mapping[str, object]) -> str | None:
    """The text that a write would put into the file (CTX-17)."""
    texts = [args.get(name) for name in _PROPOSED]
    edits = args.get("edits")
    if isinstance(edits, list):
        texts += [each.get("new_string") for each in edits if isinstance(each, dict)]
    held = [each for each in texts if isinstance(each, str)]
    return "\n".join(held) if held else None


def _strings(values: Iterable[object]) -> Iterator[str]:
    for value in values:
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str):
                yield each


# ── MCP ──────────────────────────────────────────────────────────────────────────────────────


def _own(source: str) -> bool:
    """Tripwire's own file server, also as a part of its plugin."""
    return source in (SERVER_ENTRY, f"plugin_{SERVER_ENTRY}_{SERVER_ENTRY}")


def _own_read(result: ToolResult) -> bool:
    return _own(result.source) and result.tool == READ_TOOL


def _mcp(call: ToolCall, place: Place) -> Iterator[FileAccess]:
    """Paths in the arguments of a foreign server's tool; its relative ones start at the root."""
    writes = bool(_MCP_WRITES.search(call.tool))
    reads = bool(_MCP_READS.search(call.tool)) and not (writes or _MCP_OTHER.search(call.tool))
    here = replace(place, cwd=str(place.root))
    for path in _named_values(call.args, _MCP_DEPTH):
        found = here.access(path, "mcp", writes=writes)
        if found:
            yield replace(found, served=place.served and reads)


def _named_values(value: object, depth: int) -> Iterator[str]:
    if depth < 0:
        return
    if isinstance(value, Mapping):
        for key, held in value.items():
            if key in _MCP_PATHS:
                yield from _strings([held])
            yield from _named_values(held, depth - 1)
    elif isinstance(value, list):
        for held in value[:MAX_PATHS]:
            yield from _named_values(held, depth - 1)


# ── shell ────────────────────────────────────────────────────────────────────────────────────


def _shell(command: str, place: Place) -> Iterator[FileAccess]:
    named = named_paths(command, cwd=place.cwd, home=place.home, tables=place.tables)
    yield from _written(named, place)
    folders = frozenset(named.folders)
    for path in named.words:
        yield from _existing(path, place, folder=path in folders)
    for path in named.revisions:
        top = replace(place, cwd=str(place.root))
        found = top.access(path, "shell")
        if found:
            yield found
    if named.unresolved:
        yield from _split(command, place)


def _written(named: NamedPaths, place: Place) -> Iterator[FileAccess]:
    """Files written, new ones too; files and directories that are taken away."""
    name = place.rules.config.tripwires_dir.strip("/")
    ours = place.root / name
    for pattern in (*named.writes, *named.removed):
        gone = pattern in named.removed
        for path in _expanded(pattern, place):
            found = place.access(path, "shell", writes=True)
            if found and (gone or not is_folder(path) or path == str(ours)):
                yield found
    vague = any(f"/{name}/" in f"{path}/" for path in named.vague)
    if vague or named.authors or any(_around(path, place) for path in named.removed):
        found = place.access(str(ours), "shell", writes=True)
        if found:
            yield found


def _around(path: str, place: Place) -> bool:
    """Whether what is done to `path` is done to the whole project."""
    return str(place.root) == path or str(place.root).startswith(f"{path.rstrip('/')}/")


def _existing(
    path: str, place: Place, *, folder: bool, opaque: bool = False
) -> Iterator[FileAccess]:
    for each in _expanded(path, place):
        there = exists(each) and (folder or not is_folder(each))
        found = place.access(each, "shell", opaque=opaque) if there else None
        if found:
            yield found


def _expanded(path: str, place: Place) -> list[str]:
    """A path, or what its globs stand for; a file of that very name comes first."""
    if not is_glob(path) or exists(path):
        return [path]
    return matches(path, place.root, limit=MAX_PATHS) or [path]


def _split(text: str, place: Place) -> Iterator[FileAccess]:
    """Text that cannot be resolved: every part between blanks and quotes that names a file."""
    for word in list(dict.fromkeys(_SPLIT.split(text)))[:_MAX_WORDS]:
        plain = word.replace("\\", "/") if "\\" in word else word
        plain = _UNKNOWN_START.sub("", plain, count=1) if plain.startswith("$") else plain
        if plain.startswith("/") and not exists(plain):
            # What a variable or a substitution stood before: most often the top of the project.
            plain = plain.lstrip("/")
        for folder in dict.fromkeys((place.cwd, str(place.root))):
            if plain and not plain.startswith("-"):
                path = joined(folder, plain, home=place.home)
                yield from _existing(path, place, folder=False, opaque=True)


# ── results ──────────────────────────────────────────────────────────────────────────────────


def _hits(
    response: object, folders: Iterable[str], route: str, place: Place
) -> Iterator[FileAccess]:
    left = MAX_PATHS
    for name in hits(response):
        for folder in folders:
            path = joined(folder, name)
            if exists(path) and not is_folder(path) and (found := place.access(path, route)):
                yield found
                left -= 1
                break
        if not left:
            return


def _there(path: str, place: Place) -> bool:
    return exists(joined(place.cwd, path, home=place.home))
