"""`tripwire check --accept`: a person accepts what a project's policy loosens; nobody else does."""

import io
import os
import stat
import sys

import pytest
from tests.cli.servers import PAY

from tripwire.config import trust
from tripwire.config.load import load_policy
from tripwire.io import live

pytestmark = pytest.mark.usefixtures("machine")
LOOSE = "flow: {mode: monitor, trusted_urls: [a.example]}\n"


@pytest.fixture
def project(machine):
    (machine / "tripwire.yaml").write_text(LOOSE)
    return machine


@pytest.fixture
def typed(monkeypatch):
    """A person at a terminal who types these lines."""

    def typed(*lines):
        answers = io.StringIO("".join(f"{line}\n" for line in lines))
        answers.isatty = lambda: True
        monkeypatch.setattr(sys, "stdin", answers)
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        monkeypatch.setenv("NO_COLOR", "1")

    return typed


def mode(project):
    return load_policy(None, project=project).flow.mode


def accepted():
    folder = trust.folder(os.environ)
    return sorted(folder.iterdir()) if folder.exists() else []


def test_a_person_sees_the_difference_and_says_yes(run, project, typed):
    typed("y")
    code, out, err = run("check", "--accept")
    assert code == 0
    assert "  flow.mode" in out
    assert "- enforce" in out
    assert "+ monitor" in out
    assert "+ a.example" in out
    assert "Accept this? (y/N)" in err
    assert mode(project) == "monitor"
    (file,) = accepted()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    code, out, _ = run("check", "--accept")
    assert (code, "nothing to accept" in out) == (0, True)


@pytest.mark.parametrize("lines", [("n",), ("",), ()])
def test_anything_but_yes_accepts_nothing(run, project, typed, lines):
    typed(*lines)
    code, _, err = run("check", "--accept")
    assert code == 1
    assert "not accepted" in err
    assert accepted() == []


def test_without_a_terminal_only_yes_accepts(run, run_json, project):
    code, _, err = run("check", "--accept")
    assert code == 2
    assert "--yes" in err
    assert accepted() == []
    code, done = run_json("check", "--accept", "--yes")
    assert code == 0
    assert done["accepted"] == accepted()[0].name
    assert "  + monitor" in done["looser"]


@pytest.mark.parametrize("mark", ["CLAUDECODE", "CURSOR_AGENT", "GEMINI_CLI", "CODEX_SANDBOX"])
def test_an_agents_shell_accepts_nothing(run, project, typed, monkeypatch, mark):
    typed("y")
    monkeypatch.setenv(mark, "1")
    code, _, err = run("check", "--accept", "--yes")
    assert code == 2
    assert "only a person can accept a policy" in err
    assert accepted() == []


def test_below_a_client_with_a_live_session_nothing_is_accepted(run, project):
    above = live.ancestry(os.getpid())[0]
    state = project.parent / "home" / "state"
    live.register(state, name="s", path=state / "sessions" / "s", client=above, project="")
    code, _, err = run("check", "--accept", "--yes")
    assert code == 2
    assert "below a client with a live session" in err
    assert accepted() == []


def test_yes_alone_is_no_command(run, project):
    code, _, err = run("check", "--yes")
    assert code == 2
    assert "--yes goes with --accept" in err


def test_check_says_what_waits_and_starts_nothing_of_it(run, machine, server):
    import json

    upstream = {"name": "pay", "command": server(*PAY)}
    (machine / "tripwire.yaml").write_text(json.dumps({"upstreams": [upstream]}))
    code, out, _ = run("check")
    assert code == 1
    assert "✘ config: this project's tripwire.yaml loosens the policy (upstreams)" in out
    assert "upstream pay" not in out


def test_the_gateway_starts_no_server_of_an_unaccepted_policy(run, machine, server):
    import json

    upstream = {"name": "pay", "command": server(*PAY)}
    (machine / "tripwire.yaml").write_text(json.dumps({"upstreams": [upstream]}))
    code, out, err = run("run")
    assert (code, out) == (2, "")
    assert "no upstreams count until the policy is accepted" in err
    assert "tripwire check --accept" in err


def test_a_repositorys_own_file_waits_also_when_it_is_named(run, project):
    code, _, _ = run("check", "-c", "tripwire.yaml")
    assert code == 0
    (project / ".git").mkdir()
    code, out, _ = run("check", "-c", "tripwire.yaml")
    assert code == 1
    assert "is ignored until a person has run" in out
    (project / "tripwire.yaml").rename(project / "other.yaml")
    assert run("check", "-c", "other.yaml")[0] == 0


def test_what_init_writes_is_accepted(run, machine, server, monkeypatch):
    words = " ".join(server(*PAY)[:2])
    code, _, _ = run("init", "--server", f"pay={words}", "--import", str(_servers(machine)))
    assert code == 0
    monkeypatch.setenv("MY_TOKEN", "x")
    policy = load_policy(None, project=machine)
    assert (policy.unaccepted, len(policy.upstreams)) == ("", 2)


def _servers(machine):
    file = machine / "mcp.json"
    entry = '{"command": "true", "env": {"MY_TOKEN": "t"}}'
    file.write_text(f'{{"mcpServers": {{"mail": {entry}}}}}')
    return file


def test_what_init_writes_in_an_agents_shell_waits_for_a_person(run, machine, monkeypatch):
    monkeypatch.setenv("CLAUDECODE", "1")
    code, out, _ = run("init", "--server", "pay=true")
    assert code == 0
    assert "next: tripwire check --accept, in a terminal of your own" in out
    assert accepted() == []


def test_a_state_inside_the_project_is_refused(run, project, monkeypatch):
    monkeypatch.setenv("TRIPWIRE_HOME", str(project / ".state"))
    code, _, err = run("check", "--accept", "--yes")
    assert code == 2
    assert "lies in the project" in err
    assert not (project / ".state").exists()
