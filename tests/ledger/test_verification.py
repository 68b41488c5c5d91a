"""Each row of the table of tampers is found and named, with file and line (gateway.md E-7, E-8)."""

import json

import pytest

from tripwire.io.keys import KeyStore
from tripwire.io.session import open_session
from tripwire.ledger.chain import BEGINNING, link
from tripwire.ledger.keys import SessionKeys
from tripwire.ledger.verification import Evidence, check_session
from tripwire.model.event import SessionOpened, ToolCall, ToolResult, UserSaid
from tripwire.model.policy import Policy

NAMES = ("audit", "receipts", "secrets", "head")
FILES = ("audit.jsonl", "receipts.jsonl", "secrets.enc", "head.json")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    root = tmp_path_factory.mktemp("recorded")
    session = open_session(Policy(), root=root, name="s", client="test", keys_dir=root / "keys")
    session.decide(SessionOpened("test"))
    session.decide(UserSaid("hello"))
    for n in range(4):
        call = ToolCall(f"c{n}", "docs", "read", {"id": n})
        session.decide(call)
        session.decide(ToolResult(call.call_id, "docs", "read", call.args, f"page {n}"))
    session.close()
    keys = SessionKeys.derive(KeyStore(root / "keys").session(session.path))
    return {n: (session.path / f).read_bytes() for n, f in zip(NAMES, FILES, strict=True)}, keys


@pytest.fixture
def files(recorded):
    return dict(recorded[0])


def found(files, keys, session="s"):
    return check_session(Evidence(session, **files), keys)


def kinds(outcome):
    return [(p.kind, p.file, p.line) for p in outcome.problems]


def lines(files, name):
    return files[name].splitlines(keepends=True)


def test_nothing_was_changed(recorded, files):
    outcome = found(files, recorded[1])
    assert kinds(outcome) == []
    assert outcome.not_checked == []
    assert outcome.open_attempts == 0
    assert len(outcome.receipts) == 5


def test_an_edited_entry(recorded, files):
    files["audit"] = files["audit"].replace(b'"person":true', b'"person":null')
    assert kinds(found(files, recorded[1])) == [("edited", "audit.jsonl", 2)]


def test_an_edited_receipt(recorded, files):
    files["receipts"] = files["receipts"].replace(b"page 2", b"page 9")
    assert kinds(found(files, recorded[1])) == [("edited", "receipts.jsonl", 4)]


def test_a_number_written_another_way(recorded, files):
    files["receipts"] = files["receipts"].replace(b'{"id":2}', b'{"id":2.0}', 1)
    assert kinds(found(files, recorded[1])) == [("edited", "receipts.jsonl", 4)]


@pytest.mark.parametrize(("name", "file"), [("audit", FILES[0]), ("receipts", FILES[1])])
def test_swapped_lines(recorded, files, name, file):
    changed = lines(files, name)
    changed[2], changed[3] = changed[3], changed[2]
    files[name] = b"".join(changed)
    outcome = found(files, recorded[1])
    assert {p.kind for p in outcome.problems} <= {"reordered", "gap"}
    assert ("reordered", file, 3) in kinds(outcome) or ("reordered", file, 4) in kinds(outcome)


@pytest.mark.parametrize("name", ["audit", "receipts"])
def test_a_line_taken_out(recorded, files, name):
    changed = lines(files, name)
    del changed[2]
    files[name] = b"".join(changed)
    outcome = found(files, recorded[1])
    assert any((p.kind, p.line) == ("gap", 3) for p in outcome.problems), kinds(outcome)


@pytest.mark.parametrize(("name", "file"), [("audit", FILES[0]), ("receipts", FILES[1])])
@pytest.mark.parametrize("kept", [0, 1, 4])
def test_a_cut_tail(recorded, files, name, file, kept):
    files[name] = b"".join(lines(files, name)[:kept])
    outcome = found(files, recorded[1])
    assert ("truncated", file, kept + 1) in kinds(outcome)


@pytest.mark.parametrize("name", ["audit", "receipts", "head"])
def test_a_deleted_file(recorded, files, name):
    files[name] = None
    outcome = found(files, recorded[1])
    assert ("missing", dict(zip(NAMES, FILES, strict=True))[name], 0) in kinds(outcome)


@pytest.mark.parametrize("content", [None, b""])
def test_deleted_secrets(recorded, files, content):
    files["secrets"] = content
    assert ("truncated", "secrets.enc", 0) in kinds(found(files, recorded[1]))


def test_a_rewritten_chain(recorded, files):
    tip, text = BEGINNING, b""
    for line in lines(files, "audit"):
        entry = json.loads(line)
        made, tip = link(tip, entry["ts"], entry["type"], entry["data"], b"not the key" * 3)
        text += made
    files["audit"] = text
    outcome = found(files, recorded[1])
    assert ("bad_mac", "audit.jsonl", 1) in kinds(outcome)


def test_another_line_than_the_head_knows(recorded, files):
    """Two histories of one length, both written with the key."""
    tip, text = BEGINNING, b""
    for line in lines(files, "audit"):
        entry = json.loads(line)
        made, tip = link(
            tip, "2026-01-01T00:00:00.000Z", entry["type"], entry["data"], recorded[1].audit
        )
        text += made
    files["audit"] = text
    assert ("fork", "audit.jsonl", tip.seq) in kinds(found(files, recorded[1]))


def test_another_session_under_this_name(recorded, files):
    outcome = found(files, recorded[1], session="other")
    assert {p.file for p in outcome.problems} >= {"audit.jsonl", "receipts.jsonl", "head.json"}


def test_an_edited_head(recorded, files):
    files["head"] = files["head"].replace(b'"v":1', b'"v":2')
    assert kinds(found(files, recorded[1])) == [("edited", "head.json", 1)]


def test_an_unfinished_last_line_is_not_ok_and_not_a_crime(recorded, files):
    files["audit"] += b'{"data":'
    outcome = found(files, recorded[1])
    assert kinds(outcome) == []
    assert "unfinished" in outcome.not_checked[0]


def test_two_outcomes_of_one_attempt(recorded, files):
    last = [json.loads(line) for line in lines(files, "audit")]
    outcome = next(e for e in last if e["type"] == "tool_call")
    for kind, bad in (("tool_call_failed", True), ("tool_call_unknown_outcome", True)):
        data = {"attempt_seq": outcome["data"]["attempt_seq"]}
        from tripwire.ledger.chain import Tip

        line, _ = link(Tip(last[-1]["seq"], last[-1]["hash"]), "t", kind, data, recorded[1].audit)
        changed = {**files, "audit": files["audit"] + line}
        detail = [p.detail for p in found(changed, recorded[1]).problems]
        assert any("second outcome" in d for d in detail) is bad


def test_without_the_key_it_is_never_ok(files):
    outcome = found(files, None)
    assert kinds(outcome) == []
    assert len(outcome.not_checked) == 3
    files["audit"] = b"".join(lines(files, "audit")[1:])
    assert found(files, None).problems


@pytest.mark.parametrize(
    "junk", [b"\n\n\n", b"{}\n{}\n", b"\xff\xfe\n", b"null\n", b"[" * 9999 + b"\n"]
)
@pytest.mark.parametrize("name", NAMES)
def test_junk_never_crashes_and_never_passes(recorded, files, name, junk):
    files[name] = junk
    assert found(files, recorded[1]).problems
