"""The configurations that `scan` reads, and what it finds in them. Starts and follows nothing.

Opens the files of the tables below and no other: never a credential file.
"""

from __future__ import annotations

import shlex
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tripwire.cli.doctor_own import own_hook
from tripwire.doors.hooks import settings
from tripwire.doors.hooks.hook_files import FILES
from tripwire.errors import SettingsUnreadable
from tripwire.io.project import beginning
from tripwire.workbench.scan import App, Server

MOST = 16 << 20
"""Bytes of a file that are read."""

_CODE = ("~/.config/Code/User", "~/Library/Application Support/Code/User")
_CLINE = "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
_DESKTOP = "Claude/claude_desktop_config.json"
PLACES: tuple[tuple[str, str, str], ...] = (
    ("claude-code", ".mcp.json", "mcpServers"),
    ("claude-code", "~/.claude.json", "mcpServers"),
    ("claude-desktop", f"~/.config/{_DESKTOP}", "mcpServers"),
    ("claude-desktop", f"~/Library/Application Support/{_DESKTOP}", "mcpServers"),
    ("cursor", ".cursor/mcp.json", "mcpServers"),
    ("cursor", "~/.cursor/mcp.json", "mcpServers"),
    ("windsurf", ".windsurf/mcp_config.json", "mcpServers"),
    ("windsurf", "~/.codeium/windsurf/mcp_config.json", "mcpServers"),
    ("vscode", ".vscode/mcp.json", "servers"),
    *(("vscode", f"{code}/mcp.json", "servers") for code in _CODE),
    ("vscode", ".devcontainer/devcontainer.json", "customizations.vscode.mcp.servers"),
    ("copilot-cli", "~/.copilot/mcp-config.json", "mcpServers"),
    ("codex", ".codex/config.toml", "mcp_servers"),
    ("codex", "~/.codex/config.toml", "mcp_servers"),
    ("gemini", ".gemini/settings.json", "mcpServers"),
    ("gemini", "~/.gemini/settings.json", "mcpServers"),
    ("gemini", "/etc/gemini-cli/settings.json", "mcpServers"),
    ("opencode", "opencode.json", "mcp"),
    ("opencode", "opencode.jsonc", "mcp"),
    ("opencode", "~/.config/opencode/opencode.json", "mcp"),
    *(("cline", f"{code}/{_CLINE}", "mcpServers") for code in _CODE),
    ("zed", ".zed/settings.json", "context_servers"),
    ("zed", "~/.config/zed/settings.json", "context_servers"),
)
"""App, file (of the project, `~` or absolute), member that holds the servers (contracts §2.9)."""
_BEFORE = {
    "claude-code": "PreToolUse",
    "codex": "PreToolUse",
    "gemini": "BeforeTool",
    "cursor": "preToolUse",
    "vscode": "PreToolUse",
}
"""Client → the hook event that can stop a call."""
_FOLDERS = {"claude-code": ".claude", "codex": ".codex", "gemini": ".gemini", "cursor": ".cursor"}
_MODES = frozenset({"bypassPermissions", "dontAsk", "never", "danger-full-access", "yolo"})


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that could not be read, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Scanned:
    """Every configuration found, and those that could not be read."""

    apps: tuple[App, ...]
    skipped: tuple[Skipped, ...]


def scanned(root: Path, home: Path) -> Scanned:
    """Every client configuration of a project and a home directory."""
    apps: list[App] = []
    skipped: list[Skipped] = []
    doors = {client: _hooks(client, root, home, skipped) for client in _BEFORE}
    seen: set[str] = set()
    for app, place, member in PLACES:
        path = _at(place, root, home)
        try:
            text = _text(path)
            if text is None:
                continue
            data = _data(path, text)
        except SettingsUnreadable as problem:
            skipped.append(Skipped(str(path), problem.what))
            continue
        seen.add(app)
        guarded, switches, soft = doors.get(app, ("", (), False))
        held = tuple(_servers(data, member, root, text))
        switches = (*switches, *_switches(data))
        apps.append(App(app, str(path), held, guarded, app in _BEFORE, switches, soft))
    apps += _others(root, home, seen, doors)
    return Scanned(tuple(apps), tuple(skipped))


def _others(
    root: Path, home: Path, seen: set[str], doors: Mapping[str, tuple[str, tuple[str, ...], bool]]
) -> Iterator[App]:
    """Clients that are used here and have no servers: their own tools are a way out as well."""
    for client, folder in _FOLDERS.items():
        there = [base / folder for base in (root, home) if (base / folder).is_dir()]
        if there and client not in seen:
            guarded, switches, soft = doors[client]
            yield App(client, str(there[0]), (), guarded, True, switches, soft)


def _at(place: str, root: Path, home: Path) -> Path:
    return home / place[2:] if place.startswith("~/") else root / place


