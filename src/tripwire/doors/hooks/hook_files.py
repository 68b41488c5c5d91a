"""Where each agent client reads hooks from, and how an entry of ours looks there (CTX-35).

Every form runs the same command: interpreter, shim, client name. Data only.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass

TIMEOUT = 10
"""Seconds; the shim gives up before (flow.md `deadline_ms`)."""

Words = tuple[str, ...]
Entry = Callable[[Words, str], dict[str, object]]
"""Words of the command and the event → one entry."""


@dataclass(frozen=True, slots=True)
class HookFile:
    """The hooks file of one client."""

    project: str
    """Relative to the project."""
    user: str
    """Relative to the home directory; "" if the client has none."""
    events: tuple[str, ...]
    """What is installed: the events that can be stopped or that teach the session something."""
    entry: Entry
    quiet: str
    """An event with nothing to say to, for a round trip."""
    fresh: str = ""
    """The text of a new file."""
    note: str = ""
    """What the person still has to do."""

    def quiet_event(self) -> dict[str, str]:
        """That event, as the client sends it."""
        return {
            "hook_event_name": self.quiet,
            "session_id": "tripwire-install",
            "conversation_id": "tripwire-install",
        }


def _claude_code(words: Words, event: str) -> dict[str, object]:  # noqa: ARG001 - as Entry
    handler = {
        "type": "command",
        "command": words[0],
        "args": list(words[1:]),
        "timeout": TIMEOUT,
        "onFailure": "block",
    }
    return {"matcher": "*", "hooks": [handler]}


def _codex(words: Words, event: str) -> dict[str, object]:
    seconds = 3 if event == "SessionEnd" else TIMEOUT  # more is cut, with a warning
    handler = {"type": "command", "command": shlex.join(words), "timeout": seconds}
    matched = {"matcher": ".*"} if event in ("PreToolUse", "PostToolUse") else {}
    return {**matched, "hooks": [handler]}


def _gemini(words: Words, event: str) -> dict[str, object]:
    handler = {
        "type": "command",
        "name": "tripwire",
        "command": shlex.join(words),
        "timeout": TIMEOUT * 1000,
    }
    matched = {"matcher": ".*"} if event in ("BeforeTool", "AfterTool") else {}
    return {**matched, "hooks": [handler]}


def _cursor(words: Words, event: str) -> dict[str, object]:
    stops = {"failClosed": True} if event in ("preToolUse", "beforeReadFile") else {}
    return {"command": shlex.join(words), "timeout": TIMEOUT, **stops}


def _vs_code(words: Words, event: str) -> dict[str, object]:  # noqa: ARG001 - as Entry
    return {"type": "command", "command": shlex.join(words), "timeout": TIMEOUT}


FILES: Mapping[str, HookFile] = {
    "claude-code": HookFile(
        ".claude/settings.json",
        ".claude/settings.json",
        (
            "SessionStart",
            "SessionEnd",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "PreSkillShellCommand",
            "InstructionsLoaded",
            "PostCompact",
        ),
        _claude_code,
        "Stop",
    ),
    "codex": HookFile(
        ".codex/hooks.json",
        ".codex/hooks.json",
        (
            "SessionStart",
            "SessionEnd",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PostCompact",
        ),
        _codex,
        "Stop",
        note="Codex runs a hook only once you trust it: start codex, then `/hooks`.",
    ),
    "gemini": HookFile(
        ".gemini/settings.json",
        ".gemini/settings.json",
        ("SessionStart", "SessionEnd", "BeforeAgent", "BeforeTool", "AfterTool", "PreCompress"),
        _gemini,
        "AfterAgent",
    ),
    "cursor": HookFile(
        ".cursor/hooks.json",
        ".cursor/hooks.json",
        (
            "sessionStart",
            "sessionEnd",
            "beforeSubmitPrompt",
            "preToolUse",
            "beforeReadFile",
            "postToolUse",
            "postToolUseFailure",
            "preCompact",
        ),
        _cursor,
        "stop",
        fresh='{\n  "version": 1\n}\n',
    ),
    "vscode": HookFile(
        ".github/hooks/tripwire.json",
        "",
        ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact"),
        _vs_code,
        "Stop",
        note="VS Code also runs the hooks of .claude/settings.json; one of the two is enough.",
    ),
}
