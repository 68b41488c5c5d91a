"""Every manipulation of gateway.md E-7, named by `verify-log` and by the stand-alone verifier.

Both must give the same findings and the same list of what was not checked, with the secret keys and
with the public key alone.
"""

import ast
import importlib.util
import json
import shutil
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from tripwire.act.approval import call_hash
from tripwire.config.presets import builtin_policy
from tripwire.io.keys import KeyStore
from tripwire.io.session import open_session
from tripwire.io.signing import Signer, SigningKey
from tripwire.io.verify import verify_log
from tripwire.ledger.checkpoint import Checkpoint
from tripwire.model.event import Approved, SessionOpened, ToolCall, ToolResult, UserSaid
from tripwire.model.policy import Anchor

TOOL = Path(__file__).parents[2] / "tools" / "verify_log.py"
NOTHING = "/nowhere/keys"


@pytest.fixture(scope="module")
def alone():
    spec = importlib.util.spec_from_file_location("verify_alone", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def talk(root, name="s", calls=4, anchor=None):
    anchors = (Anchor("file", str(anchor)),) if anchor else ()
    policy = replace(builtin_policy(), checkpoint_every=6, anchors=anchors)
    session = open_session(policy, root=root, name=name, client="t", keys_dir=root / "keys")
    session.decide(SessionOpened("t", "/w", "/home/u"))
    session.decide(UserSaid("list the files"))
    for number in range(calls):
        args = {"command": f"ls {number}"}
        call = ToolCall(
            f"c{number}-{session.journal.next_seq}", "claude-code", "Bash", args, cwd="/w"
        )
        session.decide(call)
        given = {"n": 0.5 + number, "text": "a.txt \u00e9"}
        session.decide(ToolResult(call.call_id, call.source, call.tool, args, given, cwd="/w"))
    if calls == 4:
        ask = ToolCall("q", "claude-code", "Bash", {"command": "curl https://o.example -d x"})
        hashed = call_hash(ask, session.memory)
        session.decide(
            Approved(
                f"ap-{session.journal.next_seq}", hashed, frozenset({"act/a"}), "ann", "library"
            )
        )
    session.close()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A state directory with two sessions, an anchor, and an older copy of it."""
    base = tmp_path_factory.mktemp("tamper")
    root, anchor = base / "state", base / "anchor.txt"
    talk(root, anchor=anchor)
    talk(root, "other", calls=1, anchor=anchor)
    shutil.copytree(root, base / "older")
    talk(root, anchor=anchor)
    return base


@pytest.fixture
def state(built, tmp_path):
    shutil.copytree(built, tmp_path / "x")
    return tmp_path / "x"


def lines(path):
    return path.read_bytes().splitlines(keepends=True)


def kinds(found):
    return {(each["kind"], each["file"]) for each in found}


def both(state, alone, anchors=(), *, keyed=True):
    """The report of both, which must agree."""
    root, keys = state / "state", state / "state" / "keys"
    pub = SigningKey(KeyStore(keys)).public().text
    given = keys if keyed else NOTHING
    ours = verify_log(root, keys_dir=given, public_key=pub, anchors=anchors).data()
    theirs = alone.check_log(root, pub, anchors, keys if keyed else None)
    place = lambda f: (f["file"], f["line"], f["kind"])  # noqa: E731
    assert sorted(map(place, ours["findings"])) == sorted(map(place, theirs["findings"]))
    assert ours["status"] == theirs["status"]
    assert ours["signatures"] == theirs["signatures"]
    assert ours["audit"] == theirs["audit"]
    return ours


def edit(path, number, old, new):
    held = lines(path)
    assert old in held[number], held[number]
    held[number] = held[number].replace(old, new, 1)
    path.write_bytes(b"".join(held))


def move(path, at, to):
    held = lines(path)
    held.insert(to, held.pop(at))
    path.write_bytes(b"".join(held))


def drop(path, at):
    held = lines(path)
    del held[at]
    path.write_bytes(b"".join(held))


def cut(path, by=1):
    path.write_bytes(b"".join(lines(path)[:-by]))


def rewrite(root, start=3):
    """The chain written anew from a line on, by somebody without the key."""
    path = root / "sessions" / "s" / "audit.jsonl"
    held, before = lines(path), None
    for at in range(start, len(held)):
        entry = json.loads(held[at])
        if before:
            entry["prev_hash"] = before
        entry["hash"] = before = f"{at:064x}"
        held[at] = json.dumps(entry, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    path.write_bytes(b"".join(held))


def another_signature(root):
    """A checkpoint signed by a key that nobody trusts."""
    path = root / "sessions" / "s" / "checkpoints.txt"
    note = Signer.of(b"f" * 32).note(Checkpoint("s", 3, b"0" * 32))
    path.write_bytes(path.read_bytes() + b"\n" + note)


def second_history(root):
    """Another root for a size that was signed before, with the right key."""
    path = root / "sessions" / "s" / "checkpoints.txt"
    size = int(path.read_text().strip().split("\n")[-4])
    signer = SigningKey(KeyStore(root / "keys")).signer()
    note = signer.note(Checkpoint("s", size, b"0" * 32))
    path.write_bytes(path.read_bytes() + b"\n" + note)


S = "sessions/s"
TAMPERED = {
    "audit edited": (lambda r: edit(r / S / "audit.jsonl", 3, b'"pass"', b'"hold"'), "edited", "audit.jsonl"),
    "type edited": (lambda r: edit(r / S / "audit.jsonl", 2, b'"seq":3', b'"seq":4'), "edited", "audit.jsonl"),
    "receipt edited": (lambda r: edit(r / S / "receipts.jsonl", 2, b"ls 1", b"rm 1"), "edited", "receipts.jsonl"),
    "spelling edited": (lambda r: edit(r / S / "receipts.jsonl", 1, b'"args":', b' "args":'), "edited", "receipts.jsonl"),
    "entries reordered": (lambda r: move(r / S / "audit.jsonl", 4, 2), "reordered", "audit.jsonl"),
    "entry removed": (lambda r: drop(r / S / "audit.jsonl", 4), "gap", "audit.jsonl"),
    "receipts reordered": (lambda r: move(r / S / "receipts.jsonl", 2, 1), "reordered", "receipts.jsonl"),
    "audit cut": (lambda r: cut(r / S / "audit.jsonl", 3), "truncated", "audit.jsonl"),
    "receipts cut": (lambda r: cut(r / S / "receipts.jsonl"), "truncated", "receipts.jsonl"),
    "sealed cut": (lambda r: cut(r / S / "secrets.enc"), "truncated", "secrets.enc"),
    "audit deleted": (lambda r: (r / S / "audit.jsonl").unlink(), "missing", "audit.jsonl"),
    "receipts deleted": (lambda r: (r / S / "receipts.jsonl").unlink(), "missing", "receipts.jsonl"),
    "head deleted": (lambda r: (r / S / "head.json").unlink(), "missing", "head.json"),
    "checkpoints deleted": (lambda r: (r / S / "checkpoints.txt").unlink(), "missing", "checkpoints.txt"),
    "checkpoints cut": (lambda r: cut(r / S / "checkpoints.txt", 6), "truncated", "checkpoints.txt"),
    "checkpoint edited": (lambda r: edit(r / S / "checkpoints.txt", 1, b"0", b"1"), "bad_signature", "checkpoints.txt"),
    "checkpoint forged": (another_signature, "bad_signature", "checkpoints.txt"),
    "two histories signed": (second_history, "fork", "checkpoints.txt"),
    "session deleted": (lambda r: shutil.rmtree(r / S), "missing", "sessions/s"),
    "heads cut": (lambda r: cut(r / "heads.jsonl"), "truncated", "heads.jsonl"),
    "heads deleted": (lambda r: (r / "heads.jsonl").unlink(), "missing", "heads.jsonl"),
    "heads edited": (lambda r: edit(r / "heads.jsonl", 2, b'"head"', b'"hexd"') if b'"head"' in lines(r / "heads.jsonl")[2] else edit(r / "heads.jsonl", 2, b'"type":"', b'"type":"x'), "edited", "heads.jsonl"),
    "approvals cut": (lambda r: cut(r / "approvals.jsonl"), "truncated", "approvals.jsonl"),
    "approvals deleted": (lambda r: (r / "approvals.jsonl").unlink(), "missing", "approvals.jsonl"),
    "approval edited": (lambda r: edit(r / "approvals.jsonl", 0, b'"ann"', b'"bob"'), "edited", "approvals.jsonl"),
    "chain rewritten": (rewrite, "bad_mac", "audit.jsonl"),
}  # fmt: skip
ONLY_KEYED = {"head edited", "heads edited"}
PUBLIC = {  # without a secret some are found by another sign
    "chain rewritten": "fork",
    "heads cut": None,
    "approval edited": None,
    "entry removed": "gap",
    "heads edited": None,
}


def test_untouched(state, alone):
    report = both(state, alone)
    assert report["status"] == "ok", report
    assert report["signatures"] >= 6
    assert both(state, alone, [state / "anchor.txt"])["status"] == "ok"
    public = both(state, alone, keyed=False)
    assert public["status"] == "incomplete"
    assert not public["findings"]


@pytest.mark.parametrize("what", TAMPERED)
def test_named_with_the_keys(state, alone, what):
    work, kind, file = TAMPERED[what]
    work(state / "state")
    report = both(state, alone)
    assert (kind, file) in kinds(report["findings"]), report["findings"]


@pytest.mark.parametrize("what", TAMPERED)
def test_named_with_the_public_key_alone(state, alone, what):
    work, kind, file = TAMPERED[what]
    work(state / "state")
    report = both(state, alone, keyed=False)
    kind = PUBLIC.get(what, kind)
    if kind is not None:
        assert (kind, file) in kinds(report["findings"]), report["findings"]
    assert report["status"] != "ok"


@pytest.mark.parametrize("keyed", [True, False])
def test_rolled_back(state, alone, keyed):
    """Everything put back to an older copy: only the anchor knows."""
    shutil.rmtree(state / "state")
    shutil.copytree(state / "older", state / "state")
    assert not both(state, alone, keyed=keyed)["findings"]
    report = both(state, alone, [state / "anchor.txt"], keyed=keyed)
    assert kinds(report["findings"]) == {("rollback", "audit.jsonl")}


def test_one_session_rolled_back(state, alone):
    shutil.rmtree(state / "state" / S)
    shutil.copytree(state / "older" / S, state / "state" / S)
    assert ("truncated", "audit.jsonl") in kinds(both(state, alone)["findings"])


def test_all_deleted(state, alone):
    for path in (state / "state" / "sessions").iterdir():
        shutil.rmtree(path)
    (state / "state" / "heads.jsonl").unlink()
    found = kinds(both(state, alone, [state / "anchor.txt"])["findings"])
    assert {("missing", "sessions/s"), ("missing", "sessions/other")} <= found


def test_forked_by_who_has_the_keys(state, alone):
    """Another history with the right keys, on a copy: the anchor saw the first one."""
    shutil.rmtree(state / "state")
    shutil.copytree(state / "older", state / "state")
    talk(state / "state", calls=5)
    found = kinds(both(state, alone, [state / "anchor.txt"])["findings"])
    assert "fork" in {kind for kind, _ in found}


def test_a_new_signing_key_is_trusted_through_the_old_one(state, alone):
    key = SigningKey(KeyStore(state / "state" / "keys"))
    old, new = key.rotate()
    talk(state / "state", calls=1)
    for pub in (old.text, new.text):
        report = verify_log(state / "state", keys_dir=state / "state" / "keys", public_key=pub)
        assert report.ok, report.text()
        assert alone.check_log(state / "state", pub, (), state / "state" / "keys")["ok"]
    other = Signer.of(b"o" * 32).public.text
    report = verify_log(state / "state", keys_dir=state / "state" / "keys", public_key=other)
    assert {p.kind for p in report.findings} == {"bad_signature"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "junk", [b"", b"\n\n", b"{}\n", b"null\n", b"\xff\xfe\n", b"[1]\n", b'{"seq":1}\n']
)
@pytest.mark.parametrize(
    "file",
    [
        *(f"{S}/{n}" for n in ("audit.jsonl", "receipts.jsonl", "head.json", "checkpoints.txt")),
        "heads.jsonl",
    ],
)
def test_junk_never_crashes_and_never_passes(state, alone, file, junk):
    (state / "state" / file).write_bytes(junk)
    report = both(state, alone)
    assert report["status"] == "tampered"


def test_it_runs_on_its_own(state):
    done = subprocess.run(
        [sys.executable, "-I", "-S", TOOL, state / "state", "--keys-dir", state / "state" / "keys"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "OK" in done.stdout
    assert "anchors" in done.stdout
    ast.parse(TOOL.read_text(), feature_version=(3, 9))
    imported = {
        line.split()[1]
        for line in TOOL.read_text().splitlines()
        if line.startswith(("import ", "from "))
    }
    assert imported <= {*sys.stdlib_module_names}


def test_a_session_that_goes_on_meanwhile_is_never_called_tampered(tmp_path, alone):
    root = tmp_path / "state"
    talk(root, calls=1)
    working = threading.Thread(target=talk, args=(root,), kwargs={"calls": 60})
    working.start()
    looks = 0
    while working.is_alive():
        report = verify_log(root, keys_dir=root / "keys")
        assert not report.findings, report.text()
        assert not alone.check_log(root, "", (), root / "keys")["findings"]
        looks += 1
    working.join()
    assert looks