def _text(path: Path) -> str | None:
    """The content, None if there is no file. Raises SettingsUnreadable."""
    try:
        return beginning(path, MOST).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as problem:
        why = getattr(problem, "strerror", None) or "not UTF-8"
        raise SettingsUnreadable(f"cannot be read ({why})", where=str(path)) from None


def _data(path: Path, text: str) -> Mapping[str, Any]:
    if path.suffix != ".toml":
        return settings.read(text)
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        raise SettingsUnreadable("not TOML", where=str(path)) from None


def _servers(data: Mapping[str, Any], member: str, root: Path, text: str) -> Iterator[Server]:
    projects = data.get("projects")
    own = projects.get(str(root)) if isinstance(projects, dict) else None
    for holder in (own, data):
        held = _member(holder, member)
        for name, entry in held.items():
            if isinstance(entry, dict) and entry.get("disabled") is not True:
                yield _server(name, entry, text, root)


def _member(value: object, member: str) -> dict[str, Any]:
    """What stands under a dotted name; nothing if it is no object."""
    for step in member.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _server(name: str, entry: Mapping[str, Any], text: str, root: Path) -> Server:
    command: Any = entry.get("command")
    held: Any = entry.get("args")
    address = next((entry[key] for key in ("url", "serverUrl", "httpUrl") if entry.get(key)), "")
    if isinstance(command, dict):  # Zed
        command, held = command.get("path"), command.get("args")
    words = command if isinstance(command, list) else [command]
    runs = [*words, *(held if isinstance(held, list) else []), address]
    told = tuple(word for word in runs if isinstance(word, str) and word)
    line = next((n for n, row in enumerate(text.split("\n"), 1) if name in row), 0)
    return Server(name, told, bool(address), "gateway" if _is_ours(told, root) else "", line)


def _is_ours(words: tuple[str, ...], root: Path) -> bool:
    """Whether an entry runs this program's gateway or its file server.

    A program that the project brings along is not ours, whatever it is called.
    """
    if not words:
        return False
    program = Path(words[0])
    brought = program.is_relative_to(root) if program.is_absolute() else "/" in words[0]
    if program.name == "tripwire":
        mine = program == Path(sys.executable).with_name("tripwire")
        return words[1:2] in (("run",), ("serve",)) and (mine or not brought)
    module = words[1:3] == ("-m", "tripwire") and words[3:4] in (("run",), ("serve",))
    return module and (words[0] == sys.executable or not brought) and not _shadowed(root)


def _shadowed(root: Path) -> bool:
    """Whether `python -m tripwire` would run something of the project."""
    return (root / "tripwire").exists() or (root / "tripwire.py").exists()


def _switches(data: Mapping[str, Any]) -> Iterator[str]:
    """Settings that let calls pass without a question."""
    allowed = data.get("permissions")
    modes = [data.get("approval_policy"), data.get("sandbox_mode"), data.get("defaultMode")]
    modes += [allowed.get("defaultMode")] if isinstance(allowed, dict) else []
    yield from (mode for mode in modes if isinstance(mode, str) and mode in _MODES)
    for name in ("dangerouslySkipPermissions", "autoApprove", "yolo"):
        if data.get(name) is True:
            yield name


def _hooks(
    client: str, root: Path, home: Path, skipped: list[Skipped]
) -> tuple[str, tuple[str, ...], bool]:
    """The door of a client's hooks, what switches questions off, and whether it may fail open."""
    form = FILES[client]
    places = [root / form.project, *([home / form.user] if form.user else [])]
    if client == "claude-code":
        places.append(root / ".claude" / "settings.local.json")
    ours, off, switches, soft = False, False, [], False
    for path in dict.fromkeys(places):
        try:
            text = _text(path) or ""
            data = settings.read(text)
            installed = [h for h in settings.handlers(text) if h.event == _BEFORE[client]]
            off = off or bool(data.get("disableAllHooks"))
        except SettingsUnreadable as problem:
            skipped.append(Skipped(str(path), problem.what))
            continue
        if client != "gemini":  # its settings are read with its servers
            switches += list(_switches(data))
        if any(_whole(handler, client, root) for handler in installed):
            ours, soft = True, soft or _soft(client, text)
    return ("hooks" if ours and not off else "", tuple(switches), ours and soft)


def _whole(handler: settings.Installed, client: str, root: Path) -> bool:
    """Whether a hook takes every tool, and runs no look-alike that the project brings along."""
    if handler.matcher not in ("", "*", ".*"):
        return False
    try:
        words = handler.words if len(handler.words) > 1 else shlex.split(handler.words[0])
    except ValueError:
        return False
    paths = [Path(word) for word in words if "/" in word]
    outside = all(path.is_absolute() and not path.is_relative_to(root) for path in paths)
    return own_hook(handler.words, client) or outside


def _soft(client: str, text: str) -> bool:
    """Whether the client has a switch for refusing when the hook cannot start, and it is off."""
    wanted = {"claude-code": '"onFailure"', "cursor": '"failClosed"'}.get(client)
    return wanted is not None and wanted not in text
