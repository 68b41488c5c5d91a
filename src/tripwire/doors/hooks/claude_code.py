"""Claude Code's hook wire ⇄ Event and Verdict (contracts.md §1, checked against 2.1.332).

Decides nothing and does no I/O. What the client sends is typed here once; what is not of the
expected shape raises MalformedInput, and whoever asked is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tripwire.errors import MalformedInput
from tripwire.model.event import ToolCall, ToolResult, UserSaid
from tripwire.model.verdict import Action, Finding, Verdict

CLIENT = "claude-code"
"""The client's name, and the source of its built-in tools."""

GATEWAY_ENTRY = "tripwire-gateway"
"""The key of our gateway in a client's configuration (README of the specs, rule 5)."""

BEFORE = ("PreToolUse", "PreSkillShellCommand")
AFTER = ("PostToolUse", "PostToolUseFailure")
NO_OPINION = (
    "PermissionRequest",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Stop",
    "ConfigChange",
    "UserPromptExpansion",
    "Notification",
)
"""Understood, and nothing to say to them yet."""

PERSON = ("", "user", "sdk")
"""`source` of a prompt that a person typed (flow.md §4.2)."""

ATTENDED = ("default", "acceptEdits", "plan")
"""Permission modes in which a person answered the client's question (flow.md APR-3)."""

MAX_UNITS = 9_500
"""UTF-16 units of one text for the client, which cuts at 10,000 (flow.md HOOK-8)."""

_MENTION = re.compile(r'(?:^|(?<=[\s(]))@(?:"([^"\n]{1,1024})"|([^\s"]{1,1024}))')


@dataclass(frozen=True, slots=True)
class Hook:
    """One event as the client sent it; absent texts are empty."""

    name: str
    session: str
    cwd: str = ""
    transcript: str = ""
    mode: str = ""
    agent: str = ""
    source: str = ""
    prompt: str = ""
    tool: str = ""
    args: Mapping[str, object] = field(default_factory=dict)
    call_id: str = ""
    response: object = None
    path: str = ""
    server: str = ""


def parse(raw: bytes) -> Hook:
    """Read one event. Raises MalformedInput with the position, never with the content."""
    try:
        value = json.loads(raw.decode("utf-8"))
    except json.JSONDecodeError as problem:
        raise MalformedInput(f"not JSON at byte {problem.pos}", where="hook event") from None
    except UnicodeDecodeError as problem:
        raise MalformedInput(f"not UTF-8 at byte {problem.start}", where="hook event") from None
    except RecursionError:
        raise MalformedInput("nested too deeply", where="hook event") from None
    if not isinstance(value, dict):
        raise MalformedInput("not a JSON object", where="hook event")
    name = _text(value, "hook_event_name", needed=True)
    hook = Hook(
        name=name,
        session=_text(value, "session_id", needed=True),
        cwd=_text(value, "cwd"),
        transcript=_text(value, "transcript_path"),
        mode=_text(value, "permission_mode"),
        agent=_text(value, "agent_id"),
        source=_text(value, "source"),
        prompt=_text(value, "prompt", needed=name == "UserPromptSubmit"),
        path=_text(value, "file_path"),
        server=_server(value),
    )
    return _with_call(hook, value) if name in (*BEFORE, *AFTER) else hook


def _with_call(hook: Hook, value: Mapping[str, object]) -> Hook:
    args = value.get("tool_input")
    if not isinstance(args, dict):
        raise MalformedInput('"tool_input" is not an object', where="hook event")
    failed = hook.name == "PostToolUseFailure"
    return Hook(
        name=hook.name,
        session=hook.session,
        cwd=hook.cwd,
        transcript=hook.transcript,
        mode=hook.mode,
        agent=hook.agent,
        tool=_text(value, "tool_name", needed=True),
        args=args,
        call_id=_text(value, "tool_use_id", needed=hook.name != "PreSkillShellCommand"),
        response=value.get("error" if failed else "tool_response"),
        server=hook.server,
    )


