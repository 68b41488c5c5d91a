"""One session: evidence before passing, resumed after anything, never forked, never lenient."""

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tripwire.act.approval import call_hash
from tripwire.config.presets import builtin_policy, policy_from_mapping
from tripwire.errors import EvidenceUnavailable, StateUnusable, UsageError
from tripwire.io.session import open_session
from tripwire.io.verify import verify_log
from tripwire.model.event import (
    Access,
    Approved,
    Denied,
    FileTouched,
    IntentDeclared,
    SessionOpened,
    ToolCall,
    ToolResult,
    ToolsListed,
    UserSaid,
)
from tripwire.model.label import ALL_LABELS, Label
from tripwire.model.verdict import Action

POLICY = builtin_policy()
SRC = Path(__file__).parents[2] / "src"
SECRET = "ghp_" + "Zk3x9QwErTyU7iOpAsDfGhJkLzXcVbNm1234"
PAGE = {"content": [{"type": "text", "text": "See https://evil.example/collect for more."}]}


class Place:
    def __init__(self, root):
        self.root = root
        self.keys = root / "keys"
        self.opened = []

    def open(self, name="s", policy=POLICY, **more):
        session = open_session(
            policy, root=self.root, name=name, client="test", keys_dir=self.keys, **more
        )
        self.opened.append(session)
        return session

    def path(self, name="s"):
        return self.root / "sessions" / name

    def verify(self, name="s"):
        return verify_log(self.path(name), keys_dir=self.keys)

    def entries(self, name="s"):
        lines = (self.path(name) / "audit.jsonl").read_bytes().splitlines()
        return [json.loads(line) for line in lines]

    def types(self, name="s"):
        return [entry["type"] for entry in self.entries(name)]


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path / "state")
    yield made
    for session in made.opened:
        session.close()


def fetch(session, number=1, result=PAGE):
    call = ToolCall(f"f{number}", "claude-code", "WebFetch", {"url": "https://page.example/"})
    verdict = session.decide(call, door="hooks")
    session.decide(
        ToolResult(call.call_id, call.source, call.tool, call.args, result), door="hooks"
    )
    return verdict


def start(session):
    session.decide(SessionOpened("test", "/w", "/home/u"), door="hooks")
    session.decide(UserSaid("read https://page.example/ please"), door="hooks")
    return session


# ── the record ──────────────────────────────────────────────────────────────────────────────


def test_attempt_outcome_and_receipt_are_linked(place):
    session = start(place.open())
    verdict = fetch(session)
    session.close()
    entries = place.entries()
    attempt = next(e for e in entries if e["type"] == "tool_call_attempt")
    outcome = next(e for e in entries if e["type"] == "tool_call")
    assert outcome["data"]["attempt_seq"] == attempt["seq"]
    assert attempt["data"]["decision_id"] == verdict.decision_id
    receipts = [json.loads(x) for x in (session.path / "receipts.jsonl").read_text().splitlines()]
    receipt = receipts[outcome["data"]["receipt_seq"] - 1]
    assert receipt["result"] == PAGE
    assert receipt["result_hash"] == outcome["data"]["result_hash"]
    assert place.verify().ok


def test_decision_ids_are_of_the_form_and_differ(place):
    session = start(place.open())
    ids = [session.decide(UserSaid(str(n))).decision_id for n in range(20)]
    assert len(set(ids)) == 20
    assert all(re.fullmatch(r"d-[0-9a-f]{8}", i) for i in ids)


def test_no_value_and_no_secret_stands_in_the_audit(place):
    session = start(place.open())
    fetch(session, 1, {"content": [{"type": "text", "text": f"token {SECRET} canary-result"}]})
    call = ToolCall("c", "claude-code", "Bash", {"command": "echo canary-argument"})
    session.decide(call)
    session.decide(ToolResult("c", "claude-code", "Bash", call.args, "canary-error", is_error=True))
    session.decide(IntentDeclared("canary-goal"))
    session.decide(FileTouched("/w/canary-file", Access.READ))
    session.decide(ToolCall("d", "claude-code", f"tool {SECRET}", {}))
    session.decide(ToolCall("canary-id", "canary source ‹›", "canary tool\n", {}))
    session.close()
    written = (session.path / "audit.jsonl").read_bytes() + (
        place.root / "heads.jsonl"
    ).read_bytes()
    assert b"canary" not in written
    assert SECRET.encode() not in written
    for name in ("receipts.jsonl", "secrets.enc"):
        assert SECRET.encode() not in (session.path / name).read_bytes()
    assert b"canary-result" in (session.path / "receipts.jsonl").read_bytes()
    assert place.verify().ok


