"""Playbooks of the other clients' wires: what each sends in, what it is answered (CTX-35)."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tripwire.doors.hooks.clients import CLIENTS, received
from tripwire.doors.hooks.hook import Phase
from tripwire.errors import MalformedInput
from tripwire.model.tripwire import Firing
from tripwire.model.verdict import Action, Finding, Verdict

FIRING = Firing("read", "src/a.ts")
TOLD = Verdict.of(
    Finding("read/tripwire", Action.INFORM, "why", tell="what is known", firing=FIRING)
)
DENIED = Verdict.of(Finding("read/raw-read", Action.BLOCK, "served elsewhere", "Use the tool."))
ASKED = Verdict.of(Finding("read/authority", Action.ASK, "changes the tripwires"))


def hook(client, **event):
    return received(client, json.dumps(event).encode())[1]


def answer(client, verdict, **event):
    found, read = received(client, json.dumps(event).encode())
    return json.loads(found.render(read, verdict) or "null")


CODEX = {
    "hook_event_name": "PreToolUse",
    "session_id": "s",
    "turn_id": "1",
    "transcript_path": None,
    "cwd": "/r",
    "model": "m",
    "permission_mode": "default",
    "tool_name": "Bash",
    "tool_input": {"command": "cat a"},
    "tool_use_id": "c1",
}
GEMINI = {
    "hook_event_name": "BeforeTool",
    "session_id": "s",
    "cwd": "/r",
    "timestamp": "t",
    "tool_name": "read_file",
    "tool_input": {"file_path": "src/a.ts"},
}
CURSOR = {
    "hook_event_name": "preToolUse",
    "conversation_id": "c",
    "generation_id": "g",
    "workspace_roots": ["/r"],
    "cursor_version": "3",
    "tool_name": "Read",
    "tool_input": {"target_file": "/r/src/a.ts"},
    "tool_use_id": "u",
}
VS_CODE = {
    "hookEventName": "PreToolUse",
    "sessionId": "s",
    "timestamp": "t",
    "cwd": "/r",
    "tool_name": "readFile",
    "tool_input": {"filePath": "/r/src/a.ts"},
    "tool_use_id": "u",
}


# ── Codex ────────────────────────────────────────────────────────────────────────────────────


def test_codex_is_told_and_refused_with_keys_of_its_schema_only():
    told = answer("codex", TOLD, **CODEX)
    assert told == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "additionalContext": "what is known",
        }
    }
    for verdict in (DENIED, ASKED, DENIED | TOLD, ASKED | TOLD):
        specific = answer("codex", verdict, **CODEX)["hookSpecificOutput"]
        assert set(specific) == {
            "hookEventName",
            "permissionDecision",
            "permissionDecisionReason",
        }
        assert specific["permissionDecision"] == "deny"
        assert specific["permissionDecisionReason"]


def test_a_patch_of_codex_names_its_files_and_what_is_added():
    patch = (
        "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-old\n+new\n*** Add File: src/b.ts\n"
        "+one\n+two\n*** Delete File: c.ts\n*** Update File: d.ts\n*** Move to: e.ts\n*** End Patch"
    )
    event = {**CODEX, "tool_name": "apply_patch", "tool_input": {"command": patch}}
    files = hook("codex", **event).args["files"]
    assert [(f["file_path"], f["new_string"]) for f in files] == [
        ("src/a.ts", "new\n"),
        ("src/b.ts", "one\ntwo\n"),
        ("c.ts", ""),
        ("d.ts", ""),
        ("e.ts", ""),
    ]
    listed = {**event, "tool_input": {"command": ["apply_patch", patch]}}
    assert hook("codex", **listed).args["files"] == files


def test_a_patch_without_a_file_is_no_tool_that_a_policy_knows():
    event = {**CODEX, "tool_name": "apply_patch", "tool_input": {"command": "garbage"}}
    assert hook("codex", **event).tool == "apply_patch without a file"


# ── Gemini CLI ───────────────────────────────────────────────────────────────────────────────


def test_gemini_is_told_after_the_call_and_refused_before_it():
    assert answer("gemini", TOLD, **GEMINI) is None
    after = {**GEMINI, "hook_event_name": "AfterTool", "tool_response": {"llmContent": "x"}}
    assert answer("gemini", TOLD, **after) == {
        "hookSpecificOutput": {"additionalContext": "what is known"}
    }
    for verdict in (DENIED, ASKED):
        said = answer("gemini", verdict, **GEMINI)
        assert (said["decision"], bool(said["reason"])) == ("deny", True)
    prompt = {**GEMINI, "hook_event_name": "BeforeAgent", "prompt": "see @a"}
    assert answer("gemini", TOLD, **prompt)["hookSpecificOutput"]


@pytest.mark.parametrize(
    ("name", "args", "context", "expected"),
    [
        ("read_file", {"absolute_path": "/r/a"}, None, ("Read", {"file_path": "/r/a"})),
        ("write_file", {"file_path": "a", "content": "x"}, None, ("Write", {"file_path": "a", "content": "x"})),
        ("replace", {"file_path": "a"}, None, ("Edit", {"file_path": "a"})),
        ("run_shell_command", {"command": "ls"}, None, ("Bash", {"command": "ls"})),
        ("list_directory", {"dir_path": "src"}, None, ("LS", {"path": "src"})),
        ("mcp_fs_read_file", {"path": "a"}, None, ("mcp__fs__read_file", {"path": "a"})),
        ("mcp_a_b_read", {}, {"server_name": "a_b"}, ("mcp__a_b__read", {})),
        ("mcp_tripwire_read_file", {"path": "a"}, None, ("mcp__tripwire__read_file", {"path": "a"})),
        ("brand_new", {"x": 1}, None, ("brand_new", {"x": 1})),
    ],
)  # fmt: skip
def test_tools_of_gemini(name, args, context, expected):
    event = {**GEMINI, "tool_name": name, "tool_input": args, "mcp_context": context}
    read = hook("gemini", **event)
    assert (read.tool, read.args) == expected


def test_a_call_of_gemini_has_one_id_before_and_after():
    after = {**GEMINI, "hook_event_name": "AfterTool", "tool_response": {"llmContent": "x"}}
    assert hook("gemini", **GEMINI).call_id == hook("gemini", **after).call_id
    other = {**GEMINI, "tool_input": {"file_path": "b"}}
    assert hook("gemini", **GEMINI).call_id != hook("gemini", **other).call_id


def test_a_failure_of_gemini_is_a_failed_result():
    after = {**GEMINI, "hook_event_name": "AfterTool", "tool_response": {"error": "no"}}
    read = hook("gemini", **after)
    assert (read.failed, read.response) == (True, "no")


def test_a_page_that_gemini_fetches_is_a_destination():
    event = {**GEMINI, "tool_name": "web_fetch", "tool_input": {"prompt": "sum up https://x.y/z"}}
    assert hook("gemini", **event).args["url"] == "https://x.y/z"


# ── Cursor ───────────────────────────────────────────────────────────────────────────────────


def test_cursor_is_told_after_the_call_and_refused_before_it():
    assert answer("cursor", TOLD, **CURSOR) == {}
    after = {**CURSOR, "hook_event_name": "postToolUse", "tool_output": '{"a": 1}'}
    assert answer("cursor", TOLD, **after) == {"additional_context": "what is known"}
    assert hook("cursor", **after).response == {"a": 1}
    said = answer("cursor", DENIED, **CURSOR)
    assert (said["permission"], bool(said["agent_message"])) == ("deny", True)
    read = {**CURSOR, "hook_event_name": "beforeReadFile", "file_path": "/r/src/a.ts"}
    said = answer("cursor", DENIED, **read)
    assert (said["permission"], bool(said["user_message"])) == ("deny", True)
    assert "agent_message" not in said
    prompt = {**CURSOR, "hook_event_name": "beforeSubmitPrompt", "prompt": "x"}
    assert answer("cursor", DENIED, **prompt)["continue"] is False
    assert answer("cursor", Verdict(), **{**CURSOR, "hook_event_name": "stop"}) == {}


def test_cursor_never_gets_an_ask():
    assert answer("cursor", ASKED, **CURSOR)["permission"] == "deny"
    claude = {**CURSOR, "hook_event_name": "PreToolUse"}
    specific = answer("claude-code", ASKED, **claude)["hookSpecificOutput"]
    assert specific["permissionDecision"] == "deny"


def test_the_claude_hook_in_cursor_joins_its_session_and_answers_as_claude_does():
    event = {**CURSOR, "hook_event_name": "PostToolUse", "tool_response": "x"}
    client, read = received("claude-code", json.dumps(event).encode())
    assert (client.name, read.session, read.call_id) == ("cursor", "c", "u")
    assert read.call_id == hook("cursor", **CURSOR).call_id
    assert answer("claude-code", TOLD, **event)["hookSpecificOutput"]["additionalContext"]


def test_calls_of_cursor():
    read = hook("cursor", **CURSOR)
    assert (read.tool, read.args, read.cwd) == ("Read", {"file_path": "/r/src/a.ts"}, "/r")
    shell = {**CURSOR, "tool_name": "Shell", "tool_input": {"command": "ls"}}
    assert hook("cursor", **shell).tool == "Bash"
    mcp = {**CURSOR, "tool_name": "MCP:read_file", "tool_input": '{"path": "a"}'}
    read = hook("cursor", **mcp)
    assert (read.tool, read.args) == ("mcp__unknown__read_file", {"path": "a"})


# ── VS Code ──────────────────────────────────────────────────────────────────────────────────


def test_vs_code_is_claude_code_in_other_words():
    read = hook("vscode", **VS_CODE)
    assert (read.name, read.session, read.tool) == ("PreToolUse", "s", "Read")
    assert read.args["file_path"] == "/r/src/a.ts"
    assert answer("vscode", TOLD, **VS_CODE)["hookSpecificOutput"]["additionalContext"]
    denied = answer("vscode", DENIED, **VS_CODE)["hookSpecificOutput"]
    assert denied["permissionDecision"] == "deny"


def test_the_claude_hook_in_vs_code_joins_its_session():
    client, read = received("claude-code", json.dumps(VS_CODE).encode())
    assert (client.name, read.session) == ("vscode", "s")


def test_an_edit_of_several_files_names_each():
    event = {**VS_CODE, "tool_name": "editFiles", "tool_input": {"files": ["a", {"filePath": "b"}]}}
    read = hook("vscode", **event)
    assert read.tool == "editFiles"
    assert read.args["files"] == [{"file_path": "a"}, {"file_path": "b"}]


# ── all ──────────────────────────────────────────────────────────────────────────────────────

EVENTS = {
    "claude-code": {k: v for k, v in CODEX.items() if k != "turn_id"},
    "codex": CODEX,
    "gemini": GEMINI,
    "cursor": CURSOR,
    "vscode": VS_CODE,
}
NAME_KEYS = ("hook_event_name", "hookEventName")
COMPACTIONS = {
    "claude-code": "PostCompact",
    "codex": "PostCompact",
    "gemini": "PreCompress",
    "cursor": "preCompact",
    "vscode": "PreCompact",
}


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("action", list(Action))
def test_no_client_is_ever_answered_allow(client, action):
    verdict = Verdict.of(Finding("x", action, "why", tell="told"))
    assert '"allow"' not in json.dumps(answer(client, verdict, **EVENTS[client]))


@pytest.mark.parametrize("client", CLIENTS)
def test_nothing_to_say_is_silence(client):
    assert answer(client, Verdict(), **EVENTS[client]) in (None, {})


@pytest.mark.parametrize("client", CLIENTS)
def test_a_call_without_its_events_name_is_to_come(client):
    event = {k: v for k, v in EVENTS[client].items() if k not in NAME_KEYS}
    assert hook(client, **event).phase is Phase.BEFORE


@pytest.mark.parametrize("client", CLIENTS)
def test_a_call_without_a_session_is_an_event_on_its_own(client):
    alone = {"cwd": "/r", "tool_name": "Read", "tool_input": {"file_path": "a"}}
    read = hook(client, **alone)
    assert (read.session, read.phase, read.tool) == ("", Phase.BEFORE, "Read")


@pytest.mark.parametrize("client", CLIENTS)
def test_a_compaction_is_understood(client):
    key = next(k for k in NAME_KEYS if k in EVENTS[client])
    event = {**EVENTS[client], key: COMPACTIONS[client]}
    assert hook(client, **event).phase is Phase.COMPACTED


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    "change",
    [{"tool_name": 3}, {"tool_name": ""}, {"tool_input": [1]}, {"cwd": 7}, {"session_id": []}],
)
def test_another_shape_is_malformed(client, change):
    event = {**EVENTS[client], **change}
    if client == "cursor" and "session_id" in change:
        event["conversation_id"] = []
    if client == "vscode" and "session_id" in change:
        event.pop("sessionId")
    with pytest.raises(MalformedInput):
        hook(client, **event)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("client", CLIENTS)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_an_event_is_read_or_malformed_and_nothing_else(client, data):
    keys = st.sampled_from(sorted({k for event in EVENTS.values() for k in event}))
    event = {**EVENTS[client], **data.draw(st.dictionaries(keys, json_values, max_size=4))}
    try:
        found, read = received(client, json.dumps(event).encode())
    except MalformedInput:
        return
    json.loads(found.render(read, DENIED | TOLD) or "{}")
