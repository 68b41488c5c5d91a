"""The `call` and `label` kinds of the flow vectors: a session's events through the engine.

Server `builtin` stands for a client's own tools. `library` and `hooks` are played by the doors
themselves, see hooks.py and library.py.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.act.rules.sessions import CWD, HOME, policy_of
from tests.vectors import hooks, library

from tripwire.engine import Engine
from tripwire.model.event import Event, SessionOpened, ToolCall, ToolResult, UserSaid
from tripwire.model.policy import Policy
from tripwire.model.verdict import ALLOWED, Action

BUILTIN = "claude-code"
STATE_DIR = f"{HOME}/.local/state/tripwire"
CONFIG_FILE = f"{CWD}/tripwire.yaml"


def run_call(given: Mapping[str, Any]) -> dict[str, object]:
    """The strongest action of `call`, or of `calls` in turn, each allowed one being executed."""
    engine = _session(given)
    calls = given.get("calls") or [given["call"]]
    worst = Action.ALLOW
    rules: list[str] = []
    for number, raw in enumerate(calls):
        call = _call(raw, f"judged-{number}")
        verdict = engine.judge(call)
        engine.learn(call, verdict)
        worst = max(worst, verdict.action)
        rules += [f"{f.action.name} {f.rule}: {f.reason}" for f in verdict.findings]
        if verdict.passes:
            engine.learn(_result(call, "ok"), ALLOWED)
    return {"action": worst.name, "findings": rules}


def run_label(given: Mapping[str, Any]) -> dict[str, object]:
    """The labels the session holds after its events."""
    held = _session(given).memory.labels.as_set()
    return {"labels": sorted(label.value for label in held)}


def _session(given: Mapping[str, Any]) -> Engine:
    engine = Engine(policy_for(given))
    engine.learn(SessionOpened(BUILTIN, CWD, HOME), ALLOWED)
    last = None
    for number, raw in enumerate(given["events"]):
        event = _event(raw, number, last)
        engine.learn(event, engine.judge(event))
        last = event if isinstance(event, ToolCall) else last
    return engine


def policy_for(given: Mapping[str, Any]) -> Policy:
    """The shipped policy with the roles and keys of one case."""
    sources: dict[str, dict[str, object]] = {}
    for name, role in (given.get("roles") or {}).items():
        server, _, tool = name.partition(".")
        sources.setdefault(server, {})[tool] = _role(role)
    flow: dict[str, object] = dict(given.get("policy") or {})
    if sources:
        flow["policies"] = {name: {"tools": tools} for name, tools in sources.items()}
    return policy_of({"flow": flow} if flow else None)


def _role(role: Mapping[str, Any]) -> dict[str, object]:
    listed = {
        key: [value] if key in ("reads", "writes") and isinstance(value, str) else value
        for key, value in role.items()
    }
    if "destination_carries_data" in listed:
        listed["carries_data"] = listed.pop("destination_carries_data")
    return listed


def _event(raw: Mapping[str, Any], number: int, last: ToolCall | None) -> Event:
    match raw["type"]:
        case "user_said":
            return UserSaid(raw["text"])
        case "tool_call":
            return _call(raw, f"c{number}")
        case "tool_result":
            assert last is not None, "a result without its call"
            return _result(last, raw["text"])
    raise ValueError(f"unknown event {raw['type']!r}")


def _call(raw: Mapping[str, Any], call_id: str) -> ToolCall:
    source = BUILTIN if raw["server"] == "builtin" else raw["server"]
    return ToolCall(call_id, source, raw["tool"], _filled(expanded(raw["args"])), CWD)


def _result(call: ToolCall, text: object) -> ToolResult:
    return ToolResult(call.call_id, call.source, call.tool, call.args, expanded(text), cwd=CWD)


def _filled(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("{STATE_DIR}", STATE_DIR).replace("{CONFIG_FILE}", CONFIG_FILE)
    if isinstance(value, dict):
        return {key: _filled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item) for item in value]
    return value


def expanded(value: Any) -> Any:
    """Generated values of the vector format written out."""
    if isinstance(value, dict):
        if "$repeat" in value:
            text, times = value["$repeat"]
            return text * times + value.get("then", "")
        if "$range" in value:
            first, last = value["$range"]
            return list(range(first, last + 1))
        return {key: expanded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [expanded(item) for item in value]
    return value


def check(case: Mapping[str, Any]) -> str:
    """Why the case fails, "" if it passes."""
    kinds = {"call": _check_call, "label": _check_label, "library": _check_library}
    kinds["hooks"] = _check_hooks
    return kinds[case["kind"]](case["given"], case["expect"])


def _check_call(given: Mapping[str, Any], expect: Mapping[str, Any]) -> str:
    got = run_call(given)
    action = Action[str(got["action"])]
    if "min_action" in expect and action < Action[expect["min_action"]]:
        return f"{action.name}, weaker than {expect['min_action']}"
    if "max_action" in expect and action > Action[expect["max_action"]]:
        return f"{action.name}, stronger than {expect['max_action']}: {got['findings']}"
    return ""


def _check_label(given: Mapping[str, Any], expect: Mapping[str, Any]) -> str:
    return _missing(expect, run_label(given)["labels"])


def _missing(expect: Mapping[str, Any], held: Any) -> str:
    missing = sorted(set(expect.get("labels_include", ())) - set(held))
    return f"labels {missing} are missing" if missing else ""


def _check_library(given: Mapping[str, Any], expect: Mapping[str, Any]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        got = library.play(given, Path(folder), policy_for(given))
    for key in ("asked", "ran"):
        if key in expect and got[key] != expect[key]:
            return f"{key}: {got[key]} instead of {expect[key]}"
    least = Action[expect.get("last_min_action", "ALLOW")]
    if got["last"] < least:
        return f"{got['last'].name}, weaker than {least.name}"
    return _missing(expect, got["labels"])


def _check_hooks(given: Mapping[str, Any], expect: Mapping[str, Any]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        action = hooks.play(given, Path(folder), policy_of(None))
    least = Action[expect["last_min_action"]]
    return "" if action >= least else f"{action.name}, weaker than {least.name}"
