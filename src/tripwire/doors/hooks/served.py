"""The entry of Tripwire's own file server in a client's MCP configuration: found, or written.

Whether it can be used is told from the entry and its command; nothing is started (`tripwire doctor`
does). A configuration that cannot be read holds no entry: a raw read is not denied for the sake of
a tool that is not there.
"""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tripwire.doors.hooks.events import SERVER_ENTRY
from tripwire.doors.hooks.hook_files import Words
from tripwire.doors.hooks.settings import read, with_member
from tripwire.errors import SettingsUnreadable
from tripwire.io.project import beginning

_MOST = 16 << 20
"""Bytes of a configuration: a project may bring a link to a device in its place."""

FILES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "claude-code": ((".mcp.json", "mcpServers"), ("~/.claude.json", "mcpServers")),
    "vscode": ((".vscode/mcp.json", "servers"), (".mcp.json", "mcpServers")),
    "codex": ((".codex/config.toml", "mcp_servers"), ("~/.codex/config.toml", "mcp_servers")),
    "gemini": ((".gemini/settings.json", "mcpServers"), ("~/.gemini/settings.json", "mcpServers")),
    "cursor": ((".cursor/mcp.json", "mcpServers"), ("~/.cursor/mcp.json", "mcpServers")),
}
"""Client → files (in the project, or `~`), and the member that holds the servers; the first is
where a new entry goes."""


def is_served(client: str, root: Path, home: str) -> bool:
    """Whether the client's configuration for this project names our server and it can start."""
    return any(_starts(entry, root) for entry in _entries(client, root, home))


def with_server(client: str, text: str, command: Words) -> str:
    """The text of the client's first file with an entry that runs `command`.

    An entry that is there already stays. Raises SettingsUnreadable.
    """
    name, member = FILES[client][0]
    data = _parsed(name, text)
    servers = data.get(member, {})
    if not isinstance(servers, dict):
        raise SettingsUnreadable(f'"{member}" is not an object')
    if SERVER_ENTRY in servers:
        return text
    if name.endswith(".toml"):
        words = ", ".join(json.dumps(word, ensure_ascii=False) for word in command[1:])
        program = json.dumps(command[0], ensure_ascii=False)
        table = f"[{member}.{SERVER_ENTRY}]\ncommand = {program}\nargs = [{words}]\n"
        return f"{text.rstrip()}\n\n{table}".lstrip()
    entry = {"command": command[0], "args": list(command[1:])}
    return with_member(text, member, {**servers, SERVER_ENTRY: entry})


def _entries(client: str, root: Path, home: str) -> Iterator[Mapping[str, Any]]:
    return (each.entry for each in entries(client, root, home) if each.key == SERVER_ENTRY)


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """One server in a client's configuration."""

    file: Path
    key: str
    entry: Mapping[str, Any]


def entries(client: str, root: Path, home: str) -> Iterator[ServerEntry]:
    """Every server that the client has configured for this project; the nearest file first."""
    for name, member in FILES.get(client, ()):
        path = Path(home) / name[2:] if name.startswith("~/") else root / name
        data = _data(path)
        projects = data.get("projects")
        own = projects.get(str(root)) if isinstance(projects, dict) else None
        for holder in (own, data):
            servers = holder.get(member) if isinstance(holder, dict) else None
            for key, entry in servers.items() if isinstance(servers, dict) else ():
                if isinstance(entry, dict):
                    yield ServerEntry(path, key, entry)


def _data(path: Path) -> dict[str, Any]:
    try:
        return _parsed(path.name, beginning(path, _MOST).decode("utf-8"))
    except (OSError, UnicodeDecodeError, SettingsUnreadable):
        return {}


def _parsed(name: str, text: str) -> dict[str, Any]:
    if not name.endswith(".toml"):
        return read(text)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise SettingsUnreadable(f"not TOML ({problem})") from None


def _starts(entry: Mapping[str, Any], root: Path) -> bool:
    command = entry.get("command")
    if not isinstance(command, str) or not command:
        return False
    try:
        name = str(root / Path(command).expanduser()) if os.sep in command else command
        return shutil.which(name) is not None
    except (OSError, ValueError, RuntimeError):
        return False