def test_files_are_private(place):
    os.umask(0o022)
    session = start(place.open())
    session.close()
    for path in [*session.path.iterdir(), *place.keys.iterdir(), place.root / "heads.jsonl"]:
        assert path.stat().st_mode & 0o777 == 0o600, path
    for path in (session.path, place.keys, place.root):
        assert path.stat().st_mode & 0o777 == 0o700


def test_a_value_that_json_cannot_hold_is_never_let_through(place):
    session = start(place.open())
    deep = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(EvidenceUnavailable):
        session.decide(ToolCall("c", "claude-code", "Bash", {"command": deep}))
    session.decide(ToolResult("c", "docs", "read", {}, deep))
    before = session.engine.memory.snapshot()
    session.close()
    assert place.verify().ok
    assert place.open().engine.memory.snapshot() == before
    assert '"reason":"depth"' in (session.path / "receipts.jsonl").read_text()


def test_huge_integers_and_lone_surrogates_are_not_rounded(place):
    session = start(place.open())
    args = {"n": 2**64 + 1, "s": "\ud800"}
    session.decide(ToolResult("c", "docs", "read", args, {"x": -(2**70)}))
    session.close()
    line = (session.path / "receipts.jsonl").read_text().splitlines()[-1]
    receipt = json.loads(line)
    assert json.loads(receipt["args_raw"]) == args
    assert json.loads(receipt["result_raw"]) == {"x": -(2**70)}
    assert place.verify().ok


# ── modes ───────────────────────────────────────────────────────────────────────────────────


def blocked_call():
    return ToolCall("b", "claude-code", "Bash", {"command": "rm -rf /"})


def test_monitor_mode_lets_pass_and_records_what_was_judged(place):
    policy = policy_from_mapping({"flow": {"mode": "monitor"}})
    session = start(place.open(policy=policy))
    verdict = session.decide(blocked_call())
    assert verdict.passes
    session.close()
    assert any(e["data"].get("judged") in ("BLOCK", "ASK") for e in place.entries())


def test_without_a_person_questions_are_refusals(place):
    session = start(place.open(attended=False))
    verdict = session.decide(blocked_call())
    assert verdict.action is Action.BLOCK
    assert verdict.question is None


# ── approvals ───────────────────────────────────────────────────────────────────────────────


def approvals(place):
    path = place.root / "approvals.jsonl"
    return [json.loads(x) for x in path.read_text().splitlines()] if path.exists() else []


def asked(session):
    """A call that asks, and its question."""
    fetch(session)
    call = ToolCall("q", "claude-code", "Bash", {"command": "curl https://other.example/ -d hi"})
    verdict = session.decide(call)
    assert verdict.question is not None, verdict
    return call, verdict.question


def test_an_approval_lets_exactly_one_call_through_and_is_recorded(place):
    session = start(place.open())
    call, question = asked(session)
    labels = session.engine.memory.labels.as_set()
    yes = Approved(
        "ap-1", call_hash(call, session.memory), frozenset(question.rules), "alice", "cli", labels
    )
    session.decide(yes)
    assert session.decide(call).passes
    assert session.decide(call).question is not None
    session.close()
    assert [(r["id"], r["state"]) for r in approvals(place)] == [
        ("ap-1", "granted"),
        ("ap-1", "used"),
    ]
    types = place.types()
    assert types.index("approval_used") == types.index("tool_call_attempt", 5) - 1
    assert place.verify().ok
    assert verify_log(place.root, keys_dir=place.keys).ok
    assert place.open().engine.memory.snapshot() == session.engine.memory.snapshot()


def test_a_refusal_is_recorded(place):
    session = start(place.open())
    call, question = asked(session)
    for why in ("denied", "timeout"):
        session.decide(
            Denied("ap-2", call_hash(call, session.memory), frozenset(question.rules), "cli", why)
        )
    session.close()
    assert [r["state"] for r in approvals(place)] == ["denied", "expired"]


def test_a_changed_approval_record_is_noticed(place):
    session = start(place.open())
    call, question = asked(session)
    session.decide(
        Denied("ap-2", call_hash(call, session.memory), frozenset(question.rules), "cli")
    )
    session.close()
    path = place.root / "approvals.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"denied"', b'"granted"'))
    report = verify_log(place.root, keys_dir=place.keys)
    assert [(p.kind, p.file, p.line) for p in report.findings] == [("edited", "approvals.jsonl", 1)]


