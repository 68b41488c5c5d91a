"""Anchors: a file, a repository, a socket, an address; a required one that fails stops writing."""

import http.server
import socket
import subprocess
import threading
import time
from dataclasses import replace

import pytest
from tests.io.test_answers import opened
from tests.io.test_session import Place, fetch

from tripwire.config.presets import builtin_policy
from tripwire.errors import EvidenceUnavailable
from tripwire.io.anchors import FILE, Anchors
from tripwire.io.signing import Signer
from tripwire.io.verify import verify_log
from tripwire.ledger.checkpoint import Checkpoint, notes_of
from tripwire.model.event import SessionOpened, ToolCall
from tripwire.model.policy import Anchor

NOTE = Signer.of(bytes(32)).note(Checkpoint("s", 3, bytes(32)))


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setattr("tripwire.io.anchors.RETRY", 0.05)


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path / "state")
    yield made
    for session in made.opened:
        session.close()


def told(anchor, *notes):
    anchors = Anchors([anchor])
    for note in notes:
        anchors.post(note)
    end = time.monotonic() + 20
    while anchors._workers[0]._waiting and not anchors.broken() and time.monotonic() < end:
        time.sleep(0.01)
    broken = anchors.broken() or dict(anchors.faults())
    anchors.close()
    return broken


def test_a_file_gets_every_note(tmp_path):
    assert not told(Anchor("file", str(tmp_path / "a.txt")), NOTE, NOTE)
    notes, strange = notes_of((tmp_path / "a.txt").read_bytes())
    assert len(notes) == 2
    assert not strange


def test_a_repository_gets_a_commit_and_runs_nothing_of_its_own(tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    hook = tmp_path / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ran\nexit 1\n")
    hook.chmod(0o755)
    assert not told(Anchor("git", str(tmp_path)), NOTE)
    log = subprocess.run(
        ["git", "-C", tmp_path, "log", "--format=%s"], check=True, capture_output=True, text=True
    )
    assert log.stdout.strip() == "tripwire.local/sessions/s 3"
    assert len(notes_of((tmp_path / FILE).read_bytes())[0]) == 1
    assert not (tmp_path / "ran").exists()


def test_a_syslog_gets_one_line():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(10)
        assert not told(Anchor("syslog", f"127.0.0.1:{server.getsockname()[1]}"), NOTE)
        line = server.recv(4096).decode()
    assert line.startswith("<109>")
    assert "tripwire.local/sessions/s 3" in line


@pytest.mark.parametrize("status", [200, 302, 500])
def test_an_address_gets_the_note(status):
    got = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            got.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(status)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/log"
    broken = told(Anchor("http", address, required=True), NOTE)
    server.shutdown()
    server.server_close()
    assert set(got) == {NOTE}
    assert bool(broken) is (status != 200)


def test_a_required_anchor_that_fails_stops_what_writes_and_nothing_else(place, tmp_path):
    gone = Anchor("file", str(tmp_path / "gone" / "a.txt"), required=True)
    policy = replace(builtin_policy(), anchors=(gone,))
    session = place.open("s", policy, attended=False)
    session.decide(SessionOpened("test", "/w", "/home/u"))
    end = time.monotonic() + 20
    while not session._progress.anchors.broken() and time.monotonic() < end:
        time.sleep(0.01)
    write = ToolCall("w", "claude-code", "Write", {"file_path": "/w/a.txt", "content": "x"})
    with pytest.raises(EvidenceUnavailable, match="anchor"):
        session.decide(write)
    assert session.decide(ToolCall("r", "claude-code", "Read", {"file_path": "/w/a.txt"})).passes
    (tmp_path / "gone").mkdir()
    while session._progress.anchors.broken() and time.monotonic() < end:
        time.sleep(0.01)
    assert session.decide(write).passes


def test_deleted_and_rolled_back_state_shows_in_the_anchor(place, tmp_path):
    anchor = tmp_path / "anchor.txt"
    policy = replace(builtin_policy(), anchors=(Anchor("file", str(anchor)),))
    session = opened(place, policy=policy)
    session.close()
    early = {p: p.read_bytes() for p in place.root.rglob("*") if p.is_file()}
    again = place.open("s", policy)
    fetch(again, 5)
    again.close()
    assert verify_log(place.root, keys_dir=place.keys, anchors=[anchor]).ok
    for path, content in early.items():
        path.write_bytes(content)
    assert verify_log(place.root, keys_dir=place.keys).ok, "without the anchor nobody can tell"
    report = verify_log(place.root, keys_dir=place.keys, anchors=[anchor])
    assert {p.kind for p in report.findings} == {"rollback"}
    assert report.anchors == 1
    for path in place.path().iterdir():
        path.unlink()
    place.path().rmdir()
    (place.root / "heads.jsonl").unlink()
    report = verify_log(place.root, keys_dir=place.keys, anchors=[anchor])
    assert ("missing", "sessions/s") in {(p.kind, p.file) for p in report.findings}
