"""From a Hook to the events of the engine: the same for every client. Decides nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tripwire.doors.hooks.hook import Hook
from tripwire.model.event import ToolCall, ToolResult, UserSaid

BUILT_IN = "claude-code"
"""The source of built-in tools: adapters translate them into Claude Code's (flow.md §3.8)."""

GATEWAY_ENTRY = "tripwire-gateway"
"""The key of our gateway in a client's configuration (README of the specs, rule 5)."""

SERVER_ENTRY = "tripwire"
"""The key of our file server there (CTX-29)."""

PROBE_SESSION = "tripwire-doctor-"
"""How the session ids of doctor's probes begin (CTX-37)."""

PERSON = ("", "user", "sdk")
"""`source` of a prompt that a person typed (flow.md §4.2)."""

ATTENDED = ("default", "acceptEdits", "plan")
"""Permission modes in which a person answered the client's question (flow.md APR-3)."""

_MENTION = re.compile(r'(?:^|(?<=[\s(]))@(?:"([^"\n]{1,1024})"|([^\s"]{1,1024}))')
_LINES = re.compile(r"#L?\d+(?:-L?\d+)?$")


def source_and_tool(name: str, server: str = "") -> tuple[str, str]:
    """`mcp__S__T` → S, T; a built-in tool → the client.

    `server` is the client's own word for S and settles names that hold `__`. A server that calls
    itself like the client keeps its prefix, so that it cannot pass for the built-in tools.
    """
    if not name.startswith("mcp__"):
        return BUILT_IN, name
    rest = name.removeprefix("mcp__")
    key = re.sub(r"[^A-Za-z0-9_-]", "_", server)
    if key and rest.startswith(f"{key}__"):
        source, tool = server, rest.removeprefix(f"{key}__")
    else:
        source, _, tool = rest.partition("__")
    if not tool or source == BUILT_IN:
        return f"mcp__{source}", tool
    return source, tool


def tool_call(hook: Hook, *, at: float, links: Mapping[str, str]) -> ToolCall:
    """The call that a before- or after-event speaks of."""
    source, tool = source_and_tool(hook.tool, hook.server)
    return ToolCall(
        hook.call_id, source, tool, hook.args, hook.cwd, at, links=links, agent=hook.agent
    )


def tool_result(hook: Hook, call: ToolCall) -> ToolResult:
    """What `call` gave back; a bare list of an MCP tool is its content blocks."""
    response = hook.response
    if isinstance(response, list) and call.source != BUILT_IN:
        response = {"content": response}
    return ToolResult(
        call.call_id,
        call.source,
        call.tool,
        call.args,
        response,
        is_error=hook.failed,
        cwd=call.cwd,
        links=call.links,
        agent=call.agent,
        at=call.at,
    )


def user_said(hook: Hook) -> UserSaid:
    """The prompt, and whether a person typed it (flow.md PURP-4)."""
    return UserSaid(hook.prompt, person=hook.source in PERSON)


def mentions(prompt: str) -> Iterator[str]:
    """Paths that the prompt mentions as `@path`, which the client reads without a tool call."""
    for found in _MENTION.finditer(prompt):
        path = found.group(1) or found.group(2)
        yield path
        bare = path.rstrip(".,;:!?)]}'")
        if bare and bare != path:
            yield bare
        whole = _LINES.sub("", bare)
        if whole and whole != bare:
            yield whole
