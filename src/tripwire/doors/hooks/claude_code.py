"""Claude Code's hook wire ⇄ Hook and Verdict (contracts.md §1, checked against 2.1.332).

Decides nothing and does no I/O.
"""

from __future__ import annotations

import json

from tripwire.doors.hooks.answer import context, reason
from tripwire.doors.hooks.hook import Client, Hook, JsonObject, Phase, arguments, phase_of, text
from tripwire.model.verdict import Action, Verdict

NAME = "claude-code"

PHASES = {
    "SessionStart": Phase.STARTED,
    "SessionEnd": Phase.ENDED,
    "UserPromptSubmit": Phase.PROMPT,
    "PreToolUse": Phase.BEFORE,
    "PreSkillShellCommand": Phase.BEFORE,
    "PostToolUse": Phase.AFTER,
    "PostToolUseFailure": Phase.AFTER,
    "InstructionsLoaded": Phase.INSTRUCTIONS,
    "PostCompact": Phase.COMPACTED,
    **dict.fromkeys(
        (
            "PermissionRequest",
            "SubagentStart",
            "SubagentStop",
            "PreCompact",
            "Stop",
            "ConfigChange",
            "UserPromptExpansion",
            "Notification",
        ),
        Phase.QUIET,
    ),
}


def read(value: JsonObject) -> Hook:
    """One event of Claude Code. Raises MalformedInput.

    A call without the event's name is one that is to come, and needs no session (CTX-34, CTX-35).
    """
    bare = "tool_name" in value
    unnamed = bare and "hook_event_name" not in value
    name = "PreToolUse" if unnamed else text(value, "hook_event_name", needed=True)
    session = text(value, "session_id", needed=not bare or "session_id" in value)
    phase = phase_of(name, PHASES)
    failed = name == "PostToolUseFailure"
    called = phase in (Phase.BEFORE, Phase.AFTER)
    identified = called and bool(session) and name != "PreSkillShellCommand"
    return Hook(
        name=name,
        session=session,
        phase=phase,
        cwd=text(value, "cwd"),
        transcript=text(value, "transcript_path"),
        mode=text(value, "permission_mode"),
        agent=text(value, "agent_id"),
        source=text(value, "source"),
        prompt=text(value, "prompt", needed=phase is Phase.PROMPT),
        path=text(value, "file_path"),
        server=server_of(value),
        tool=text(value, "tool_name", needed=True) if called else "",
        args=arguments(value) if called else {},
        call_id=text(value, "tool_use_id", needed=identified) if called else "",
        response=value.get("error" if failed else "tool_response"),
        failed=failed,
    )


def server_of(value: JsonObject) -> str:
    """The MCP server that the client names beside the tool."""
    server = value.get("mcp_server")
    name = server.get("name") if isinstance(server, dict) else None
    return name if isinstance(name, str) else ""


def render(hook: Hook, verdict: Verdict) -> str:
    """What the client is answered; "" is no opinion. Nothing here ever says allow (HOOK-5)."""
    told = context(verdict)
    if hook.phase is Phase.BEFORE and verdict.action > Action.INFORM:
        if verdict.action is Action.BLOCK:
            word, told = "deny", ""
        else:
            word = "ask"
        more = {"additionalContext": told} if told else {}
        decision = {"permissionDecision": word, "permissionDecisionReason": reason(verdict)}
        return specific(hook, **decision, **more)
    if hook.phase is Phase.PROMPT and verdict.action > Action.INFORM:
        return json.dumps({"decision": "block", "reason": reason(verdict)}, ensure_ascii=False)
    return specific(hook, additionalContext=told) if told else ""


def specific(hook: Hook, **fields: str) -> str:
    """An answer in `hookSpecificOutput`."""
    wire = {"hookSpecificOutput": {"hookEventName": hook.name, **fields}}
    return json.dumps(wire, ensure_ascii=False)


CLIENT = Client(NAME, read, render)
