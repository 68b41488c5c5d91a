"""A machine of its own for a test, a way to run verbs, small MCP servers."""

import json
import sys

import pytest
from tests.cli.servers import SERVER

from tripwire.cli.main import main
from tripwire.io.acceptance import MARKS


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A home, a state directory and a project of its own; the project is the working directory."""
    home = tmp_path / "home"
    here = tmp_path / "project"
    home.mkdir()
    here.mkdir()
    for name, value in {
        "HOME": home,
        "XDG_CONFIG_HOME": home / ".config",
        "TRIPWIRE_HOME": home / "state",
    }.items():
        monkeypatch.setenv(name, str(value))
    for name in ("TRIPWIRE_HMAC_KEY", *MARKS):  # the tests may run below an agent's client
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(here)
    return here


@pytest.fixture
def server(tmp_path):
    """The words of a command that starts a server with these tools."""
    file = tmp_path / "server.py"
    file.write_text(SERVER)

    def server(*tools, mode="works"):
        return [sys.executable, str(file), mode, json.dumps(tools)]

    return server


@pytest.fixture
def run(capsys):
    """Run a command line: exit code, stdout, stderr."""

    def run(*words):
        code = main([str(word) for word in words])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


@pytest.fixture
def run_json(run):
    """Run with --json: exit code and the one object on stdout."""

    def run_json(*words):
        code, out, _ = run(*words, "--json")
        return code, json.loads(out)

    return run_json
