"""Cursor's hook wire ⇄ Hook and Verdict (contracts.md §2.4; read from its documentation, not run).

It takes context after a call only. It also runs the hooks of Claude Code's settings, so the same
event may come twice, and under Claude Code's names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tripwire.doors.hooks import claude_code
from tripwire.doors.hooks.answer import context, reason
from tripwire.doors.hooks.hook import (
    Client,
    Hook,
    JsonObject,
    Phase,
    arguments,
    embedded,
    phase_of,
    stand_in,
    text,
)
from tripwire.model.verdict import Action, Verdict

NAME = "cursor"

PHASES = {
    "sessionStart": Phase.STARTED,
    "sessionEnd": Phase.ENDED,
    "beforeSubmitPrompt": Phase.PROMPT,
    "preToolUse": Phase.BEFORE,
    "beforeReadFile": Phase.BEFORE,
    "beforeShellExecution": Phase.BEFORE,
    "beforeMCPExecution": Phase.BEFORE,
    "postToolUse": Phase.AFTER,
    "postToolUseFailure": Phase.AFTER,
    "preCompact": Phase.COMPACTED,
    **dict.fromkeys(
        (
            "afterFileEdit",
            "afterShellExecution",
            "afterMCPExecution",
            "afterAgentResponse",
            "afterAgentThought",
            "subagentStart",
            "subagentStop",
            "stop",
            "workspaceOpen",
        ),
        Phase.QUIET,
    ),
}
_TOOLS = {"Shell": "Bash", "Read": "Read", "Write": "Write", "Grep": "Grep", "Task": "Task"}
_ARGUMENTS = {"target_file": "file_path", "filePath": "file_path", "contents": "content"}


def read(value: JsonObject) -> Hook:
    """One event of Cursor, under its own names or Claude Code's. Raises MalformedInput."""
    name = text(value, "hook_event_name", needed="tool_name" not in value) or "preToolUse"
    own = _own_name(name)
    phase = phase_of(own, PHASES)
    session = text(value, "conversation_id") or text(value, "session_id")
    called = phase in (Phase.BEFORE, Phase.AFTER)
    tool, args, server = _call(own, value) if called else ("", {}, "")
    generation = text(value, "generation_id")
    failed = own == "postToolUseFailure"
    given = text(value, "tool_use_id")
    return Hook(
        name=name,
        session=session,
        phase=phase,
        cwd=text(value, "cwd") or _workspace(value),
        transcript=text(value, "transcript_path"),
        source=text(value, "source"),
        prompt=text(value, "prompt", needed=phase is Phase.PROMPT),
        tool=tool,
        args=args,
        call_id=(given or stand_in(generation, tool, args)) if called else "",
        response=value.get("error_message") if failed else _output(value),
        failed=failed,
        server=server,
        generation=generation,
    )


def _own_name(name: str) -> str:
    """`PreToolUse` as `preToolUse`: Claude Code's names for the same events."""
    if name == "UserPromptSubmit":
        return "beforeSubmitPrompt"
    return name[:1].lower() + name[1:] if name in claude_code.PHASES else name


def _workspace(value: JsonObject) -> str:
    roots = value.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else ""
    return first if isinstance(first, str) else ""


def _call(name: str, value: JsonObject) -> tuple[str, dict[str, Any], str]:
    """Tool, arguments and server under Claude Code's names."""
    if name == "beforeReadFile":
        return "Read", {"file_path": text(value, "file_path", needed=True)}, ""
    if name == "beforeShellExecution":
        return "Bash", {"command": text(value, "command", needed=True)}, ""
    tool, args = text(value, "tool_name", needed=True), arguments(value)
    if name == "beforeMCPExecution" or tool.startswith("MCP:"):
        server = _server(value)
        bare = tool.removeprefix("MCP:").removeprefix(f"mcp__{server}__")
        return f"mcp__{server or 'unknown'}__{bare}", args, server
    return _TOOLS.get(tool, tool), _translated(tool, args), claude_code.server_of(value)


def _server(value: JsonObject) -> str:
    """Cursor names the server nowhere for sure; what it may say of it is taken."""
    for key in ("mcp_server_name", "server_name", "server"):
        held = value.get(key)
        if isinstance(held, str) and held:
            return held
    return claude_code.server_of(value)


def _translated(tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
    plain = {_ARGUMENTS.get(key, key): held for key, held in args.items()}
    if tool in ("Read", "Write", "Delete") and "file_path" not in plain and "path" in plain:
        plain["file_path"] = plain["path"]
    return plain


def _output(value: JsonObject) -> object:
    held = value.get("tool_output", value.get("tool_response"))
    return embedded(held) if isinstance(held, str) else held


def render(hook: Hook, verdict: Verdict) -> str:
    """What Cursor is answered; silence is `{}`. Under Claude Code's names it takes its answers."""
    if hook.name in claude_code.PHASES:
        return _as_claude_code(hook, verdict)
    return json.dumps(_answer(hook, verdict), ensure_ascii=False)


def _answer(hook: Hook, verdict: Verdict) -> dict[str, Any]:
    if verdict.action > Action.INFORM and hook.phase is Phase.PROMPT:
        return {"continue": False, "user_message": reason(verdict)}
    if verdict.action > Action.INFORM and hook.phase is Phase.BEFORE:
        why = {"user_message": reason(verdict)}
        if hook.name != "beforeReadFile":
            why["agent_message"] = reason(verdict)
        return {"permission": "deny", **why}
    told = context(verdict)
    if told and hook.phase in (Phase.AFTER, Phase.STARTED):
        return {"additional_context": told}
    return {}


def _as_claude_code(hook: Hook, verdict: Verdict) -> str:
    asking = hook.phase is Phase.BEFORE and not verdict.passes
    return claude_code.render(hook, verdict.unattended() if asking else verdict)


CLIENT = Client(NAME, read, render, tells_before=False, tells_prompts=False, asks=False)
