"""Direct against through the gateway: every field is equal except the documented edits.

Documented: tool and prompt names carry `loss__`, the intent tool is listed, lists come in one page.
"""

import asyncio
import json
import os
import subprocess

from tests.doors.gateway.harness import HELLO, INITIALIZED, blocked, loads, loss, running, text_of

from tripwire.io.session import open_session
from tripwire.io.verify import verify_log
from tripwire.model.event import SessionOpened
from tripwire.model.policy import CallRule, Policy, Verify

REQUESTS = [
    ("tools/list", "{}"),
    ("resources/list", '{"_meta":{"x":1.0}}'),
    ("resources/templates/list", "{}"),
    ("prompts/list", "{}"),
    ("resources/read", '{"uri":"loss://r1","x":1.0}'),
    ("prompts/get", '{"name":"NAME:p1","arguments":{"a":"b"}}'),
    (
        "completion/complete",
        '{"ref":{"type":"ref/prompt","name":"NAME:p1"},"argument":{"name":"a","value":"v"}}',
    ),
    ("logging/setLevel", '{"level":"info"}'),
    ("resources/subscribe", '{"uri":"loss://r1"}'),
    ("resources/unsubscribe", '{"uri":"loss://r1"}'),
    ("ping", "{}"),
    ("x-loss/custom", '{"n":1.50}'),
    ("x-other/custom", '{"n":1.50}'),
    ("tasks/list", "{}"),
    (
        "tools/call",
        '{"name":"NAME:echo","arguments":{"text":"h\\u00e9 \\ud800","n":100.00,"big":123456789012345678901},"_meta":{"k":1.0}}',
    ),
    ("tools/call", '{"name":"NAME:odd","arguments":{}}'),
    ("tools/call", '{"name":"NAME:fault","arguments":{}}'),
    ("tools/call", '{"name":"NAME:fail","arguments":{}}'),
    ("tools/call", '{"name":"NAME:twice","arguments":{}}'),
    ("tools/call", '{"name":"NAME:deep","arguments":{"text":"3000"}}'),
]


def direct(root):
    """Answers and the lines that the server got, without the gateway."""
    log = root / "direct.log"
    upstream = loss(log=log)
    process = subprocess.Popen(
        upstream.command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=dict(os.environ, LOSS_LOG=str(log)),
    )
    answers = []
    for text in [HELLO % "{}", INITIALIZED, *requests("")]:
        process.stdin.write(text + "\n")
        process.stdin.flush()
        if '"id"' in text:
            answers.append(process.stdout.readline().rstrip("\n"))
    process.stdin.close()
    process.wait(10)
    process.stdout.close()
    return answers, log.read_text().splitlines()


def requests(prefix):
    return [
        f'{{"jsonrpc":"2.0","id":"q{n}","method":"{method}","params":{params.replace("NAME:", prefix)},"x-top":[1.0]}}'
        for n, (method, params) in enumerate(REQUESTS)
    ]


def without_edits(text):
    return text.replace('"name":"loss__', '"name":"')


def test_nothing_is_lost_in_either_direction(tmp_path, monkeypatch):
    monkeypatch.setenv("TRIPWIRE_HOME", str(tmp_path / "home"))
    expected, expected_lines = direct(tmp_path)

    async def through():
        log = tmp_path / "through.log"
        async with running(
            Policy(upstreams=(loss(log=log),), intent_sources=()), tmp_path
        ) as agent:
            await agent.hello()
            answers = [await agent.line('"id":"hello"')]
            for n, text in enumerate(requests("loss__")):
                agent.say(text)
                answers.append(await agent.line(f'"id":"q{n}"'))
            return answers, log.read_text().splitlines()

    answers, lines = asyncio.run(asyncio.wait_for(through(), 60))
    for one, other in zip(expected, answers, strict=True):
        if '"id":"q2"' in one or "list" in one or "Templates" in one or '"tools":' in one:
            assert _parsed(without_edits(other)) == _parsed(one)
        else:
            assert without_edits(other).replace(" ", "") == one.replace(" ", "")
    sent = [line for line in expected_lines if "x-top" in line and "/list" not in line]
    got = [line for line in lines if "x-top" in line and "/list" not in line]
    for one, other in zip(sent, got, strict=True):
        a, b = loads(one), loads(other)
        assert one.replace(json.dumps(a["id"]), "ID", 1) == other.replace(
            f'"id":{b["id"]}', '"id":ID', 1
        )


def _parsed(text):
    if '"[' in text or "[[[[" in text:
        return text
    return json.loads(text, parse_float=str, parse_int=str)


def test_a_held_call_is_approved_once_on_a_real_session(tmp_path, monkeypatch):
    monkeypatch.setenv("TRIPWIRE_HOME", str(tmp_path / "home"))
    rule = CallRule(
        id="ask-first", tool="loss__note", verify=Verify(always="hold"), at="tripwire.yaml:4"
    )
    policy = Policy(upstreams=(loss(),), call_rules=(rule,))

    async def scenario():
        async with running(policy, tmp_path) as agent:
            await agent.hello('{"elicitation":{}}')
            for n, yes in enumerate((True, False)):
                call = asyncio.create_task(agent.call("loss__note", {"text": "same"}))
                question = json.loads(await agent.line("elicitation/create", f'"id":{n + 1},'))
                answer = {"action": "accept", "content": {"approve": yes}}
                agent.say(json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": answer}))
                result = await call
                if yes:
                    assert text_of(result) == "done"
                else:  # the first yes covered one call only
                    said = blocked(result)
                    assert said["code"] == "approval_denied"
                    assert said["underlying"]["code"] == "policy_block"
                    assert said["rule"] == {"id": "ask-first", "at": "tripwire.yaml:4"}

    asyncio.run(asyncio.wait_for(scenario(), 60))
    assert verify_log(tmp_path / "sessions" / "s1").ok
    again = open_session(policy, root=tmp_path, name="s1", client="gateway")
    again.decide(SessionOpened("gateway"), door="gateway")
    again.close()