# ── resuming ────────────────────────────────────────────────────────────────────────────────

CHILD = """
import sys
sys.path.insert(0, {src!r})
from pathlib import Path
from tripwire.config.presets import builtin_policy
from tripwire.io.session import open_session
from tripwire.model.event import *
root = Path({root!r})
session = open_session(builtin_policy(), root=root, name="s", client="test", keys_dir=root / "keys")
session.decide(SessionOpened("test", "/w", "/home/u"))
session.decide(UserSaid("go"))
{body}
"""


def child(place, body, **more):
    code = CHILD.format(src=str(SRC), root=str(place.root), body=body)
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more
    )


BUSY = """
print("ready", flush=True)
for n in range(100000):
    call = ToolCall(f"c{n}", "docs", "read", {"id": n})
    session.decide(call)
    session.decide(ToolResult(call.call_id, "docs", "read", call.args, f"page {n} " * 50))
    if n == 3:
        session.decide(ToolResult("s", "claude-code", "Read", {"file_path": "/w/.env"}, "A=1"))
        print("\\n".join(sorted(session.engine.memory.labels.as_set())), flush=True)
        print("done", flush=True)
"""


@pytest.mark.parametrize("wait", [0.0, 0.013, 0.029, 0.041, 0.057])
def test_killed_at_any_moment_it_resumes_with_the_same_labels(place, wait):
    process = child(place, BUSY)
    assert process.stdout.readline() == b"ready\n"
    held = []
    for line in process.stdout:
        if line == b"done\n":
            break
        held.append(line.decode().strip())
    time.sleep(wait)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close(), process.stderr.close()
    report = place.verify()
    assert report.code in (0, 3), report.text()
    session = place.open()
    labels = session.engine.memory.labels.as_set()
    assert {str(label) for label in labels} >= set(held)
    if "tool_call_unknown_outcome" not in place.types():
        assert {str(label) for label in labels} == set(held)
    assert "state_reset" not in place.types()
    assert session.engine.memory.receipts == session.journal.tips[1].seq
    session.close()
    assert place.verify().ok, place.verify().text()


def test_an_attempt_whose_process_died_has_an_unknown_outcome(place):
    process = child(
        place, 'session.decide(ToolCall("c", "docs", "read", {})); import os; os._exit(9)'
    )
    process.wait()
    process.stdout.close(), process.stderr.close()
    session = place.open()
    assert place.types()[-1] == "tool_call_unknown_outcome" or "labels_gained" in place.types()[-1]
    unknown = next(e for e in place.entries() if e["type"] == "tool_call_unknown_outcome")
    attempt = next(e for e in place.entries() if e["type"] == "tool_call_attempt")
    assert unknown["data"]["attempt_seq"] == attempt["seq"]
    # Its result may still come, late, and is recorded.
    session.decide(ToolResult("c", "docs", "read", {}, "late"))
    session.close()
    assert place.verify().ok, place.verify().text()


def test_an_attempt_of_a_live_process_stays_open(place):
    first = start(place.open())
    first.decide(ToolCall("c", "docs", "read", {}))
    place.open()
    assert "tool_call_unknown_outcome" not in place.types()
    assert place.verify().data()["open_attempts"] == 1


def test_an_attempt_of_a_session_closed_in_good_order_stays_open(place):
    first = start(place.open())
    first.decide(ToolCall("c", "docs", "read", {}))
    first.close()
    second = place.open()
    assert "tool_call_unknown_outcome" not in place.types()
    second.decide(ToolResult("c", "docs", "read", {}, "x"))
    outcome = place.entries()[-1] if place.types()[-1] == "tool_call" else None
    assert any(e["data"].get("attempt_seq") for e in place.entries())
    assert outcome is None or outcome["data"]["attempt_seq"]


def test_a_receipt_without_its_entry_is_adopted(place):
    """The writer died between the receipt and its entry: nothing is lost."""
    session = start(place.open())
    fetch(session, 1, {"content": [{"type": "text", "text": f"key {SECRET}"}]})
    live = session.engine.memory.snapshot()
    session.close()
    audit = session.path / "audit.jsonl"
    kept = []
    for line in audit.read_bytes().splitlines(keepends=True):
        if json.loads(line)["type"] == "tool_call":
            break
        kept.append(line)
    audit.write_bytes(b"".join(kept))
    _forget_heads(place, session, len(kept))
    again = place.open()
    assert again.engine.memory.snapshot() == live
    assert place.verify().ok, place.verify().text()


