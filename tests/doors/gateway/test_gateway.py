"""Wire transcripts: what goes in from the client and the upstreams, and what comes out."""

import asyncio
import json

import pytest
from tests.doors.gateway.harness import (
    INITIALIZED,
    Scripted,
    blocked,
    loss,
    running,
    text_of,
)

from tripwire.model.event import (
    Approved,
    Denied,
    OutcomeUnknown,
    ToolCall,
    ToolResult,
    ToolsListed,
)
from tripwire.model.policy import Approvals, Limits, Policy
from tripwire.model.verdict import Action, Finding, Verdict

ELICITS = '{"elicitation":{}}'


def go(scenario):
    return asyncio.run(asyncio.wait_for(scenario, 30))


def test_a_single_upstreams_hello_is_passed_on_word_for_word(tmp_path):
    async def scenario():
        log = tmp_path / "log"
        async with running(
            Policy(upstreams=(loss(log=log),)), tmp_path, session=Scripted()
        ) as agent:
            answer = await agent.hello('{"roots":{},"experimental":{"a":1.0}}')
            assert answer["result"]["serverInfo"] == {
                "name": "loss",
                "version": "1.0",
                "x-info": 1.0,
            }
            assert answer["result"]["instructions"] == "use loss"
            line = await agent.line('"id":"hello"')
            assert '"x-init":{"a":1.00}' in line
            sent = log.read_text().splitlines()[0]
            assert '"experimental":{"a":1.0}' in sent
            assert '"x-hello":1.0' in sent
            assert '"x-client":1.0' in sent

    go(scenario())


