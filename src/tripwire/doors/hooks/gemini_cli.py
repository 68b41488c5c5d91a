"""Gemini CLI's hook wire ⇄ Hook and Verdict (contracts.md §2.3, checked against 0.61.0).

It takes no context before a call and cannot ask; paths come as the model wrote them.
"""

from __future__ import annotations

import json
import re
from typing import Any

from tripwire.doors.hooks.answer import context, reason
from tripwire.doors.hooks.hook import (
    Client,
    Hook,
    JsonObject,
    Phase,
    arguments,
    phase_of,
    stand_in,
    text,
)
from tripwire.model.verdict import Action, Verdict

NAME = "gemini"

PHASES = {
    "SessionStart": Phase.STARTED,
    "SessionEnd": Phase.ENDED,
    "BeforeAgent": Phase.PROMPT,
    "BeforeTool": Phase.BEFORE,
    "AfterTool": Phase.AFTER,
    "PreCompress": Phase.COMPACTED,
    **dict.fromkeys(
        ("AfterAgent", "BeforeModel", "BeforeToolSelection", "AfterModel", "Notification"),
        Phase.QUIET,
    ),
}
_TOOLS = {
    "read_file": "Read",
    "read_many_files": "Read",
    "write_file": "Write",
    "replace": "Edit",
    "run_shell_command": "Bash",
    "grep_search": "Grep",
    "search_file_content": "Grep",
    "glob": "Glob",
    "list_directory": "LS",
    "web_fetch": "WebFetch",
    "google_web_search": "WebSearch",
}
_ARGUMENTS = {"absolute_path": "file_path", "dir_path": "path"}
_URL = re.compile(r"https?://[^\s\"'<>]+")
_MCP = re.compile(r"mcp_+([^_].*?)_+(.+)")


def read(value: JsonObject) -> Hook:
    """One event of Gemini CLI. Raises MalformedInput."""
    bare = "tool_name" in value
    unnamed = bare and "hook_event_name" not in value
    name = "BeforeTool" if unnamed else text(value, "hook_event_name", needed=True)
    phase = phase_of(name, PHASES)
    called = phase in (Phase.BEFORE, Phase.AFTER)
    server = _server(value)
    tool, args = _call(value, server) if called else ("", {})
    session = text(value, "session_id", needed=not bare or "session_id" in value)
    response = value.get("tool_response")
    return Hook(
        name=name,
        session=session,
        phase=phase,
        cwd=text(value, "cwd"),
        transcript=text(value, "transcript_path"),
        source=text(value, "source"),
        prompt=text(value, "prompt", needed=phase is Phase.PROMPT),
        tool=tool,
        args=args,
        call_id=stand_in(session, tool, args) if called else "",
        response=_output(response),
        failed=isinstance(response, dict) and bool(response.get("error")),
        server=server,
    )


def _server(value: JsonObject) -> str:
    held = value.get("mcp_context")
    name = held.get("server_name") if isinstance(held, dict) else None
    return name if isinstance(name, str) else ""


def _call(value: JsonObject, server: str) -> tuple[str, dict[str, Any]]:
    """Tool and arguments under Claude Code's names; `mcp_S_T` is `mcp__S__T`."""
    name, args = text(value, "tool_name", needed=True), arguments(value)
    if name.startswith("mcp_"):
        rest = name.removeprefix("mcp_").lstrip("_")
        if server and rest.startswith(f"{server}_"):
            return f"mcp__{server}__{rest.removeprefix(f'{server}_').lstrip('_')}", args
        found = _MCP.fullmatch(name)
        return (f"mcp__{found[1]}__{found[2]}" if found else f"mcp__{rest}"), args
    tool = _TOOLS.get(name)
    if tool is None:
        return name, args
    plain = {_ARGUMENTS.get(key, key): held for key, held in args.items()}
    if tool == "WebFetch" and "url" not in plain:
        plain["url"] = " ".join(_URL.findall(str(plain.get("prompt", ""))))
    return tool, plain


def _output(response: object) -> object:
    """What the model is shown of a result."""
    if not isinstance(response, dict):
        return response
    return response.get("error") or response.get("llmContent", response)


def render(hook: Hook, verdict: Verdict) -> str:
    """What Gemini CLI is answered; it ignores context before a call (CTX-35)."""
    if verdict.action > Action.INFORM and hook.phase in (Phase.BEFORE, Phase.PROMPT):
        return json.dumps({"decision": "deny", "reason": reason(verdict)}, ensure_ascii=False)
    told = context(verdict)
    if not told or hook.phase not in (Phase.AFTER, Phase.PROMPT, Phase.STARTED):
        return ""
    return json.dumps({"hookSpecificOutput": {"additionalContext": told}}, ensure_ascii=False)


CLIENT = Client(NAME, read, render, tells_before=False, asks=False)
