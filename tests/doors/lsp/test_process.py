"""The process itself: its streams, its exit codes, and what it says without its library."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tripwire.cli.main import main

HERE = Path(__file__).parents[3]


def frame(value):
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def call(method, params=None, number=None):
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    return frame(message | ({"id": number} if number is not None else {}))


def run(root, *frames, code="", words=("lsp",)):
    command = [
        sys.executable,
        "-c",
        f"{code}\nimport sys\nfrom tripwire.cli.main import main\nsys.exit(main({list(words)!r}))",
    ]
    env = {"PATH": os.environ["PATH"], "HOME": str(root), "PYTHONPATH": str(HERE / "src")}
    return subprocess.run(
        command, input=b"".join(frames), capture_output=True, env=env, cwd=root, timeout=30, check=False
    )  # fmt: skip


def messages(raw):
    """The protocol's messages; fails on any byte between them."""
    found = []
    while raw:
        head, _, rest = raw.partition(b"\r\n\r\n")
        (length,) = [
            int(line[16:]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length: ")
        ]
        assert all(line.startswith(b"Content-") for line in head.split(b"\r\n"))
        found.append(json.loads(rest[:length]))
        raw = rest[length:]
    return found


def hello(root):
    params = {"processId": None, "rootUri": root.as_uri(), "capabilities": {}}
    return call("initialize", params, 1) + call("initialized", {})


SECRET = "sk-live-51Habcdefghijklmnopqrstuvwx"


def test_stdout_is_the_protocol_and_stderr_quotes_no_document(tmp_path):
    noise = f"""
import builtins, logging, tripwire.doors.lsp.shown as shown
logging.getLogger("pygls").setLevel(logging.DEBUG)
before = shown.lenses
def lenses(*a):
    print("noise on stdout")
    raise ValueError({SECRET!r})
shown.lenses = lenses
"""
    text = {"uri": (tmp_path / "a.py").as_uri(), "languageId": "x", "version": 1, "text": SECRET}
    (tmp_path / ".tripwires").mkdir()
    (tmp_path / ".tripwires" / "t.yml").write_text("triggers: [a.py]\ncontext: x\n")
    done = run(
        tmp_path,
        hello(tmp_path),
        call("textDocument/didOpen", {"textDocument": text}),
        frame(b"{nonsense " + SECRET.encode()),
        frame({"jsonrpc": "2.0", "id": 7, "method": "textDocument/hover", "params": SECRET}),
        call("textDocument/codeLens", {"textDocument": {"uri": text["uri"]}}, 2),
        call("nobody/knows", {"x": SECRET}, 3),
        call("textDocument/hover", {"textDocument": {"uri": text["uri"]}, "position": {"line": 0, "character": 0}}, 4),
        call("shutdown", None, 5),
        call("exit"),
        code=noise,
    )  # fmt: skip
    answers = {m["id"]: m for m in messages(done.stdout) if "method" not in m}
    assert answers[2]["error"]
    assert answers[3]["error"]["code"] == -32601
    assert "name=" in answers[4]["result"]["contents"]["value"]
    assert done.returncode == 0
    assert b"noise on stdout" in done.stderr
    assert SECRET.encode() not in done.stderr


@pytest.mark.slow
def test_exit_codes(tmp_path):
    assert run(tmp_path, hello(tmp_path), call("exit")).returncode == 1
    assert run(tmp_path, hello(tmp_path)).returncode == 0  # end of input


def test_without_its_library_it_says_what_to_install(tmp_path):
    gone = "import sys\nsys.modules['pygls'] = sys.modules['lsprotocol'] = None"
    done = run(tmp_path, code=gone)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b'pip install "tripwire[lsp]"' in done.stderr


def test_a_project_that_is_not_there(tmp_path, capsys):
    assert main(["lsp", "--project", str(tmp_path / "nowhere")]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "no such directory" in printed.err