@pytest.mark.parametrize("asked", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_known_revisions_are_kept(tmp_path, asked):
    async def scenario():
        async with running(Policy(upstreams=(loss(),)), tmp_path, session=Scripted()) as agent:
            params = f'{{"protocolVersion":"{asked}","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}'
            answer = json.loads(await agent.ask("initialize", params))
            assert answer["result"]["protocolVersion"] == asked

    go(scenario())


@pytest.mark.parametrize("asked", ["2026-07-28", "1999-01-01"])
def test_a_later_client_falls_back(tmp_path, asked):
    async def scenario():
        async with running(Policy(upstreams=(loss(),)), tmp_path, session=Scripted()) as agent:
            probe = json.loads(await agent.ask("server/discover"))
            assert probe["error"]["code"] == -32601
            meta = '{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}'
            early = json.loads(await agent.ask("tools/list", meta))
            assert early["error"]["code"] == -32022
            assert "2025-11-25" in early["error"]["data"]["supported"]
            params = f'{{"protocolVersion":"{asked}","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}'
            answer = json.loads(await agent.ask("initialize", params))
            assert answer["result"]["protocolVersion"] == "2025-11-25"

    go(scenario())


def test_several_upstreams_are_one_server(tmp_path):
    async def scenario():
        policy = Policy(upstreams=(loss("one"), loss("two", "--plain")))
        async with running(policy, tmp_path, session=Scripted()) as agent:
            result = (await agent.hello())["result"]
            assert result["capabilities"]["experimental"] == {"one": {"v": 1.0}, "two": {"v": 1.0}}
            assert result["capabilities"]["resources"] == {"subscribe": True, "listChanged": True}
            assert "use one" in result["instructions"]
            assert "use two" in result["instructions"]
            assert result["serverInfo"]["x-info"] == 1.0
            tools = json.loads(await agent.ask("tools/list"))["result"]["tools"]
            names = [t["name"] for t in tools]
            assert names[0] == "one__echo"
            assert "two__echo" in names
            assert names[-1] == "tripwire__declare_intent"
            assert text_of(await agent.call("two__x")) if "two__x" in names else True
            assert text_of(await agent.call("two__echo", {"text": "hi"})) == "hi"
            assert json.loads(await agent.ask("ping"))["result"] == {}
            for owner in ("one",):
                custom = json.loads(await agent.ask(f"x-{owner}/custom"))
                assert custom["result"]["custom"] == 1.0
            unknown = json.loads(await agent.ask("x-nobody/custom"))
            assert unknown["error"] == {"code": -32601, "message": "Method not found"}

    go(scenario())


def test_every_page_is_read_and_items_keep_their_text(tmp_path):
    async def scenario():
        session = Scripted()
        policy = Policy(upstreams=(loss("loss", "--pages", "5"),))
        async with running(policy, tmp_path, session=session) as agent:
            await agent.hello()
            line = await agent.ask("tools/list", '{"_meta":{"a":1.0}}')
            result = json.loads(line)["result"]
            assert "nextCursor" not in result
            assert len(result["tools"]) == len({t["name"] for t in result["tools"]}) == 24
            for text in (
                '"n":1.50',
                "123456789012345678901234567890",
                '"e":1E+2',
                '"\\ud800"',
                '"x-schema":1.10',
                '"x-hint":1.0',
                '"m":1e3',
                '"x-list":[1.0]',
                '"page":1.0',
            ):
                assert text in line
            assert len(session.of(ToolsListed)) == 1
            await agent.ask("tools/list")
            assert len(session.of(ToolsListed)) == 1  # nothing new, nothing recorded

    go(scenario())


def test_a_large_list_is_given_out_in_pages(tmp_path, monkeypatch):
    monkeypatch.setattr("tripwire.doors.gateway.listing.PAGE_CHARS", 2000)

    async def scenario():
        async with running(Policy(upstreams=(loss(),)), tmp_path, session=Scripted()) as agent:
            await agent.hello()
            names, cursor = [], None
            for _ in range(60):
                params = json.dumps({"cursor": cursor} if cursor else {})
                result = json.loads(await agent.ask("tools/list", params))["result"]
                names += [t["name"] for t in result["tools"]]
                cursor = result.get("nextCursor")
                if not cursor:
                    break
            assert len(names) == len(set(names)) == 24
            bad = json.loads(await agent.ask("tools/list", '{"cursor":"nonsense"}'))
            assert bad["error"]["code"] == -32602

    go(scenario())


def test_list_changed_makes_the_new_tool_callable(tmp_path):
    async def scenario():
        async with running(Policy(upstreams=(loss(),)), tmp_path, session=Scripted()) as agent:
            await agent.hello()
            assert (await agent.call("loss__added"))["error"] == {
                "code": -32602,
                "message": "Unknown tool: loss__added",
            }
            await agent.call("loss__change")
            assert '"x":1.0' in await agent.line("tools/list_changed")
            assert "loss added" in text_of(await agent.call("loss__added"))

    go(scenario())


def test_a_call_reaches_the_upstream_word_for_word(tmp_path):
    async def scenario():
        log = tmp_path / "log"
        session = Scripted()
        async with running(Policy(upstreams=(loss(log=log),)), tmp_path, session=session) as agent:
            await agent.hello()
            raw = (
                '{"jsonrpc":"2.0","x-top":1.0,"id": 7 ,"params":{"x-p":[1.50,1E5],"name":"loss__echo",'
                '"_meta":{"progressToken":"t\\u0041","k":1.0},"arguments":{"text":"h\\u00e9","n":100.00,'
                '"big":123456789012345678901234567890,"s":"\\udc00"}},"method":"tools/call"}'
            )
            agent.say(raw)
            answer = await agent.line('"id":7')
            assert '"_meta":{"r":1.0}' in answer
            sent = [line for line in log.read_text().splitlines() if "x-top" in line]
            number = json.loads(sent[0])["id"]
            assert sent[0] == raw.replace('"id": 7 ', f'"id": {number} ').replace(
                "loss__echo", "echo"
            )
            call = session.of(ToolCall)[0]
            assert (call.source, call.tool, call.args["text"]) == ("loss", "echo", "hé")
            assert session.of(ToolResult)[0].call_id == call.call_id

    go(scenario())


def test_results_errors_and_odd_values_arrive_unchanged(tmp_path):
    async def scenario():
        session = Scripted()
        async with running(Policy(upstreams=(loss(),)), tmp_path, session=session) as agent:
            await agent.hello()
            await agent.call("loss__odd", number="1")
            line = await agent.line('"id":1,')
            for text in (
                '"priority":0.50',
                '"data":1e400',
                '"amount":100.00',
                "9" * 5000,
                '"x-block":1.0',
                '"k":[1.0]',
                '"size":100000000000000000000',
                '"\\ud800"',
            ):
                assert text in line
            answer = await agent.call("loss__fault", number="2")
            assert answer["error"]["code"] == -32055
            assert '"deep":[1.0,1E5]' in await agent.line('"id":2,')
            assert '"x-error":1.0' in await agent.line('"id":2,')
            failed = await agent.call("loss__fail")
            assert failed["result"]["x"] == 1.0
            results = session.of(ToolResult)
            assert [r.is_error for r in results] == [False, True, True]
            twice = await agent.call("loss__twice", number="3")
            assert '"text":"first","text":"second"' in await agent.line('"id":3,')
            assert session.of(ToolResult)[-1].result["content"][0]["text"] == ["first", "second"]
            assert twice["result"]

    go(scenario())


def test_notifications_of_an_upstream_pass_unchanged(tmp_path):
    async def scenario():
        async with running(Policy(upstreams=(loss(),)), tmp_path, session=Scripted()) as agent:
            await agent.hello()
            await agent.call("loss__log")
            assert '"data":{"n":1.0}' in await agent.line("notifications/message")
            assert await agent.line("x-unknown", '"y":2.0') == (
                '{"jsonrpc":"2.0","method":"notifications/x-unknown","params":{"v":1.0},"y":2.0}'
            )
            answer = await agent.call("loss__steps", {"text": "3"}, meta='{"progressToken":99}')
            assert text_of(answer) == "stepped"
            for n in range(3):
                line = await agent.line("notifications/progress", f'"progress":{n}.50')
                assert '"progressToken":99' in line
                assert '"x":1.0' in line

    go(scenario())


def test_client_notifications_reach_every_upstream(tmp_path):
    async def scenario():
        logs = [tmp_path / "a", tmp_path / "b"]
        policy = Policy(upstreams=(loss("a", log=logs[0]), loss("b", log=logs[1])))
        async with running(policy, tmp_path, session=Scripted()) as agent:
            await agent.hello()
            note = '{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{"x":1.0},"y":[1.0]}'
            agent.say(note)
            await agent.call("b__echo", {"text": "1"})
            await agent.call("a__echo", {"text": "1"})
            for log in logs:
                assert note in log.read_text().splitlines()
                assert INITIALIZED in log.read_text().splitlines()

    go(scenario())


def test_requests_of_upstreams_are_mapped_there_and_back(tmp_path):
    async def scenario():
        policy = Policy(upstreams=(loss("one"), loss("two")))
        async with running(policy, tmp_path, session=Scripted()) as agent:
            await agent.hello('{"sampling":{},"elicitation":{},"roots":{}}')
            calls = [
                asyncio.create_task(agent.call(f"{u}__sample", number=f'"s-{u}"'))
                for u in ("one", "two")
            ]
            asked = []
            while len(asked) < 2:
                await agent.line("sampling/createMessage")
                asked = [json.loads(t) for t in agent.wire.lines if "sampling/createMessage" in t]
                await asyncio.sleep(0.01)
            assert len({a["id"] for a in asked}) == 2
            tokens = [a["params"]["_meta"]["progressToken"] for a in asked]
            assert tokens[0] == 1  # both use 1: only the second is renamed
            assert tokens[1] != 1
            for question in asked:
                agent.say(
                    json.dumps(
                        {
                            "jsonrpc": "2.0",
                            "method": "notifications/progress",
                            "params": {
                                "progressToken": question["params"]["_meta"]["progressToken"],
                                "progress": 1,
                            },
                        }
                    )
                )
                number = question["id"]
                agent.say(
                    f'{{"jsonrpc":"2.0","id":{number},"result":{{"role":"assistant","n":{number}.50,"x":1.0}}}}'
                )
            got = [json.loads(text_of(a)) for a in await asyncio.gather(*calls)]
            assert {g["result"]["n"] for g in got} == {a["id"] + 0.5 for a in asked}
            agent.say('{"jsonrpc":"2.0","id":4711,"result":{}}')  # to no request: dropped
            for method, tool in (("elicitation/create", "elicit"), ("roots/list", "roots")):
                running_call = asyncio.create_task(agent.call(f"one__{tool}"))
                question = json.loads(await agent.line(method))
                number = question["id"]
                agent.say(
                    f'{{"jsonrpc":"2.0","id":{number},"error":{{"code":-1,"message":"no","data":[1.0]}}}}'
                )
                assert json.loads(text_of(await running_call))["error"]["data"] == [1.0]

    go(scenario())


def test_resources_prompts_and_completions_find_their_upstream(tmp_path):
    async def scenario():
        log = tmp_path / "log"
        session = Scripted()
        policy = Policy(upstreams=(loss("one"), loss("two", log=log)))
        async with running(policy, tmp_path, session=session) as agent:
            await agent.hello()
            listed = json.loads(await agent.ask("resources/list"))["result"]["resources"]
            assert len(listed) == 8
            prompts = json.loads(await agent.ask("prompts/list"))["result"]["prompts"]
            assert [p["name"] for p in prompts][3:] == ["two__p0", "two__p1", "two__p2"]
            for uri in ("two://r1", "two://t/abc"):
                read = json.loads(await agent.ask("resources/read", json.dumps({"uri": uri})))
                assert read["result"]["contents"][0]["text"] == "two text"
            got = json.loads(await agent.ask("prompts/get", '{"name":"two__p1","arguments":{}}'))
            assert got["result"]["messages"][0]["content"]["text"] == "two p1"
            ref = (
                '{"ref":{"type":"ref/prompt","name":"two__p1"},"argument":{"name":"a","value":""}}'
            )
            done = json.loads(await agent.ask("completion/complete", ref))["result"]["completion"]
            assert done["values"] == ["two", '{"type": "ref/prompt", "name": "p1"}']
            ref = '{"ref":{"type":"ref/resource","uri":"two://t/{id}"},"argument":{"name":"id","value":""}}'
            done = json.loads(await agent.ask("completion/complete", ref))["result"]["completion"]
            assert done["values"][0] == "two"
            for method in ("resources/subscribe", "resources/unsubscribe"):
                assert json.loads(await agent.ask(method, '{"uri":"two://r2"}'))["result"] == {
                    "x": 1.0
                }
            assert '"uri":"two://r2"' in log.read_text()
            assert json.loads(await agent.ask("logging/setLevel", '{"level":"info"}'))[
                "result"
            ] == {"x": 1.0}
            reads = [(e.source, e.tool) for e in session.of(ToolResult)]
            assert reads == [("two", "resources/read")] * 2 + [("two", "prompts/get")]
            unknown = json.loads(await agent.ask("prompts/get", '{"name":"two__nope"}'))
            assert unknown["error"]["code"] == -32602

    go(scenario())


# ── verdicts ─────────────────────────────────────────────────────────────────────────────────


def finding(action, rule="act/known-secret", **more):
    return Verdict.of(Finding(rule, action, "it holds a secret", remedy="Leave it out.", **more))


def judge_calls(verdict):
    return Scripted(lambda event: verdict if isinstance(event, ToolCall) else Verdict())


def test_a_block_is_a_tool_error_that_says_what_why_and_what_now(tmp_path):
    async def scenario():
        log = tmp_path / "log"
        session = judge_calls(finding(Action.BLOCK, at="tripwire.yaml:7"))
        async with running(Policy(upstreams=(loss(log=log),)), tmp_path, session=session) as agent:
            await agent.hello()
            said = blocked(await agent.call("loss__echo", {"text": "x"}))
            assert said["code"] == "flow_violation"
            assert said["rule"] == {"id": "act/known-secret", "at": "tripwire.yaml:7"}
            assert said["message"] == "it holds a secret"
            assert said["remediation"] == "Leave it out."
            assert said["decision_id"].startswith("d-")
            assert "tools/call" not in log.read_text()
            assert session.of(ToolResult) == []

    go(scenario())


def test_blocked_reads_are_json_rpc_errors(tmp_path):
    async def scenario():
        session = judge_calls(finding(Action.BLOCK))
        async with running(Policy(upstreams=(loss(),)), tmp_path, session=session) as agent:
            await agent.hello()
            answer = json.loads(await agent.ask("resources/read", '{"uri":"loss://r1"}'))
            assert answer["error"]["code"] == -32000
            assert answer["error"]["data"]["code"] == "flow_violation"

    go(scenario())


def holding():
    """Holds every call until it has been approved."""
    seen = []

    def judge(event):
        if isinstance(event, Approved):
            seen.append(event)
        if isinstance(event, ToolCall) and not seen:
            return finding(Action.ASK, "act/untrusted-destination")
        return Verdict()

    return Scripted(judge)


def test_a_person_says_yes(tmp_path):
    async def scenario():
        session = holding()
        async with running(Policy(upstreams=(loss(),)), tmp_path, session=session) as agent:
            await agent.hello(ELICITS)
            call = asyncio.create_task(agent.call("loss__echo", {"text": "to\u202e evil"}))
            question = json.loads(await agent.line("elicitation/create"))
            message = question["params"]["message"]
            for part in ("loss__echo", "act/untrusted-destination", "it holds a secret", "\\u202e"):
                assert part in message
            schema = question["params"]["requestedSchema"]
            assert schema["required"] == ["approve"]
            agent.say(
                json.dumps(
                    {
                        "jsonrpc": "2.0",
                        "id": question["id"],
                        "result": {"action": "accept", "content": {"approve": True}},
                    }
                )
            )
            assert text_of(await call) == "to\u202e evil"
            granted = session.of(Approved)[0]
            assert granted.once
            assert granted.channel == "mcp"
            assert granted.rules == frozenset({"act/untrusted-destination"})
            assert len(session.of(ToolCall)) == 2

    go(scenario())


@pytest.mark.parametrize(
    "result",
    [
        '{"action":"decline"}',
        '{"action":"cancel"}',
        '{"action":"accept"}',
        '{"action":"accept","content":{"approve":false}}',
        '{"action":"accept","content":{"approve":"true"}}',
        '{"action":"accept","content":{"approve":1}}',
        "[]",
        "true",
    ],
)
def test_anything_but_an_explicit_yes_refuses(tmp_path, result):
    async def scenario():
        session = holding()
        async with running(Policy(upstreams=(loss(),)), tmp_path, session=session) as agent:
            await agent.hello(ELICITS)
            call = asyncio.create_task(agent.call("loss__echo", {"text": "x"}))
            question = json.loads(await agent.line("elicitation/create"))
            agent.say(f'{{"jsonrpc":"2.0","id":{question["id"]},"result":{result}}}')
            said = blocked(await call)
            assert said["code"] == "approval_denied"
            assert said["underlying"]["code"] == "flow_violation"
            assert session.of(Denied)[0].why == "denied"
            assert session.of(Approved) == []

    go(scenario())


@pytest.mark.parametrize(
    "capabilities", ["{}", '{"elicitation":{"url":{}}}', '{"elicitation":true}']
)
def test_without_a_form_the_call_is_refused_at_once(tmp_path, capabilities):
    async def scenario():
        session = holding()
        async with running(Policy(upstreams=(loss(),)), tmp_path, session=session) as agent:
            await agent.hello(capabilities)
            said = blocked(await agent.call("loss__echo", {"text": "x"}))
            assert said["code"] == "hold_required"
            assert said["approval"]["channels"] == []

    go(scenario())


def test_without_the_mcp_channel_nobody_is_asked(tmp_path):
    async def scenario():
        policy = Policy(upstreams=(loss(),), approvals=Approvals(channels=("cli",)))
        async with running(policy, tmp_path, session=holding()) as agent:
            await agent.hello(ELICITS)
            assert blocked(await agent.call("loss__echo", {"text": "x"}))["code"] == "hold_required"

    go(scenario())


def test_no_answer_in_time_refuses_and_progress_is_sent_meanwhile(tmp_path, monkeypatch):
    monkeypatch.setattr("tripwire.doors.gateway.backchannel.PROGRESS_SECONDS", 0.05)

    async def scenario():
        policy = Policy(upstreams=(loss(),), approvals=Approvals(timeout_ms=300))
        session = holding()
        async with running(policy, tmp_path, session=session) as agent:
            await agent.hello(ELICITS)
            answer = await agent.call("loss__echo", {"text": "x"}, meta='{"progressToken":"p"}')
            assert blocked(answer)["code"] == "approval_timeout"
            assert session.of(Denied)[0].why == "timeout"
            progress = [
                json.loads(t)["params"] for t in agent.wire.lines if "notifications/progress" in t
            ]
            assert progress
            assert all(p["progressToken"] == "p" for p in progress)
            question = json.loads(await agent.line("elicitation/create"))
            assert f'"requestId":{question["id"]}' in await agent.line("notifications/cancelled")
            late = {
                "jsonrpc": "2.0",
                "id": question["id"],
                "result": {"action": "accept", "content": {"approve": True}},
            }
            agent.say(json.dumps(late))  # a late yes changes nothing
            assert text_of(await agent.call("loss__echo", {"text": "y"})) != "y"

    go(scenario())


def test_a_cancelled_hold_is_withdrawn_and_never_answered(tmp_path):
    async def scenario():
        log = tmp_path / "log"
        session = holding()
        async with running(Policy(upstreams=(loss(log=log),)), tmp_path, session=session) as agent:
            await agent.hello(ELICITS)
            agent.say(
                '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"loss__echo","arguments":{"text":"x"}}}'
            )
            await agent.line("elicitation/create")
            agent.say(
                '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}'
            )
            await agent.line("notifications/cancelled")
            await agent.ask("ping")
            assert session.of(Denied)[0].why == "cancelled"
            assert not any('"id":5,' in t for t in agent.wire.lines)
            assert "tools/call" not in log.read_text()

    go(scenario())


def test_a_result_that_does_not_pass_is_withheld(tmp_path):
    async def scenario():
        session = Scripted(
            lambda e: finding(Action.BLOCK) if isinstance(e, ToolResult) else Verdict()
        )
        async with running(Policy(upstreams=(loss(),)), tmp_path, session=session) as agent:
            await agent.hello()
            answer = await agent.call("loss__echo", {"text": "canary"})
            assert blocked(answer)["code"] == "flow_violation"
            assert not any("canary" in t for t in agent.wire.lines)

    go(scenario())


# ── failing upstreams ────────────────────────────────────────────────────────────────────────


def test_a_dying_upstream_degrades_only_itself_and_comes_back(tmp_path):
    async def scenario():
        log = tmp_path / "log"
        session = Scripted()
        policy = Policy(upstreams=(loss("one", log=log), loss("two")))
        async with running(policy, tmp_path, session=session) as agent:
            await agent.hello()
            await agent.ask("logging/setLevel", '{"level":"debug"}')
            await agent.ask("resources/subscribe", '{"uri":"one://r1"}')
            said = blocked(await agent.call("one__die"))
            assert said["code"] == "upstream_unavailable"
            assert said["outcome"] == "unknown"
            assert "Do not repeat" in said["remediation"]
            assert session.of(OutcomeUnknown)[0].why == "died"
            again = blocked(await agent.call("one__echo", {"text": "x"}))
            assert again["code"] == "upstream_unavailable"
            assert again["retry_in_ms"] <= 30_000
            assert text_of(await agent.call("two__echo", {"text": "fine"})) == "fine"
            tools = json.loads(await agent.ask("tools/list"))["result"]["tools"]
            assert "one__echo" in [t["name"] for t in tools]  # still listed (G-7)
            for _ in range(100):
                answer = await agent.call("one__echo", {"text": "back"})
                if not answer["result"].get("isError"):
                    break
                await asyncio.sleep(0.05)
            assert text_of(answer) == "back"
            second_life = log.read_text().split('"method":"initialize"')[2]
            for part in ("notifications/initialized", "logging/setLevel", '"uri":"one://r1"'):
                assert part in second_life

    go(scenario())


def test_an_upstream_that_never_starts_does_not_stop_the_others(tmp_path):
    async def scenario():
        from dataclasses import replace as changed

        bad = changed(loss("bad"), command=("/nonexistent/server",))
        policy = Policy(upstreams=(bad, loss("good")))
        async with running(policy, tmp_path, session=Scripted()) as agent:
            result = (await agent.hello())["result"]
            assert "bad" in result["instructions"]
            assert text_of(await agent.call("good__echo", {"text": "x"})) == "x"
            said = blocked(await agent.call("bad__anything"))
            assert said["code"] == "upstream_unavailable"

    go(scenario())


def test_a_hanging_call_times_out_and_its_late_result_is_recorded_not_delivered(tmp_path):
    async def scenario():
        log = tmp_path / "log"
        session = Scripted()
        policy = Policy(upstreams=(loss(log=log, timeout_ms=200),))
        async with running(policy, tmp_path, session=session) as agent:
            await agent.hello()
            said = blocked(await agent.call("loss__stubborn", {"text": "0.6"}, number="1"))
            assert said["code"] == "upstream_unavailable"
            assert session.of(OutcomeUnknown)[0].why == "timeout"
            for _ in range(200):
                if session.of(ToolResult) and "notifications/cancelled" in log.read_text():
                    break
                await asyncio.sleep(0.02)
            assert "notifications/cancelled" in log.read_text()
            assert session.of(ToolResult)[0].result["content"][0]["text"] == "late"
            assert not any('"late"' in t for t in agent.wire.lines)
            assert len([t for t in agent.wire.lines if '"id":1,' in t]) == 1

    go(scenario())


def test_progress_restarts_the_timeout(tmp_path):
    async def scenario():
        policy = Policy(upstreams=(loss(timeout_ms=300),))
        async with running(policy, tmp_path, session=Scripted()) as agent:
            await agent.hello()
            answer = await agent.call("loss__steps", {"text": "30"}, meta='{"progressToken":1}')
            assert text_of(answer) == "stepped"

    go(scenario())


def test_cancel_reaches_the_upstream_under_its_own_id(tmp_path):
    async def scenario():
        log = tmp_path / "log"
        session = Scripted()
        async with running(Policy(upstreams=(loss(log=log),)), tmp_path, session=session) as agent:
            await agent.hello()
            agent.say(
                '{"jsonrpc":"2.0","id":"c1","method":"tools/call","params":{"name":"loss__stubborn","arguments":{"text":"0.3"}}}'
            )
            while "stubborn" not in log.read_text():
                await asyncio.sleep(0.01)
            agent.say(
                '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c1","reason":"r","x":1.0}}'
            )
            while "cancelled" not in log.read_text():
                await asyncio.sleep(0.01)
            lines = [json.loads(t) for t in log.read_text().splitlines()]
            called = next(m for m in lines if m.get("method") == "tools/call")
            gone = next(m for m in lines if m.get("method") == "notifications/cancelled")
            assert gone["params"] == {"requestId": called["id"], "reason": "r", "x": 1.0}
            assert session.of(OutcomeUnknown)[0].why == "cancelled"
            while not session.of(ToolResult):
                await asyncio.sleep(0.01)
            assert not any('"c1"' in t for t in agent.wire.lines)

    go(scenario())


def test_garbage_is_skipped_and_a_hundred_lines_degrade(tmp_path, capfd):
    async def scenario():
        async with running(Policy(upstreams=(loss(),)), tmp_path, session=Scripted()) as agent:
            await agent.hello()
            assert text_of(await agent.call("loss__garbage", {"text": "99"})) == "after garbage"
            assert (
                blocked(await agent.call("loss__garbage", {"text": "101"}))["code"]
                == "upstream_unavailable"
            )

    go(scenario())
    err = capfd.readouterr().err
    assert "skipped a line" in err
    assert "garbage line" not in err  # by hash only


def test_nan_from_an_upstream_is_no_message(tmp_path):
    async def scenario():
        policy = Policy(upstreams=(loss(timeout_ms=300),))
        async with running(policy, tmp_path, session=Scripted()) as agent:
            await agent.hello()
            assert blocked(await agent.call("loss__nan"))["code"] == "upstream_unavailable"
            assert text_of(await agent.call("loss__echo", {"text": "on"})) == "on"

    go(scenario())


def test_upstreams_get_only_the_allowed_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary")

    async def scenario():
        async with running(
            Policy(upstreams=(loss(log=tmp_path / "l"),)), tmp_path, session=Scripted()
        ) as agent:
            await agent.hello()
            seen = set(json.loads(text_of(await agent.call("loss__env"))))
            assert seen <= {
                "HOME",
                "LOGNAME",
                "PATH",
                "SHELL",
                "TERM",
                "USER",
                "LOSS_LOG",
                "LC_CTYPE",
            }

    go(scenario())


# ── bad input of the client ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "code", "number"),
    [
        ("nonsense", -32600, None),
        ("{", -32700, None),
        ('{"jsonrpc":"2.0","id":4,"method":"x","params":{"a":NaN}}', -32700, None),
        (
            '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"loss__echo","arguments":{"text":"a","text":"b"}}}',
            -32600,
            4,
        ),
        ('{"jsonrpc":"2.0","id":4}', -32600, 4),
        ('{"id":4,"method":"ping"}', -32600, 4),
        ('{"jsonrpc":"2.0","id":true,"method":"x"}', -32600, None),
        (
            '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"loss__echo","arguments":{"a":'
            + "[" * 200
            + "]" * 200
            + "}}}",
            -32600,
            4,
        ),
        (
            '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"loss__echo","arguments":{"a":'
            + "[" * 9000
            + "]" * 9000
            + "}}}",
            -32600,
            4,
        ),
        (
            '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"loss__echo","arguments":[]}}',
            -32602,
            4,
        ),
        (
            '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":["loss__echo"]}}',
            -32602,
            4,
        ),
        (
            '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"loss__echo","arguments":{"text":"'
            + "x" * 30_000
            + '"}}}',
            -32600,
            4,
        ),
        ("[]", -32600, None),
        ('[{"jsonrpc":"2.0","id":4,"method":"ping"}]', -32600, None),
        (b"\xff\xfe{}", -32700, None),
    ],
)
def test_bad_messages_are_answered_and_never_forwarded(tmp_path, text, code, number):
    async def scenario():
        log = tmp_path / "log"
        policy = Policy(upstreams=(loss(log=log),), limits=Limits(message_bytes=25_000))
        async with running(policy, tmp_path, session=Scripted()) as agent:
            await agent.hello()
            agent.say(text)
            answer = json.loads(await agent.line('"error"'))
            assert (answer["error"]["code"], answer["id"]) == (code, number)
            assert text_of(await agent.call("loss__echo", {"text": "on"})) == "on"
            calls = [t for t in log.read_text().splitlines() if "tools/call" in t]
            assert len(calls) == 1

    go(scenario())