def _forget_heads(place, session, audit_lines):
    """head.json and heads.jsonl as they were when the audit had that many lines."""
    from tripwire.io.heads import Heads
    from tripwire.io.keys import KeyStore
    from tripwire.ledger.chain import Tip
    from tripwire.ledger.head import Head, head_bytes

    last = json.loads((session.path / "audit.jsonl").read_bytes().splitlines()[-1])
    tip = Tip(audit_lines, last["hash"])
    head = Head(session.name, tip, Tip(), Tip())
    (session.path / "head.json").write_bytes(head_bytes(head, session.journal.keys.head))
    (place.root / "heads.jsonl").unlink()
    heads = Heads(place.root, KeyStore(place.keys))
    heads.note("opened", session.name, Tip(), Tip())
    heads.close()
    path = session.path / "checkpoints.txt"
    notes = path.read_bytes().split(b"\n\ntripwire.local/")
    early = [n for n in notes if int(n.split(b"\n")[1]) <= audit_lines]
    path.write_bytes(b"\n\ntripwire.local/".join(early))


def test_a_torn_last_line_is_set_aside_recorded_and_never_trusted(place):
    session = start(place.open())
    session.close()
    with (session.path / "audit.jsonl").open("ab") as file:
        file.write(b'{"data":{"args_ha')
    assert place.verify().code == 3
    again = place.open()
    assert again.engine.memory.labels.as_set() == ALL_LABELS
    assert (session.path / "audit.jsonl.torn").read_bytes() == b'{"data":{"args_ha\n'
    assert "state_reset" in place.types()
    again.close()
    assert place.verify().ok, place.verify().text()


# ── STATE-3: an unverifiable journal ────────────────────────────────────────────────────────


def _cut(path):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))


TAMPERS = {
    "audit deleted": lambda p: (p / "audit.jsonl").unlink(),
    "receipts deleted": lambda p: (p / "receipts.jsonl").unlink(),
    "secrets deleted": lambda p: (p / "secrets.enc").unlink(),
    "audit emptied": lambda p: (p / "audit.jsonl").write_bytes(b""),
    "audit is {}": lambda p: (p / "audit.jsonl").write_bytes(b"{}\n"),
    "audit cut": lambda p: _cut(p / "audit.jsonl"),
    "receipts cut": lambda p: _cut(p / "receipts.jsonl"),
    "all files deleted": lambda p: [f.unlink() for f in p.iterdir()],
    "head edited": lambda p: (p / "head.json").write_bytes(
        (p / "head.json").read_bytes().replace(b'"seq":2', b'"seq":1')
    ),
    "head is {}": lambda p: (p / "head.json").write_bytes(b"{}"),
    "audit edited": lambda p: (p / "audit.jsonl").write_bytes(
        (p / "audit.jsonl").read_bytes().replace(b'"person":true', b'"person":false')
    ),
    "receipt edited": lambda p: (p / "receipts.jsonl").write_bytes(
        (p / "receipts.jsonl").read_bytes().replace(b"please", b"pleads")
    ),
    "a link instead": lambda p: (
        (p / "audit.jsonl").rename(p.parent / "elsewhere"),
        (p / "audit.jsonl").symlink_to(p.parent / "elsewhere"),
    ),
    "binary": lambda p: (p / "audit.jsonl").write_bytes(os.urandom(400)),
}


@pytest.mark.parametrize("tamper", TAMPERS.values(), ids=TAMPERS)
def test_an_unverifiable_journal_means_all_labels_and_a_new_chain(place, tamper):
    session = start(place.open())
    fetch(session)
    session.close()
    tamper(session.path)
    assert place.path().exists()
    try:
        assert not any(place.path().iterdir()) or not place.verify().ok
        again = place.open()
    except StateUnusable:
        return  # a link is refused outright: nothing passes either
    assert again.engine.memory.labels.as_set() == ALL_LABELS
    assert place.types()[0] == "state_reset"
    assert again.decide(UserSaid("go on")).decision_id
    again.close()
    report = place.verify()
    assert [p.kind for p in report.findings] == ["reset"], report.text()
    # The new chain itself holds: opening it once more changes nothing.
    third = place.open()
    assert third.engine.memory.labels.as_set() == ALL_LABELS
    assert place.types().count("state_reset") == 1


