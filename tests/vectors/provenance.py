"""The kinds of the provenance vectors: `call` through a real engine, `verdict` through C-3.

Nothing is decided here: a case becomes a policy and events, and the engine judges the last call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tripwire.act.review_answer import read_answer
from tripwire.config.presets import policy_from_mapping
from tripwire.engine import Engine
from tripwire.model.event import (
    Event,
    IntentDeclared,
    SessionOpened,
    ToolCall,
    ToolResult,
    ToolsListed,
    UserSaid,
)
from tripwire.model.policy import Policy
from tripwire.model.verdict import ALLOWED, Verdict

_GUARD_KEYS = ("currency", "unit", "derive", "role", "type", "required", "allow_empty")


def check(case: Mapping[str, Any]) -> str:
    """Why the case fails, "" if it passes."""
    if case["kind"] == "verdict":
        answer = read_answer(case["given"]["text"])
        passes = answer is not None and answer.passes
        return "" if passes == case["expect"]["pass"] else f"counts as pass: {passes}"
    if case["kind"] != "call":
        return f"no runner for kind {case['kind']!r}"
    return _compare(judged(case["given"]), case["expect"])


def judged(given: Mapping[str, Any]) -> Verdict:
    """The verdict of the case's last call."""
    engine = Engine(policy_of(given))
    for event in events_of(given):
        engine.learn(event, ALLOWED)
    call = given["call"]
    return engine.judge(ToolCall("judged", call["upstream"], call["tool"], call["arguments"]))


def policy_of(given: Mapping[str, Any]) -> Policy:
    """The guard as a rule, each upstream with its trust."""
    guard, call = given["guard"], given["call"]
    trust = {s["upstream"]: s["trust"] for s in given["steps"] if "upstream" in s}
    upstreams: dict[str, dict[str, Any]] = {
        name: {"name": name, "command": ["true"], "trust": trust.get(name, "trusted")}
        for name in [*trust, call["upstream"]]
    }
    for step in given["steps"]:
        if "tool_options" in step:
            options = upstreams[step["upstream"]].setdefault("tool_options", {})
            options[step["tool"]] = step["tool_options"]
    tiers = ["consensus" if tier == "consistency" else tier for tier in guard["tiers"]]
    verify: dict[str, Any] = {"tiers": tiers}
    if "consensus" in tiers:
        verify |= {"panel": ["offline"], "quorum": "unanimous"}
    rule = {
        "id": "guard",
        "match": {"tool": f"{call['upstream']}__{guard['tool']}"},
        "sensitive_params": {
            name: _param(name, wanted, guard) for name, wanted in guard["require"].items()
        },
        "verify": verify,
    }
    return policy_from_mapping({"upstreams": list(upstreams.values()), "rules": [rule]})


def _param(name: str, wanted: Any, guard: Mapping[str, Any]) -> dict[str, Any]:
    param = dict(wanted) if isinstance(wanted, Mapping) else {"provenance": wanted}
    for key in _GUARD_KEYS:
        given = guard.get(key)
        if isinstance(given, Mapping):
            given = given.get(name)
        if given is not None:
            param.setdefault(key, given)
    return param


def events_of(given: Mapping[str, Any]) -> Iterator[Event]:
    """What the session has met before the call."""
    yield SessionOpened("vectors")
    if given.get("intent"):
        yield IntentDeclared(given["intent"])
    for number, step in enumerate(given["steps"]):
        if "declare_intent" in step:
            yield IntentDeclared(step["declare_intent"])
        elif "user_said" in step:
            yield UserSaid(step["user_said"])
        else:
            yield from _call(number, step)


def _call(number: int, step: Mapping[str, Any]) -> Iterator[Event]:
    source, tool, args, result = step["upstream"], step["tool"], step["arguments"], step["result"]
    if "annotations" in step:
        yield ToolsListed(source, ({"name": tool, "annotations": step["annotations"]},))
    call_id = f"step-{number}"
    yield ToolCall(call_id, source, tool, args)
    yield ToolResult(call_id, source, tool, args, result, is_error=bool(result.get("isError")))


def _compare(verdict: Verdict, expect: Mapping[str, Any]) -> str:
    action = "allow" if verdict.passes else "block"
    said = (
        "; ".join(f"{f.action.name} {f.rule}: {f.reason}" for f in verdict.findings) or "no finding"
    )
    if action != expect["action"]:
        return f"{action}, not {expect['action']}: {said}"
    codes = {f.code for f in verdict.findings}
    if "code" in expect and expect["code"] not in codes:
        return f"code {expect['code']} is not among {sorted(codes)}: {said}"
    reported = [v for f in verdict.findings for v in f.violations]
    for wanted in expect.get("violations", ()):
        if not any(
            v.param == wanted["param"] and v.reason == wanted.get("reason", v.reason)
            for v in reported
        ):
            return f"{wanted} is not among {[(v.param, v.reason) for v in reported]}"
    return ""
