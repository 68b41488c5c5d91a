"""Playbooks of the wire: what Claude Code sends in, what it is answered."""

import json

import pytest

from tripwire.doors.hooks import events
from tripwire.doors.hooks.answer import MAX_UNITS
from tripwire.doors.hooks.claude_code import CLIENT as wire  # noqa: N811
from tripwire.errors import MalformedInput
from tripwire.model.verdict import Action, Finding, Verdict


def hook(name="PreToolUse", **fields):
    base = {"hook_event_name": name, "session_id": "s", "cwd": "/r"}
    return wire.parse(json.dumps({**base, **fields}).encode())


def before(tool="Bash", args=None, **fields):
    return hook(tool_name=tool, tool_input=args or {}, tool_use_id="t1", **fields)


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (b"", "not JSON at byte 0"),
        (b'{"hook_event_name": "PreToo', "not JSON at byte 20"),
        (b"[]", "not a JSON object"),
        (b"null", "not a JSON object"),
        (b"\xff", "not UTF-8 at byte 0"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"session_id": "s"}', '"hook_event_name" is not a string'),
        (b'{"session_id": "s", "hook_event_name": 5}', '"hook_event_name" is not a string'),
        (b'{"session_id": "", "hook_event_name": "Stop"}', '"session_id" is empty'),
        (b'{"session_id": ["s"], "hook_event_name": "Stop"}', '"session_id" is not a string'),
    ],
)
def test_malformed_events_name_the_fault(raw, what):
    with pytest.raises(MalformedInput, match=what):
        wire.parse(raw)


@pytest.mark.parametrize(
    "fields",
    [
        {"tool_input": {}, "tool_use_id": "t"},
        {"tool_name": "Bash", "tool_use_id": "t"},
        {"tool_name": "Bash", "tool_input": "ls", "tool_use_id": "t"},
        {"tool_name": "Bash", "tool_input": [], "tool_use_id": "t"},
        {"tool_name": "Bash", "tool_input": {}},
        {"tool_name": "", "tool_input": {}, "tool_use_id": "t"},
        {"tool_name": {"a": 1}, "tool_input": {}, "tool_use_id": "t"},
    ],
)
def test_a_tool_event_of_another_shape_is_malformed(fields):
    with pytest.raises(MalformedInput):
        hook(**fields)


def test_an_error_never_repeats_the_content():
    with pytest.raises(MalformedInput) as error:
        wire.parse(b'{"session_id": "hunter2-canary')
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "server", "expected"),
    [
        ("Bash", "", ("claude-code", "Bash")),
        ("mcp__git__git_status", "", ("git", "git_status")),
        ("mcp__plugin_acme_db__query", "", ("plugin_acme_db", "query")),
        ("mcp__my_srv__a__b", "my srv", ("my srv", "a__b")),
        ("mcp__a__b__c", "a__b", ("a__b", "c")),
        ("mcp__claude-code__Read", "", ("mcp__claude-code", "Read")),
        ("mcp__claude-code__Read", "claude-code", ("mcp__claude-code", "Read")),
        ("mcp__alone", "", ("mcp__alone", "")),
    ],
)
def test_source_and_tool(name, server, expected):
    assert events.source_and_tool(name, server) == expected


def test_a_call_carries_everything_the_client_said():
    event = before("Bash", {"command": "ls"}, agent_id="a7", mcp_server={"name": "x"})
    call = events.tool_call(event, at=3.0, links={"x": "/y"})
    assert (call.call_id, call.source, call.tool, call.args) == (
        "t1",
        "claude-code",
        "Bash",
        {"command": "ls"},
    )
    assert (call.cwd, call.at, call.links, call.agent) == ("/r", 3.0, {"x": "/y"}, "a7")