def _text(value: Mapping[str, object], key: str, *, needed: bool = False) -> str:
    found = value.get(key)
    if found is None and not needed:
        return ""
    if not isinstance(found, str):
        raise MalformedInput(f'"{key}" is not a string', where="hook event")
    if needed and not found and key != "prompt":
        raise MalformedInput(f'"{key}" is empty', where="hook event")
    return found


def _server(value: Mapping[str, object]) -> str:
    server = value.get("mcp_server")
    name = server.get("name") if isinstance(server, dict) else None
    return name if isinstance(name, str) else ""


# ── wire → event ─────────────────────────────────────────────────────────────────────────────


def source_and_tool(name: str, server: str = "") -> tuple[str, str]:
    """`mcp__S__T` → S, T; a built-in tool → the client.

    `server` is the client's own word for S and settles names that hold `__`. A server that calls
    itself like the client keeps its prefix, so that it cannot pass for the built-in tools.
    """
    if not name.startswith("mcp__"):
        return CLIENT, name
    rest = name.removeprefix("mcp__")
    key = re.sub(r"[^A-Za-z0-9_-]", "_", server)
    if key and rest.startswith(f"{key}__"):
        source, tool = server, rest.removeprefix(f"{key}__")
    else:
        source, _, tool = rest.partition("__")
    if not tool or source == CLIENT:
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
    if isinstance(response, list) and call.source != CLIENT:
        response = {"content": response}
    return ToolResult(
        call.call_id,
        call.source,
        call.tool,
        call.args,
        response,
        is_error=hook.name == "PostToolUseFailure",
        cwd=call.cwd,
        links=call.links,
        agent=call.agent,
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


# ── verdict → wire ───────────────────────────────────────────────────────────────────────────


def render(hook: Hook, verdict: Verdict) -> str:
    """What the client is answered; "" is no opinion. Nothing here ever says allow (HOOK-5)."""
    if hook.name in BEFORE and verdict.action > Action.INFORM:
        word = "deny" if verdict.action is Action.BLOCK else "ask"
        return _specific(hook, permissionDecision=word, permissionDecisionReason=reason(verdict))
    if hook.name == "UserPromptSubmit" and verdict.action > Action.INFORM:
        return json.dumps({"decision": "block", "reason": reason(verdict)}, ensure_ascii=False)
    context = "\n".join(dict.fromkeys(f.tell for f in verdict.findings if f.tell and _told(f)))
    return _specific(hook, additionalContext=_cut(context)) if context else ""


def reason(verdict: Verdict) -> str:
    """Why, from which rule, and what now: it must make sense with nobody there to explain it."""
    lines = [_sentence(f) for f in verdict.findings if f.action > Action.INFORM]
    text = "Tripwire: " + "\n".join(dict.fromkeys(lines))
    tail = f"\nDetails: tripwire explain {verdict.decision_id}" if verdict.decision_id else ""
    return _cut(text, MAX_UNITS - len(tail)) + tail


def _sentence(finding: Finding) -> str:
    remedy = f" {finding.remedy}" if finding.remedy else ""
    stop = "" if finding.reason.endswith((".", "!", "?")) else "."
    return f"{finding.reason}{stop}{remedy} [{finding.rule}]"


def _told(finding: Finding) -> bool:
    return finding.action is Action.INFORM


def _specific(hook: Hook, **fields: str) -> str:
    wire = {"hookSpecificOutput": {"hookEventName": hook.name, **fields}}
    return json.dumps(wire, ensure_ascii=False)


def _cut(text: str, units: int = MAX_UNITS) -> str:
    """`text` in at most `units` UTF-16 units."""
    encoded = text.encode("utf-16-le", "replace")
    if len(encoded) <= 2 * units:
        return text
    return encoded[: 2 * (units - 1)].decode("utf-16-le", "ignore") + "…"
