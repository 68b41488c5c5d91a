"""A held call of a client that cannot ask: a person answers in a terminal, the call goes on (A-1)."""

import asyncio
import json

import pytest
from tests.doors.gateway.harness import blocked, loss, running, text_of

from tripwire.io.approver import Approver
from tripwire.io.desk import Desk
from tripwire.io.keys import KeyStore
from tripwire.io.session import open_session
from tripwire.model.event import SessionOpened
from tripwire.model.policy import Approvals, CallRule, Policy, Verify

RULE = CallRule("ask", tool="loss__echo", verify=Verify(always="hold"))


async def pending(desk):
    while not (found := [t for t in desk.tickets() if t.state == "pending"]):
        await asyncio.sleep(0.01)
    return found[0]


async def held(tmp_path, answer, *, timeout_ms=20_000, meta=""):
    policy = Policy(
        upstreams=(loss(),),
        call_rules=(RULE,),
        approvals=Approvals(timeout_ms=timeout_ms),
        keys_dir=str(tmp_path / "keys"),
    )
    session = open_session(policy, root=tmp_path, name="s", client="gateway")
    session.holds = True
    session.decide(SessionOpened("gateway", cwd=str(tmp_path), home=str(tmp_path)), door="gateway")
    desk = Desk(tmp_path, KeyStore(tmp_path / "keys"))
    async with running(policy, tmp_path, session=session) as agent:
        await agent.hello()
        call = asyncio.create_task(agent.call("loss__echo", {"text": "hello"}, meta=meta))
        ticket = await pending(desk)
        answer(desk, ticket.id)
        said = await call
        lines = list(agent.wire.lines)
    states = [t.state for t in desk.tickets()]
    desk.close()
    audit = (tmp_path / "sessions" / "s" / "audit.jsonl").read_text().splitlines()
    return said, states, [json.loads(line)["type"] for line in audit], lines


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr("tripwire.doors.gateway.backchannel.LOOK_SECONDS", 0.02)
    monkeypatch.setattr("tripwire.doors.gateway.backchannel.PROGRESS_SECONDS", 0.04)


def test_a_yes_in_a_terminal_sends_the_call_on(tmp_path):
    def answer(desk, name):
        desk.grant(name, Approver("token:1 ann", "cli"))

    said, states, types, _ = asyncio.run(held(tmp_path, answer))
    assert "hello" in text_of(said)
    assert "isError" not in said["result"] or not said["result"]["isError"]
    assert states == ["used"]
    order = [t for t in types if t.startswith(("approval", "tool_call"))]
    assert order == [
        "tool_call_held",
        "approval_granted",
        "approval_used",
        "tool_call_attempt",
        "tool_call",
    ]


def test_a_no_in_a_terminal_refuses_it(tmp_path):
    said, states, types, _ = asyncio.run(
        held(tmp_path, lambda desk, name: desk.deny(name, "os:1", "cli"))
    )
    told = blocked(said)
    assert told["code"] == "approval_denied"
    assert told["approval"]["id"].startswith("ap-")
    assert told["approval"]["channels"] == ["cli", "web"]
    assert states == ["denied"]
    assert "approval_denied" in types
    assert "tool_call_attempt" not in types


def test_no_answer_is_a_refusal_and_progress_is_told(tmp_path):
    said, states, types, lines = asyncio.run(
        held(tmp_path, lambda *_: None, timeout_ms=300, meta='{"progressToken":"p"}')
    )
    assert blocked(said)["code"] == "approval_timeout"
    assert states == ["expired"]
    assert "approval_expired" in types
    assert any("notifications/progress" in line for line in lines)