def test_a_deleted_session_directory_is_not_a_clean_session(place):
    session = start(place.open())
    session.close()
    for path in session.path.iterdir():
        path.unlink()
    session.path.rmdir()
    report = verify_log(place.root, keys_dir=place.keys)
    assert [(p.kind, p.file) for p in report.findings] == [("missing", "sessions/s")]
    assert place.open().engine.memory.labels.as_set() == ALL_LABELS


def test_an_older_copy_put_back_is_noticed(place):
    session = start(place.open())
    session.sync()
    copies = {p.name: p.read_bytes() for p in session.path.glob("*.json*")}
    fetch(session)
    session.close()
    for name, content in copies.items():
        (session.path / name).write_bytes(content)
    assert not place.verify().ok
    assert place.open().engine.memory.labels.as_set() == ALL_LABELS


def test_files_changed_under_a_live_session_never_make_it_lenient(place):
    session = start(place.open())
    fetch(session)
    held = session.engine.memory.labels.as_set()
    (session.path / "audit.jsonl").write_bytes(b"")
    session.decide(UserSaid("still there?"))
    assert session.engine.memory.labels.as_set() == ALL_LABELS >= held
    session.close()
    assert place.types()[0] == "state_reset"


def test_two_live_doors_agree_on_one_new_chain(place):
    first, second = start(place.open()), place.open()
    fetch(first)
    second.decide(UserSaid("a"))
    (first.path / "audit.jsonl").unlink()
    for session in (first, second, first, second):
        session.decide(UserSaid("b"))
        assert session.engine.memory.labels.as_set() == ALL_LABELS
    first.close(), second.close()
    assert place.types().count("state_reset") == 1
    assert [p.kind for p in place.verify().findings] == ["reset"]


# ── keys and places ─────────────────────────────────────────────────────────────────────────


def test_a_lost_key_means_all_labels(place):
    start(place.open()).close()
    (place.keys / "s.key").unlink()
    assert place.open().engine.memory.labels.as_set() == ALL_LABELS


def test_an_unreadable_key_is_named(place):
    start(place.open()).close()
    key = place.keys / "s.key"
    key.write_text("not hex\n")
    with pytest.raises(StateUnusable, match=r"s\.key: the key is damaged; .*"):
        place.open()
    key.chmod(0o644)
    with pytest.raises(StateUnusable, match="can be read by others; chmod 600"):
        place.open()
    key.unlink()
    key.mkdir()
    with pytest.raises(StateUnusable, match="cannot be read"):
        place.open()


@pytest.mark.parametrize("name", ["", "..", ".", "a/b", "../x", "a\0b", "-x", "é", "x" * 200])
def test_a_name_never_leaves_the_directory(place, name):
    with pytest.raises(UsageError):
        place.open(name)


def test_the_key_of_the_environment(place, monkeypatch):
    monkeypatch.setenv("TRIPWIRE_HMAC_KEY", "ab" * 16)
    start(place.open()).close()
    assert not (place.keys / "s.key").exists()
    assert place.verify().ok
    monkeypatch.setenv("TRIPWIRE_HMAC_KEY", "cd" * 16)
    assert not place.verify().ok
    for bad in ("abc", "ab" * 15, "zz" * 16):
        monkeypatch.setenv("TRIPWIRE_HMAC_KEY", bad)
        with pytest.raises(UsageError, match="TRIPWIRE_HMAC_KEY: not a key"):
            place.open("other")


def test_the_key_may_stand_beside(tmp_path):
    policy = policy_from_mapping({"keys_dir": "beside"})
    session = start(open_session(policy, root=tmp_path, name="s", client="test"))
    session.close()
    assert (session.path / "hmac.key").exists()


# ── a machine that fails ────────────────────────────────────────────────────────────────────


def test_a_full_disk_refuses_and_recovers(place):
    """RLIMIT_FSIZE stands for a full disk: a write is cut short, then fails."""
    body = """
import json, os, resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from tripwire.errors import EvidenceUnavailable
session.sync()
size = max(f.stat().st_size for f in session.path.iterdir())
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
out = []
before = session.engine.memory.snapshot()
for spare in (100, 1000, 2500, 0):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + spare, hard))
    big = ToolResult("c", "docs", "read", {}, "word " * 2000)
    try:
        session.decide(big)
        out.append("recorded")
    except EvidenceUnavailable as error:
        out.append("refused")
    out.append(session.engine.memory.snapshot() == before)
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
session.decide(big)
out.append(session.engine.memory.receipts)
session.close()
print(json.dumps(out))
"""
    process = child(place, body)
    out, err = process.communicate(timeout=60)
    assert json.loads(out) == ["refused", True] * 4 + [2], err.decode()
    assert place.verify().ok, place.verify().text()
    assert place.types().count("tool_call") == 1