def test_results_of_success_and_failure():
    fields = {"tool_name": "mcp__s__t", "tool_input": {}, "tool_use_id": "t"}
    blocks = [{"type": "text", "text": '{"a": 1}'}]
    good = hook("PostToolUse", tool_response=blocks, **fields)
    result = events.tool_result(good, events.tool_call(good, at=0, links={}))
    assert (result.result, result.is_error) == ({"content": blocks}, False)
    bad = hook("PostToolUseFailure", error="no such host", **fields)
    result = events.tool_result(bad, events.tool_call(bad, at=0, links={}))
    assert (result.result, result.is_error) == ("no such host", True)


@pytest.mark.parametrize(
    ("source", "person"),
    [
        (None, True),
        ("user", True),
        ("sdk", True),
        ("system", False),
        ("schedule_wakeup", False),
        ("loop_wakeup", False),
        ("poll_event", False),
        ("something new", False),
    ],
)
def test_only_a_person_speaks_for_the_user(source, person):
    fields = {} if source is None else {"source": source}
    assert events.user_said(hook("UserPromptSubmit", prompt="hi", **fields)).person is person


@pytest.mark.parametrize(
    ("prompt", "paths"),
    [
        ("look at @.env please", [".env"]),
        ('@"my notes.txt" and (@src/a.py)', ["my notes.txt", "src/a.py)", "src/a.py"]),
        ("see @a.md, then @b.md.", ["a.md,", "a.md", "b.md.", "b.md"]),
        ("mail me@example.org", []),
        ("@~/x", ["~/x"]),
    ],
)
def test_mentions(prompt, paths):
    assert list(events.mentions(prompt)) == paths


def finding(action, **fields):
    return Finding("act/secret-out", action, "the secret would leave", **fields)


def test_allow_says_nothing():
    assert wire.render(before(), Verdict()) == ""
    assert wire.render(before(), Verdict.of(finding(Action.ALLOW, tell="psst"))) == ""


@pytest.mark.parametrize(
    ("action", "word"), [(Action.ASK, "ask"), (Action.VERIFY, "ask"), (Action.BLOCK, "deny")]
)
def test_ask_and_deny_stand_alone(action, word):
    verdict = Verdict.of(finding(action, remedy="Send it without the key."))
    answer = json.loads(wire.render(before(), verdict))["hookSpecificOutput"]
    assert answer == {
        "hookEventName": "PreToolUse",
        "permissionDecision": word,
        "permissionDecisionReason": "Tripwire: the secret would leave. Send it without the key. "
        "[act/secret-out]",
    }


def test_inform_is_context_and_a_lowered_finding_is_silent():
    told = Verdict.of(finding(Action.INFORM, tell="This page was not scanned."))
    answer = json.loads(wire.render(hook("SessionStart"), told))["hookSpecificOutput"]
    assert answer == {
        "hookEventName": "SessionStart",
        "additionalContext": "This page was not scanned.",
    }
    watched = Verdict.of(finding(Action.BLOCK)).at_most(Action.INFORM)
    assert wire.render(before(), watched) == ""


def test_a_prompt_is_blocked_with_a_decision():
    answer = json.loads(
        wire.render(hook("UserPromptSubmit", prompt="x"), Verdict.of(finding(Action.BLOCK)))
    )
    assert answer["decision"] == "block"


@pytest.mark.parametrize("letter", ["a", "é", "😀", "\ud800"])
def test_texts_stay_under_the_clients_limit(letter):
    long = Finding("act/x", Action.BLOCK, letter * 20_000, tell=letter * 20_000)
    for verdict in (Verdict.of(long), Verdict.of(long).at_most(Action.INFORM)):
        answer = json.loads(wire.render(before(), verdict))["hookSpecificOutput"]
        text = answer.get("permissionDecisionReason") or answer["additionalContext"]
        assert len(text.encode("utf-16-le", "replace")) <= 2 * MAX_UNITS


@pytest.mark.parametrize("action", list(Action))
@pytest.mark.parametrize(
    "event",
    [before(), hook("SessionStart"), hook("UserPromptSubmit", prompt="x")],
)
def test_no_answer_ever_allows(action, event):
    assert '"allow"' not in wire.render(event, Verdict.of(finding(action, tell="fact")))
