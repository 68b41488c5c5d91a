"""Lint of clients' hook settings: read guards that a shell walks around (TW310, TW311, §4.3).

Looks at parsed settings; whose hooks they are does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import re2

from tripwire.read.lint_codes import LintFinding, found
from tripwire.text.well_formed import well_formed


@dataclass(frozen=True, slots=True)
class HookSettings:
    """One settings file of a client, parsed."""

    client: str
    file: str
    data: Mapping[str, Any]


_EVENTS = {
    "claude-code": ("PreToolUse", "Read", "Bash"),
    "gemini": ("BeforeTool", "read_file", "run_shell_command"),
    "cursor": ("preToolUse", "Read", "Shell"),
}
"""Client → the event before a tool, its read tool, its shell tool."""
_EXACT = re.compile(r"[A-Za-z0-9_\- ,|]*")


def of_hook_settings(settings: HookSettings) -> Iterator[LintFinding]:
    """What is wrong with one client's hooks."""
    if settings.client not in _EVENTS:
        return
    event, read, shell = _EVENTS[settings.client]
    entries = [e for e in _entries(settings.data, event) if matches(_matcher(e), read)]
    fix = f"tripwire install {settings.client}"
    if entries and not any(matches(_matcher(e), shell) for e in _entries(settings.data, event)):
        text = f"the hooks of {event} see {read} and not {shell}: cat and grep read past them"
        yield found("TW310", settings.file, text, fix=fix)
    if settings.client != "cursor":
        return
    guards = _entries(settings.data, "beforeReadFile")
    if entries and not guards:
        text = "the read guard rests on preToolUse alone; beforeReadFile is not guarded"
        yield found("TW311", settings.file, text, fix=fix)
    if any(entry.get("failClosed") is not True for entry in (*entries, *guards)):
        text = "a read guard without failClosed: if it crashes or is late, the read goes on"
        yield found("TW311", settings.file, text, fix=fix)


def matches(matcher: str, tool: str) -> bool:
    """Whether a hook's matcher takes a tool (contracts of the clients, settings.json)."""
    if matcher in ("", "*"):
        return True
    if _EXACT.fullmatch(matcher):
        return tool in (name.strip() for name in re.split("[|,]", matcher))
    options = re2.Options()
    options.log_errors = False
    try:
        return bool(re2.compile(matcher, options).search(well_formed(tool)))
    except re2.error:
        return False


def _entries(data: Mapping[str, Any], event: str) -> list[Mapping[str, Any]]:
    hooks = data.get("hooks")
    entries = hooks.get(event) if isinstance(hooks, Mapping) else None
    return (
        [each for each in entries if isinstance(each, Mapping)] if isinstance(entries, list) else []
    )


def _matcher(entry: Mapping[str, Any]) -> str:
    matcher = entry.get("matcher", "")
    return matcher if isinstance(matcher, str) else ""