def test_a_directory_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "sessions").write_text("a file where the directory should be")
    with pytest.raises(StateUnusable, match="sessions"):
        open_session(POLICY, root=tmp_path, name="s", client="test", keys_dir=tmp_path / "k")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_state_directory_is_named(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StateUnusable, match="Make it readable and writable"):
            open_session(POLICY, root=tmp_path, name="s", client="test", keys_dir=tmp_path / "k")
    finally:
        tmp_path.chmod(0o700)


def test_monitor_mode_goes_on_without_a_record_and_says_so(place, monkeypatch):
    session = start(place.open(policy=policy_from_mapping({"flow": {"mode": "monitor"}})))

    def full(_content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(session.journal.audit, "append", full, raising=False)
    verdict = session.decide(ToolCall("c", "docs", "read", {}))
    monkeypatch.undo()
    assert verdict.passes
    assert "not recorded" in verdict.findings[0].reason
    assert session.engine.memory.labels.as_set() == ALL_LABELS
    session.decide(UserSaid("again"))
    session.close()
    assert place.verify().ok


# ── many at once ────────────────────────────────────────────────────────────────────────────


def test_threads_share_one_session(place):
    session = start(place.open())

    def work(number):
        for n in range(10):
            fetch(session, f"{number}-{n}")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    session.close()
    assert place.types().count("tool_call") == 60
    assert place.verify().ok, place.verify().text()
    assert place.open().engine.memory.snapshot() == session.engine.memory.snapshot()


def test_processes_share_one_session_on_one_unforked_chain(place):
    place.open().close()
    body = """
import sys
print("ready", flush=True)
sys.stdin.readline()
for n in range(25):
    session.decide(UserSaid(f"{n}"))
    call = ToolCall(f"{id(session)}-{n}", "docs", "read", {"id": n})
    session.decide(call)
    session.decide(ToolResult(call.call_id, "docs", "read", call.args, "x" * n))
session.close()
"""
    workers = [child(place, body, stdin=subprocess.PIPE) for _ in range(2)]
    for worker in workers:
        assert worker.stdout.readline() == b"ready\n"
    for worker in workers:
        worker.stdin.write(b"\n")
        worker.stdin.close()
        worker.stdin = None
    for worker in workers:
        _, err = worker.communicate(timeout=60)
        assert worker.returncode == 0, err.decode()
    types = place.types()
    assert types.count("tool_call") == 50
    assert types.count("state_reset") == 0
    assert place.verify().ok, place.verify().text()
    assert place.open().engine.memory.receipts == 2 * 26 + 50


def test_two_gateways_on_one_state_directory(place):
    """Sessions of their own, shared heads and approvals: both verify."""
    first, second = start(place.open("one")), start(place.open("two"))
    for n in range(5):
        fetch(first, n), fetch(second, n)
    first.close(), second.close()
    report = verify_log(place.root, keys_dir=place.keys)
    assert report.ok, report.text()
    assert len(report.sessions) == 2


def test_a_dead_writer_does_not_hold_the_lock(place):
    session = start(place.open())
    with (session.path / "lock").open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
    assert session.decide(UserSaid("x")).decision_id


def test_group_commit_writes_the_head_soon(place):
    session = start(place.open())
    session.decide(UserSaid("unguarded"))
    tip = session.journal.tips[0].seq
    deadline = time.monotonic() + 10
    while json.loads((session.path / "head.json").read_bytes())["audit"]["seq"] < tip:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_listed_tools_come_back_on_replay(place):
    session = start(place.open())
    tools = ({"name": "send", "annotations": {"readOnlyHint": True}},)
    session.decide(ToolsListed("payments", tools))
    session.close()
    assert place.open().engine.memory.snapshot() == session.engine.memory.snapshot()


def test_labels_survive_a_policy_that_would_not_give_them(place):
    session = start(place.open())
    fetch(session)
    assert Label.UNTRUSTED in session.engine.memory.labels
    session.close()
    lenient = policy_from_mapping({"upstreams": [{"name": "x", "command": ["true"]}]})
    lenient = type(lenient)()  # no roles, no rows: nothing is labelled by it
    again = place.open(policy=lenient)
    assert Label.UNTRUSTED in again.engine.memory.labels
