"""`tripwire__declare_intent`, the gateway's own tool: the agent reports its goal (I-1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tripwire.doors.gateway import jsonrpc, refusal
from tripwire.doors.gateway.names import INTENT_TOOL
from tripwire.doors.gateway.record import Record
from tripwire.model.event import IntentDeclared, ToolCall
from tripwire.model.policy import Policy

LONGEST: Final[Mapping[str, int]] = {"goal": 2000, "plan_summary": 4000}


async def declared(record: Record, args: Mapping[str, Any], policy: Policy) -> str:
    """The tool result that answers a declaration."""
    wrong = fault(args)
    if wrong:
        said: dict[str, object] = {"status": "invalid_intent", "error": wrong}
        return _result(said, error=True)
    verdict = await record.verdict(IntentDeclared(args["goal"], args.get("plan_summary", "")))
    if verdict is None:
        why = f"The goal was not recorded: {record.fault}."
        advice = "Ask the operator to make the state directory writable."
        return refusal.tool_result(refusal.fault("evidence_unavailable", INTENT_TOOL, why, advice))
    if not verdict.passes:
        call = ToolCall("", "tripwire", "declare_intent", args)
        code = "hold_required" if verdict.question else ""
        return refusal.tool_result(refusal.body(verdict, call, policy, code=code))
    notes = [f.reason for f in verdict.findings if f.reason]
    note = " ".join(notes) or "Consequential calls are checked against this goal."
    said = {
        "status": "intent_recorded",
        "receipt_seq": record.session.memory.receipts,
        "note": note,
    }
    return _result(said, error=False)


def fault(args: Mapping[str, Any]) -> str:
    """What is wrong with the arguments; "" if nothing is."""
    extra = sorted(set(args) - set(LONGEST))
    if extra:
        return f"unknown argument: {extra[0][:64]}; only goal and plan_summary are taken"
    if "goal" not in args:
        return "goal is missing"
    for key, value in args.items():
        if not isinstance(value, str):
            return f"{key} must be a string"
        if len(value) > LONGEST[key]:
            return f"{key} is longer than {LONGEST[key]} characters"
    if not args["goal"].strip():
        return "goal is empty"
    return ""


def _result(said: Mapping[str, object], *, error: bool) -> str:
    return jsonrpc.dumps(
        {"content": [{"type": "text", "text": jsonrpc.dumps(said)}], "isError": error}
    )
