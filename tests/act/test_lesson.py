"""Every route labels, every path that carries a stranger's text is remembered (FLOW-5, PROV-9)."""

import pytest
from tests.act.rules.sessions import policy_of

from tripwire.engine import Engine
from tripwire.model.event import (
    Access,
    FileTouched,
    IntentDeclared,
    OutcomeUnknown,
    SessionOpened,
    ToolCall,
    ToolResult,
    UserSaid,
)
from tripwire.model.label import ALL_LABELS, Label
from tripwire.model.verdict import ALLOWED, Action, Finding, Verdict

POLICY = {
    "upstreams": [
        {"name": "docs", "command": ["true"]},
        {"name": "crm", "command": ["true"], "trust": "trusted"},
        {"name": "team", "command": ["true"], "trust": "member"},
    ],
    "flow": {"policies": {"web": {"tools": {"read": {"reads": ["untrusted"]}}}}},
}


@pytest.fixture
def engine():
    made = Engine(policy_of(POLICY))
    made.learn(SessionOpened("claude-code", "/r", "/home/me"), ALLOWED)
    return made


def result(tool, args, content, source="claude-code", **more):
    return ToolResult("c", source, tool, args, content, cwd="/r", **more)


def labels(engine, *events):
    for event in events:
        engine.learn(event, ALLOWED)
    return {label.value for label in engine.memory.labels.as_set()}


PAGE = result("WebFetch", {"url": "https://b.example"}, "a page")


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (PAGE, {"untrusted"}),
        (result("Read", {"file_path": "/r/a.txt"}, "x"), {"private"}),
        (result("Read", {"file_path": "/r/.env"}, "x"), {"private", "secret"}),
        (
            result("Read", {"file_path": "/r/node_modules/x/README.md"}, "x"),
            {"private", "untrusted"},
        ),
        (
            result("Bash", {"command": "curl https://b.example; false"}, "x", is_error=True),
            {"untrusted"},
        ),
        (result("nobody_knows", {}, "x", source="other"), {"untrusted"}),
        (result("get", {}, "x", source="docs"), {"untrusted"}),
        (result("get", {}, "x", source="team"), {"untrusted"}),
        (result("get", {}, "x", source="crm"), set()),
        (result("TodoWrite", {"todos": []}, "ok"), set()),
        (result("Grep", {"pattern": "KEY", "path": "/r"}, ".env:1:KEY=abc"), {"private", "secret"}),
        (FileTouched("/r/.env", Access.READ), {"private", "secret"}),
        (OutcomeUnknown("c", "claude-code", "Bash", "died"), {"untrusted", "private", "secret"}),
        (OutcomeUnknown("c", "other", "x", "died"), {"untrusted", "private", "secret"}),
    ],
)
def test_every_route_labels(engine, event, expected):
    assert labels(engine, event) >= expected
    if not expected:
        assert labels(engine) == set()


def test_inherited_labels(engine):
    assert labels(engine, SessionOpened("x", inherited=ALL_LABELS, why="lost")) == set(ALL_LABELS)


@pytest.mark.parametrize(
    "value", [{"ok": True, "n": 5, "day": "2026-11-30"}, "42", [1, 2.5], "true"]
)
def test_typed_values_carry_no_instruction(engine, value):
    assert labels(engine, result("read", {}, value, source="web")) == set()


@pytest.mark.parametrize("value", [{"note": "send it"}, {"do this now": 1}, "P or T", None])
def test_other_values_do(engine, value):
    assert labels(engine, result("read", {}, value, source="web")) == {"untrusted"}


def test_a_file_written_after_untrusted_text_is_untrusted(engine):
    write = ToolCall("w", "claude-code", "Write", {"file_path": "/r/n", "content": "x"}, "/r")
    engine.learn(PAGE, ALLOWED)
    engine.learn(write, ALLOWED)
    engine.learn(result("Read", {"file_path": "/r/n"}, "new.example/word1"), ALLOWED)
    assert engine.memory.tokens.seen("word1").untrusted


def test_a_rename_carries_it_along(engine):
    engine.learn(PAGE, ALLOWED)
    engine.learn(result("Write", {"file_path": "/r/n", "content": "x"}, "ok"), ALLOWED)
    engine.learn(result("Bash", {"command": "mv n m"}, ""), ALLOWED)
    assert engine.memory.files.taint_of("/r/m") is not None


def test_a_download_is_untrusted_before_anything_else_was(engine):
    engine.learn(result("Bash", {"command": "curl -o p.html https://b.example"}, ""), ALLOWED)
    assert engine.memory.files.taint_of("/r/p.html") is not None


def test_a_cloned_tree_is_untrusted(engine):
    engine.learn(result("Bash", {"command": "git clone https://x.example/lib"}, ""), ALLOWED)
    assert engine.memory.files.taint_of("/r/lib/README.md") is not None


def test_a_blocked_call_teaches_nothing(engine):
    engine.learn(PAGE, ALLOWED)
    before = engine.memory.snapshot()
    write = ToolCall("w", "claude-code", "Write", {"file_path": "/r/n", "content": "x"}, "/r")
    engine.learn(write, Verdict.of(Finding("act/x", Action.BLOCK, "no")))
    assert engine.memory.snapshot() == before


def test_receipts_are_counted(engine):
    for event in (UserSaid("hi"), IntentDeclared("goal"), PAGE, FileTouched("/r/a", Access.READ)):
        engine.learn(event, ALLOWED)
    assert engine.memory.receipts == 3
    assert engine.memory.labels.origins(Label.UNTRUSTED)[0].receipt == 3


def test_a_schedule_does_not_speak_for_the_user(engine):
    engine.learn(PAGE, ALLOWED)
    engine.learn(UserSaid("mail mallory@evil.example", person=False), ALLOWED)
    assert not engine.memory.tokens.typed("mallory@evil.example")
    assert engine.memory.tokens.seen("mallory@evil.example").untrusted


def test_answers_are_the_users_words_questions_are_not(engine):
    answer = {
        "questions": [{"question": "mail a@evil.example?"}],
        "answers": {"mail a@evil.example?": "to b@corp.example"},
    }
    engine.learn(result("AskUserQuestion", {}, answer), ALLOWED)
    assert engine.memory.tokens.typed("b@corp.example")
    assert not engine.memory.tokens.typed("a@evil.example")


def test_a_remote_added_after_untrusted_text_is_no_trusted_one(engine):
    engine.learn(PAGE, ALLOWED)
    engine.learn(
        result("Bash", {"command": "git remote add o https://x.example/r.git"}, ""), ALLOWED
    )
    assert "o" in engine.memory.files.later_remotes
