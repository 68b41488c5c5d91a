"""Plays a case of READ through an engine, door-less: events with the paths they touch."""

from dataclasses import replace

from tests.act.rules.sessions import CWD, HOME, event_of, policy_of
from tests.read.making import access_of, rules_of

from tripwire.engine import Engine
from tripwire.model.event import ContextCleared, SessionOpened, ToolCall, ToolResult
from tripwire.model.verdict import ALLOWED, Action


def play(case):
    """(verdict of the last event, engine); each event is learnt as it was judged."""
    policy = replace(policy_of(case.get("policy")), read=rules_of(case))
    engine = Engine(policy)
    engine.learn(SessionOpened("test", CWD, HOME), ALLOWED)
    verdict, last = ALLOWED, None
    for number, entry in enumerate(case["events"]):
        event = _event(entry, number, last)
        verdict = engine.judge(event)
        if policy.flow.mode == "monitor":
            verdict = verdict.at_most(Action.INFORM)
        engine.learn(event, verdict)
        if isinstance(event, ToolCall):
            last = event
        elif isinstance(event, ToolResult):
            last = None
    return verdict, engine


def _event(entry, number, last):
    ((kind, body),) = entry.items()
    if kind == "context_cleared":
        return ContextCleared(body.get("why", "compact"), body.get("agent", ""))
    if not isinstance(body, dict):
        return event_of(entry, number, last)
    own = {"touched", "agent", "call", "at"}
    event = event_of({kind: {k: v for k, v in body.items() if k not in own}}, number, last)
    extra = {key: body[key] for key in ("agent", "at") if key in body}
    if "call" in body:
        extra["call_id"] = body["call"]
    if "touched" in body:
        extra["touched"] = tuple(access_of(each) for each in body["touched"])
    return replace(event, **extra)


def told(verdict):
    """Everything the agent is told."""
    return "\n".join(finding.tell for finding in verdict.findings if finding.tell)
