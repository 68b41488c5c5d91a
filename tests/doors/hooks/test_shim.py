"""The shim alone: what it loads, and that nothing but a whole answer of a live daemon passes."""

import contextlib
import json
import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tripwire.doors.hooks import shim, unanswered
from tripwire.io.home import session_name, state_home

SHIM = Path(shim.__file__)
CALL = json.dumps(
    {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "cwd": "/",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_use_id": "t",
    }
).encode()
RESULT = CALL.replace(b"PreToolUse", b"PostToolUse")


def run_shim(home, event, *, client="claude-code", deadline=700, **env):
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TRIPWIRE_HOME": str(home / "state"),
        "TRIPWIRE_DEADLINE_MS": str(deadline),
        **env,
    }
    return subprocess.run(
        [sys.executable, "-I", "-S", SHIM, client],
        input=event,
        capture_output=True,
        env=environment,
        timeout=30,
        check=False,
    )


@pytest.fixture
def fake(tmp_path):
    """A daemon that answers whatever bytes a test wants; what it was asked lands in `.asked`."""
    run = tmp_path / "state" / "run"
    run.mkdir(parents=True, mode=0o700)
    listener = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(run)
    listener.bind("tripwire.sock")
    os.chdir(here)
    listener.listen()
    asked = []

    def answer(reply, *, drip=False):
        def serve():
            link, _ = listener.accept()
            with link:
                parts = []
                while part := link.recv(1 << 16):
                    parts.append(part)
                asked.append(b"".join(parts))
                if reply is None:
                    threading.Event().wait(2)
                    return
                with contextlib.suppress(OSError):
                    for part in map(bytes, zip(reply)) if drip else (reply,):
                        link.sendall(part)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        return thread

    answer.asked = asked
    answer.home = tmp_path
    yield answer
    listener.close()


def test_it_loads_only_os_and_socket():
    program = (
        f"import sys; sys.path.insert(0, {str(SHIM.parent)!r}); before = set(sys.modules); import os, _socket;"
        "known = set(sys.modules); import shim; print(sorted(set(sys.modules) - known - {'shim'}))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "env",
    [
        {"TRIPWIRE_HOME": "/x/../y"},
        {"TRIPWIRE_HOME": "~/t"},
        {"XDG_STATE_HOME": "/s"},
        {"XDG_STATE_HOME": "relative"},
        {},
    ],
)
def test_it_finds_the_state_where_everybody_finds_it(env, monkeypatch):
    for name in ("TRIPWIRE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert os.path.realpath(shim.state_home()) == os.path.realpath(state_home())


def test_a_whole_answer_is_passed_on(fake):
    thread = fake(b"0 3 4\noutmore")
    done = run_shim(fake.home, CALL, TRIPWIRE_SESSION="joint", CLAUDE_PROJECT_DIR="/p")
    thread.join(5)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"out", b"more")
    assert fake.asked == [
        b"\0".join([b"1", b"claude-code", os.fsencode(fake.home), b"joint", b"/p", CALL])
    ]


def test_an_answer_may_come_in_pieces_and_be_large(fake):
    body = b"x" * 300_000
    thread = fake(b"2 %d 0\n" % len(body) + body)
    event = CALL[:-1] + b', "more": "' + b"y" * 3_000_000 + b'"}'
    done = run_shim(fake.home, event, deadline=8000)
    thread.join(5)
    assert (done.returncode, done.stdout) == (2, body)
    assert fake.asked[0].endswith(event)
    thread = fake(b"0 2 0\nhi", drip=True)
    assert run_shim(fake.home, CALL).stdout == b"hi"


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"0",
        b"0 0 0",
        b"0 3 0\nou",
        b"0 3 0\noutt",
        b"1 0 0\n",
        b"3 0 0\n",
        b"0 0\n",
        b"-0 0 0\n",
        b"0 0 0 0\n",
        b"allow\n",
        b"\xff\n",
        None,
    ],
)
def test_anything_else_is_refused_and_a_result_leaves_a_marker(fake, reply):
    for event in (CALL, RESULT):
        fake(reply)
        done = run_shim(fake.home, event)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(b"Tripwire ")
        assert done.stderr.count(b"\n") == 1
    markers = list((fake.home / "state" / "unlearnt").iterdir())
    assert [m.name for m in markers] == [session_name("claude-code", "s")]


@pytest.mark.parametrize(
    ("event", "marker"),
    [
        (b"", False),
        (b"{", False),
        (b'{"hook_event_name": "PostToolUse", "session_id": "abc", "tool_resp', True),
        (b'{"session_id": "abc", "hook_event_name"', True),
        (b"\x00\xff" * 50, False),
        (b'{"hook_event_name": 3, "session_id": []}', False),
        (b'{"session_id": "abc", "x": "' + b"z" * (17 << 20) + b'"}', True),
    ],
    ids=["empty", "brace", "cut result", "cut", "binary", "types", "17 MB"],
)
def test_garbage_is_refused(fake, event, marker):
    fake(b"")
    done = run_shim(fake.home, event)
    assert (done.returncode, done.stdout) == (2, b"")
    assert (fake.home / "state" / "unlearnt").exists() is marker


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("SessionStart", 0),
        ("SessionEnd", 0),
        ("Notification", 0),
        ("PreToolUse", 2),
        ("PermissionRequest", 2),
        ("UserPromptSubmit", 2),
        ("Stop", 2),
        ("SomethingNew", 2),
    ],
)
def test_only_events_that_stop_nothing_go_on_without_an_answer(fake, name, code):
    fake(b"")
    assert run_shim(fake.home, CALL.replace(b"PreToolUse", name.encode())).returncode == code


def test_a_stop_that_was_held_up_already_is_let_go(fake):
    fake(b"")
    event = json.dumps({"hook_event_name": "Stop", "session_id": "s", "stop_hook_active": True})
    assert run_shim(fake.home, event.encode()).returncode == 0


def test_a_state_directory_open_to_others_is_not_trusted(fake):
    (fake.home / "state" / "run").chmod(0o755)
    fake(b"0 0 0\n")
    assert run_shim(fake.home, CALL).returncode == 2


def test_the_deadline_can_only_be_shortened(monkeypatch):
    for value, seconds in (("100", 0.1), ("999999", 8.0), ("-5", 8.0), ("x", 8.0), ("", 8.0)):
        monkeypatch.setenv("TRIPWIRE_DEADLINE_MS", value)
        assert shim.deadline() - shim.clock() == pytest.approx(seconds, abs=0.05)


def test_a_closed_stdout_is_a_refusal(fake):
    fake(b"0 3 0\nout")
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-I", "-S", SHIM, "claude-code"],
        input=CALL,
        stdout=write,
        stderr=subprocess.PIPE,
        env={"TRIPWIRE_HOME": str(fake.home / "state"), "TRIPWIRE_DEADLINE_MS": "700"},
        timeout=20,
        check=False,
    )
    os.close(write)
    assert done.returncode == 2


def test_a_state_root_that_cannot_be_made(tmp_path):
    (tmp_path / "state").write_text("a file")
    done = run_shim(tmp_path, CALL)
    assert done.returncode == 2
    done = run_shim(tmp_path, RESULT)
    assert done.returncode == 2
    assert b"left no marker" in done.stderr


def test_a_marker_is_private_and_named_without_the_id(tmp_path):
    assert unanswered.leave_marker(str(tmp_path), "c", "../../etc") == ""
    (marker,) = (tmp_path / "unlearnt").iterdir()
    assert len(marker.name) == 64
    assert stat.S_IMODE(marker.stat().st_mode) == 0o600
