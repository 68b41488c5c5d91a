"""Builds events from their short YAML form and plays them through an engine, door-less."""

import json
from functools import cache

from tripwire.config.presets import builtin_policy, policy_from_mapping
from tripwire.engine import Engine
from tripwire.model.event import (
    Access,
    FileTouched,
    IntentDeclared,
    SessionOpened,
    ToolCall,
    ToolResult,
    ToolsListed,
    UserSaid,
)
from tripwire.model.label import Label
from tripwire.model.verdict import ALLOWED

HOME = "/home/me"
CWD = "/r"


@cache
def _policy(text):
    mapping = json.loads(text)
    return policy_from_mapping(mapping) if mapping else builtin_policy()


def policy_of(mapping):
    """The Policy of a mapping, parsed once."""
    return _policy(json.dumps(mapping or {}, sort_keys=True))


def split_tool(name):
    """`source.tool` → the two; a bare name is one of Claude Code's."""
    source, dot, tool = name.rpartition(".")
    return (source, tool) if dot else ("claude-code", tool)


def event_of(entry, number, last):
    """One one-key mapping as an event; `last` is the call before it."""
    ((kind, body),) = entry.items()
    if kind == "user_said":
        return UserSaid(body) if isinstance(body, str) else UserSaid(**body)
    if kind == "intent":
        return IntentDeclared(body) if isinstance(body, str) else IntentDeclared(**body)
    if kind == "file_touched":
        return FileTouched(body["path"], Access(body.get("access", "read")))
    if kind == "session_opened":
        inherited = frozenset(Label(label) for label in body.get("inherited", ()))
        return SessionOpened("test", CWD, HOME, inherited=inherited, why=body.get("why", ""))
    if kind == "tools_listed":
        return ToolsListed(body["source"], tuple(body["tools"]), body.get("quarantined", {}))
    source, tool = split_tool(body["tool"]) if "tool" in body else (last.source, last.tool)
    args = body.get("args", last.args if last is not None and kind == "tool_result" else {})
    cwd = body.get("cwd", CWD)
    if kind == "tool_call":
        unopened = tuple(body.get("unopened", ()))
        links = body.get("links", {})
        return ToolCall(f"c{number}", source, tool, args, cwd, links=links, unopened=unopened)
    assert kind == "tool_result", kind
    error = bool(body.get("error"))
    call_id = last.call_id if last is not None else f"c{number}"
    links = body.get("links", {})
    return ToolResult(call_id, source, tool, args, body.get("content"), error, cwd, links)


def play(case, policy):
    """(verdict of the last event, engine); calls before the last are learnt as they were judged."""
    engine = Engine(policy)
    opened = SessionOpened(
        "test", case.get("cwd", CWD), case.get("home", HOME), tuple(case.get("remotes", ()))
    )
    engine.learn(opened, ALLOWED)
    verdict, last = ALLOWED, None
    for number, entry in enumerate(case["events"]):
        event = event_of(entry, number, last)
        verdict = engine.judge(event)
        engine.learn(event, verdict)
        if isinstance(event, ToolCall):
            last = event
        elif isinstance(event, ToolResult):
            last = None
    return verdict, engine
