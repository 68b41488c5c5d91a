"""`tripwire doctor`: proved by running; OFF by each thing that keeps text from the agent (§9)."""

import json
import sys

import pytest

from tripwire.cli import doctor_hooks
from tripwire.cli.doctor_own import own_hook, own_server
from tripwire.cli.install import command
from tripwire.doors.hooks import served, settings
from tripwire.doors.hooks.hook_files import FILES
from tripwire.io import daemon as resident

RULE = 'triggers: ["src/**"]\ncontext: "x"\ncreated_by: human\n'
OWN = (sys.executable, "-m", "tripwire", "serve")
SERVER = """\
import json, pathlib, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    kind = asked["method"]
    if kind == "initialize":
        answer = {"serverInfo": {"name": "fake", "version": "1"}, "capabilities": {"tools": {}}}
    elif kind == "tools/list":
        answer = {"tools": [{"name": "read_file"}]}
    else:
        text = pathlib.Path(".tripwires/canary.yml").read_text() if "TOLD" in sys.argv else "no"
        answer = {"content": [{"type": "text", "text": text}]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    """One daemon for all of these tests: each hook would start its own."""
    place = tmp_path_factory.mktemp("doctor") / "state"
    yield place
    resident.end(place)


@pytest.fixture
def project(machine, state, monkeypatch):
    """Claude Code with our hooks, as `install` writes them."""
    monkeypatch.setenv("TRIPWIRE_HOME", str(state))
    (machine / ".tripwires").mkdir()
    (machine / ".tripwires" / "a.yml").write_text(RULE)
    install(machine, "claude-code")
    return machine


def install(root, client, **changes):
    file = root / FILES[client].project
    file.parent.mkdir(parents=True, exist_ok=True)
    data = json.loads(settings.installed("", command(client), FILES[client]))
    file.write_text(json.dumps({**data, **changes}))
    return file


def with_server(root, words, key="tripwire", **more):
    entry = {"command": words[0], "args": list(words[1:]), **more}
    (root / ".mcp.json").write_text(json.dumps({"mcpServers": {key: entry}}))


def states(found, client="claude-code"):
    return {c["id"]: c["status"] for c in found["checks"] if c["client"] == client}


def test_installed_hooks_are_proved(project, run, run_json, state):
    code, found = run_json("doctor", "--strict")
    assert (code, found["verdict"]) == (0, "ON")
    assert states(found) == {
        "hooks": "pass",
        "hook-pipe": "pass",
        "hook-socket": "pass",
        "server": "skip",
    }
    code, out, _ = run("doctor")
    assert code == 0
    assert out.endswith("mode: inject\nENFORCEMENT: ON\n")
    assert "claude-code does not show us: MCP resources" in out
    audits = [file.read_text() for file in state.glob("sessions/*/audit.jsonl")]
    fired = [line for text in audits for line in text.splitlines() if '"read.fired"' in line]
    assert fired
    assert all('"probe":true' in line for line in fired)


def off(run_json, *words):
    code, found = run_json("doctor", *words)
    assert (code, found["verdict"]) == (1, "OFF")
    failed = [c for c in found["checks"] if c["status"] == "fail"]
    assert all(c["fix"] for c in failed)
    return {c["id"] for c in failed}


def test_a_missing_hook_turns_it_off(project, run_json):
    file = project / FILES["claude-code"].project
    data = json.loads(file.read_text())
    del data["hooks"]["PreToolUse"]
    file.write_text(json.dumps(data))
    assert off(run_json) == {"hooks"}
    file.write_text("{}")
    assert off(run_json) == {"hooks"}
    file.write_text("{")
    assert off(run_json) == {"hooks"}


def test_disabled_hooks_turn_it_off(project, run_json):
    install(project, "claude-code", disableAllHooks=True)
    assert off(run_json) == {"switches"}


@pytest.mark.slow
def test_a_managed_file_can_switch_hooks_off(project, run_json, tmp_path, monkeypatch):
    managed = tmp_path / "managed.json"
    monkeypatch.setattr(doctor_hooks, "MANAGED", (managed,))
    managed.write_text('{"allowManagedHooksOnly": true}')
    assert off(run_json) == {"switches"}
    managed.write_text("{")
    assert off(run_json) == {"switches"}


@pytest.mark.slow
def test_a_matcher_without_the_shell_turns_it_off(project, run_json):
    file = project / FILES["claude-code"].project
    file.write_text(file.read_text().replace('"matcher": "*"', '"matcher": "Read|Edit|Write"'))
    assert off(run_json) == {"matcher"}


def test_broken_rules_turn_it_off(project, run_json):
    (project / ".tripwires" / "b.yml").write_text("{{")
    assert off(run_json) == {"rules"}


def test_a_wrong_server_key_turns_it_off(project, run_json):
    with_server(project, ("tripwire", "serve"), key="Tripwire")
    assert off(run_json) == {"server"}


@pytest.mark.slow
def test_a_dead_command_turns_it_off(project, run_json):
    with_server(project, (str(project / "gone" / "tripwire"), "serve"))
    assert off(run_json) == {"server"}
    assert off(run_json, "--unsafe-run-others") == {"server"}
    file = project / FILES["claude-code"].project
    file.write_text(file.read_text().replace(sys.executable, "/gone/python"))
    assert off(run_json) == {"hook", "server"}
    assert off(run_json, "--unsafe-run-others") == {"hook-pipe", "hook-socket", "server"}


@pytest.mark.slow
def test_strict_needs_the_server(project, run_json):
    (project / ".tripwirerc.yml").write_text("enforcement_mode: strict\n")
    assert off(run_json) == {"server"}


@pytest.mark.slow
def test_advisory_and_a_second_client_are_partial(project, run_json):
    (project / ".cursor").mkdir()
    assert run_json("doctor")[0] == 0
    code, found = run_json("doctor", "--strict")
    assert (code, found["verdict"]) == (1, "PARTIAL")
    (project / ".cursor").rmdir()
    (project / ".tripwirerc.yml").write_text("enforcement_mode: advisory\n")
    assert run_json("doctor")[1]["verdict"] == "PARTIAL"


def test_nothing_set_up_is_off(machine, run, state, monkeypatch):
    monkeypatch.setenv("TRIPWIRE_HOME", str(state))
    (machine / ".tripwires").mkdir()
    (machine / ".tripwires" / "a.yml").write_text(RULE + "match_content: {semantic: money}\n")
    code, out, _ = run("doctor")
    assert code == 1
    assert "- project: clients: no agent client is set up" in out
    assert "match_content.semantic is left out: a; Use regex" in out


@pytest.mark.slow
@pytest.mark.parametrize(("word", "expected"), [("TOLD", "pass"), ("", "fail")])
def test_a_server_must_bring_the_token_back(project, run_json, word, expected):
    file = project / "server.py"
    file.write_text(SERVER)
    with_server(project, (sys.executable, str(file), word))
    found = run_json("doctor", "--unsafe-run-others")[1]
    assert states(found)["server"] == expected


def test_what_a_repository_names_is_not_run(project, run_json, tmp_path):
    """Cloning a repository and asking for a check-up must start none of its programs."""
    marker = tmp_path / "ran"
    evil = tmp_path / "tripwire" / "doors" / "hooks" / "shim.py"
    evil.parent.mkdir(parents=True)
    evil.write_text(f"open({str(marker)!r}, 'w')")
    (project / "tripwire").mkdir()
    (project / "tripwire" / "__main__.py").write_text(evil.read_text())
    file = project / FILES["claude-code"].project
    handler = {"type": "command", "command": sys.executable, "args": [str(evil), "claude-code"]}
    file.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [handler]}]}}))
    for words, more in (
        ((sys.executable, str(evil)), {}),
        ((sys.executable, "-c", evil.read_text(), "serve"), {}),
        ((sys.executable, "-m", "tripwire", "demo"), {}),
        (OWN, {"env": {"PYTHONPATH": str(project)}}),
    ):
        with_server(project, words, **more)
        assert off(run_json) == {"hook", "server"}
    assert not marker.exists()


def test_what_is_this_tripwire():
    assert own_hook(command("codex"), "codex")
    assert not own_hook(command("codex"), "cursor")
    assert not own_hook(("'",), "codex")
    assert own_server(OWN, {"TRIPWIRE_HOME": "x"})
    assert not own_server(OWN, {"LD_PRELOAD": "x"})
    assert not own_server(OWN[:3], {})
    assert not own_server((), {})


@pytest.mark.slow
def test_codex_must_trust_the_project(machine, run_json, state, monkeypatch):
    monkeypatch.setenv("TRIPWIRE_HOME", str(state))
    (machine / ".tripwires").mkdir()
    (machine / ".tripwires" / "a.yml").write_text(RULE)
    install(machine, "codex")
    assert off(run_json) == {"trust"}
    config = machine.parent / "home" / ".codex" / "config.toml"
    config.parent.mkdir()
    trusted = f'[projects."{machine}"]\ntrust_level = "trusted"\n'
    config.write_text(trusted)
    assert states(run_json("doctor")[1], "codex")["trust"] == "skip"
    config.write_text(trusted + "[features]\nhooks = false\n")
    assert off(run_json) == {"switches"}
    config.write_text("= 7")
    assert off(run_json) == {"trust"}


@pytest.mark.slow
@pytest.mark.parametrize("client", ["codex", "gemini", "cursor", "vscode"])
def test_every_client_is_proved(machine, run_json, state, monkeypatch, client):
    monkeypatch.setenv("TRIPWIRE_HOME", str(state))
    install(machine, client)
    found = states(run_json("doctor")[1], client)
    assert (found["hook-pipe"], found["hook-socket"]) == ("pass", "pass")


@pytest.mark.slow
def test_the_real_server_is_proved(project, run_json):
    text = served.with_server("claude-code", "", OWN)
    (project / ".mcp.json").write_text(text)
    code, found = run_json("doctor")
    assert (code, states(found)["server"]) == (0, "pass")
    pinned = served.with_server("claude-code", "", (*OWN, "--project", str(project)))
    (project / ".mcp.json").write_text(pinned)
    code, found = run_json("doctor")
    assert (code, states(found)["server"]) == (0, "pass")