def test_batches_of_the_revision_that_has_them(tmp_path):
    async def scenario():
        async with running(Policy(upstreams=(loss(),)), tmp_path, session=Scripted()) as agent:
            params = '{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}'
            await agent.ask("initialize", params)
            agent.say(
                '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},'
                '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"loss__echo","arguments":{"text":"b"}}},{"bad":1}]'
            )
            got = json.loads(await agent.line("[{"))
            assert {a.get("id") for a in got} == {1, 2, None}
            assert len(got) == 3

    go(scenario())


def test_a_used_id_is_refused(tmp_path):
    async def scenario():
        async with running(Policy(upstreams=(loss(),)), tmp_path, session=Scripted()) as agent:
            await agent.hello()
            agent.say(
                '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"loss__slow","arguments":{"text":"0.2"}}}'
            )
            agent.say('{"jsonrpc":"2.0","id":1,"method":"ping"}')
            assert '"code":-32600' in await agent.line('"id":1,', "error")
            await agent.line('"id":1,', "slow done")

    go(scenario())


def test_many_calls_at_once_all_come_back(tmp_path):
    async def scenario():
        policy = Policy(upstreams=(loss(),), limits=Limits(inflight=8))
        async with running(policy, tmp_path, session=Scripted()) as agent:
            await agent.hello()
            answers = await asyncio.gather(
                *(agent.call("loss__echo", {"text": f"t{n}"}) for n in range(60))
            )
            assert [text_of(a) for a in answers] == [f"t{n}" for n in range(60)]

    go(scenario())
