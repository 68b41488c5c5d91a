"""A client's settings text with our hooks in it, and without: text in, text out.

Only the `hooks` member is touched, and of it only entries that run our shim; comments and the
layout of everything else stay. Comments inside `hooks` itself are lost. Does not open files.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tripwire.doors.hooks.hook_files import FILES, HookFile, Words
from tripwire.errors import SettingsUnreadable

CLAUDE_CODE = FILES["claude-code"]

SWITCHES = ("disableAllHooks", "allowManagedHooksOnly")
"""Settings that switch hooks off."""

_SHIM = re.compile(r"[/\\]tripwire[/\\]doors[/\\]hooks[/\\]shim\.py$")
_SPACE = r"(?:\s|//[^\n]*|/\*.*?\*/)"
_TOKEN = re.compile(rf'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|,(?={_SPACE}*[}}\]])', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Installed:
    """One handler of ours: its event, its matcher ("" is every tool), and what is run."""

    event: str
    matcher: str
    words: Words
    """Program and arguments; a single word is a line for a shell."""


def snippet(command: Words, file: HookFile = CLAUDE_CODE) -> str:
    """The paste form: a whole settings file with nothing but our hooks."""
    start = read(file.fresh)
    hooks = {name: [file.entry(command, name)] for name in file.events}
    return json.dumps({**start, "hooks": hooks}, indent=2) + "\n"


def installed(text: str, command: Words, file: HookFile = CLAUDE_CODE) -> str:
    """`text` with our hooks, earlier entries of ours replaced. Raises SettingsUnreadable."""
    text = text if text.strip() else file.fresh
    data = read(text)
    hooks = _without_ours(_hooks(data))
    for name in file.events:
        hooks[name] = [*hooks.get(name, []), file.entry(command, name)]
    return text if hooks == _hooks(data) else with_member(text, "hooks", hooks)


def removed(text: str) -> str:
    """`text` without our hooks; a `hooks` member that this empties goes too."""
    data = read(text)
    if "hooks" not in data:
        return text
    hooks = _hooks(data)
    kept = _without_ours(hooks)
    return text if kept == hooks else with_member(text, "hooks", kept)


def holds_ours(text: str) -> bool:
    """Whether any entry runs our shim."""
    hooks = _hooks(read(text))
    return _without_ours(hooks) != hooks


def handlers(text: str) -> tuple[Installed, ...]:
    """Every handler of ours, as a client would run it. Raises SettingsUnreadable."""
    found: list[Installed] = []
    for event, entries in _hooks(read(text)).items():
        for entry in entries:
            inner = entry.get("hooks") if isinstance(entry, dict) else None
            for handler in inner if isinstance(inner, list) else [entry]:
                if _ours(handler):
                    args = handler.get("args")
                    more = [str(word) for word in args] if isinstance(args, list) else []
                    words = (str(handler.get("command", "")), *more)
                    found.append(Installed(event, str(entry.get("matcher", "")), words))
    return tuple(found)


def is_empty(text: str, file: HookFile = CLAUDE_CODE) -> bool:
    """Whether the file says nothing at all, or only what a new one says."""
    return read(text) in ({}, read(file.fresh)) and "//" not in text and "/*" not in text


def switched_off(text: str) -> tuple[str, ...]:
    """Names of settings in `text` that keep hooks from running."""
    data = read(text)
    return tuple(name for name in SWITCHES if data.get(name))


def read(text: str) -> dict[str, Any]:
    """The settings as data; comments and trailing commas are allowed."""
    if not text.strip():
        return {}
    try:
        data = json.loads(_plain(text))
    except (ValueError, RecursionError) as problem:
        place = f"line {problem.lineno}" if isinstance(problem, json.JSONDecodeError) else ""
        raise SettingsUnreadable(f"not JSON {place}".strip()) from None
    if not isinstance(data, dict):
        raise SettingsUnreadable("not a JSON object")
    return data


def _plain(text: str) -> str:
    """`text` of the same length with comments and trailing commas blanked."""

    def blank(found: re.Match[str]) -> str:
        token = found.group()
        return token if token.startswith('"') else re.sub(r"[^\n]", " ", token)

    return _TOKEN.sub(blank, text)


def _hooks(data: Mapping[str, Any]) -> dict[str, list[Any]]:
    hooks = data.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(v, list) for v in hooks.values()):
        raise SettingsUnreadable('"hooks" is not an object of lists')
    return hooks


def _without_ours(hooks: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    kept: dict[str, list[Any]] = {}
    for name, entries in hooks.items():
        left = [slim for found in entries if (slim := _slimmed(found)) is not None]
        if left or not entries:
            kept[name] = left
    return kept


def _slimmed(found: Any) -> Any:
    """The entry without our handlers; None if nothing else was in it.

    In some clients an entry is itself the handler.
    """
    if _ours(found):
        return None
    handlers = found.get("hooks") if isinstance(found, dict) else None
    if not isinstance(handlers, list):
        return found
    left = [handler for handler in handlers if not _ours(handler)]
    if len(left) == len(handlers):
        return found
    return {**found, "hooks": left} if left else None


def _ours(handler: Any) -> bool:
    if not isinstance(handler, dict):
        return False
    args = handler.get("args")
    words = [handler.get("command"), *(args if isinstance(args, list) else [])]
    return any(isinstance(word, str) and _runs_shim(word) for word in words)


def _runs_shim(command: str) -> bool:
    """Whether a word, or a word of a whole command line, is our shim."""
    try:
        words = [command, *shlex.split(command)]
    except ValueError:
        words = [command]
    return any(_SHIM.search(word) for word in words)


def with_member(text: str, name: str, value: Mapping[str, Any]) -> str:
    """`text`, readable as settings, with the outermost member `name`; without it if empty.

    Everything else stays as it is, comments too.
    """
    plain = _plain(text)
    spans = _members(plain)
    indent = _indent(text)
    written = json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", "\n" + indent)
    if name in spans:
        start, at, end = spans[name]
        return f"{text[:at]}{written}{text[end:]}" if value else _cut(text, plain, start, end)
    if not value:
        return text
    member = f'{indent}"{name}": {written}'
    if not spans:
        return f"{{\n{member}\n}}\n"
    last = max(end for _, _, end in spans.values())
    closing = "" if "\n" in plain[last:].partition("}")[0] else "\n"
    return f"{text[:last]},\n{member}{closing}{text[last:]}"


def _cut(text: str, plain: str, start: int, end: int) -> str:
    """Without the member at `start`…`end` and the one comma that belongs to it."""
    before = plain[:start].rstrip()
    if before.endswith(","):
        return text[: len(before) - 1] + text[end:]
    after = len(plain) - len(plain[end:].lstrip())
    if plain[after : after + 1] == ",":
        end = after + 1
    return text[:start].rstrip(" \t") + text[end:].lstrip(" \t")


def _members(plain: str) -> dict[str, tuple[int, int, int]]:
    """Key → where the member, its value and its end are, of the outermost object."""
    decode = json.JSONDecoder().raw_decode
    found: dict[str, tuple[int, int, int]] = {}
    at = plain.find("{") + 1
    while at > 0:
        start = _skip(plain, at, ",")
        if plain[start : start + 1] != '"':
            break
        key, at = decode(plain, start)
        value = _skip(plain, at, ":")
        _, at = decode(plain, value)
        found[key] = (start, value, at)
    return found


def _skip(plain: str, at: int, also: str) -> int:
    while at < len(plain) and (plain[at].isspace() or plain[at] == also):
        at += 1
    return at


def _indent(text: str) -> str:
    found = re.search(r'^([ \t]+)"', text, re.MULTILINE)
    return found.group(1) if found else "  "
