"""`tripwire scan`: what it finds in homes and projects, and what it never does."""

import builtins
import json
import os
import subprocess

import pytest

TOKEN = "ghp_" + "Zk3x9QwErTyU7iOpAsDfGhJkLzXcVbNm1234"


def put(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))


def ids(found):
    return {(f["severity"], f["id"], *f["chain"]) for f in found["findings"]}


def test_nothing_is_set_up(machine, run):
    code, out, _ = run("scan")
    assert (code, out) == (0, "No agent client is set up here.\n")


def test_a_stranger_a_secret_and_a_way_out(machine, run_json):
    servers = {
        "files": {"command": "npx", "args": ["@modelcontextprotocol/server-filesystem", "/"]},
        "web": {"command": "uvx", "args": ["mcp-server-fetch"]},
    }
    put(machine.parent / "home/.config/Claude/claude_desktop_config.json", {"mcpServers": servers})
    code, found = run_json("scan")
    assert code == 1
    assert ("HIGH", "scan/untrusted-secret-out", "web", "files", "web") in ids(found)
    assert ("MED", "scan/untrusted-exec", "web", "files") in ids(found)
    assert found["apps"][0]["protected"] == ""


def test_no_words_of_a_stranger_no_finding(machine, run_json):
    servers = {"files": {"command": "npx", "args": ["@modelcontextprotocol/server-filesystem"]}}
    put(machine.parent / "home/.config/Claude/claude_desktop_config.json", {"mcpServers": servers})
    code, found = run_json("scan")
    assert (code, found["findings"]) == (0, [])


def test_a_server_nobody_knows_is_all_three(machine, run_json):
    put(
        machine / ".windsurf/mcp_config.json",
        {"mcpServers": {"x": {"serverUrl": "https://x.example"}}},
    )
    code, found = run_json("scan")
    assert code == 1
    assert ("HIGH", "scan/remote-unpinned", "x") in ids(found)
    assert ("HIGH", "scan/untrusted-private-out", "x", "x", "x") in ids(found)


def test_behind_the_gateway_it_is_protected(machine, run_json):
    servers = {"guard": {"command": "/opt/bin/tripwire", "args": ["run"]}}
    put(machine / ".windsurf/mcp_config.json", {"mcpServers": servers})
    code, found = run_json("scan")
    assert (code, found["findings"]) == (0, [])
    assert found["apps"][0]["servers"][0]["protected"] == "gateway"


def test_a_program_that_only_sounds_like_the_gateway_is_not(machine, run_json):
    servers = {"guard": {"command": "tripwire-proxy", "args": ["run"]}}
    put(machine / ".windsurf/mcp_config.json", {"mcpServers": servers})
    code, found = run_json("scan")
    assert code == 1
    assert found["apps"][0]["servers"][0]["protected"] == ""


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini", "cursor"])
def test_hooks_protect_and_switched_off_ones_do_not(machine, run, run_json, client):
    folder = {"claude-code": ".claude"}.get(client, f".{client}")
    (machine / folder).mkdir()
    assert run_json("scan")[0] == 1
    code, text, _ = run("install", client, "--print")
    assert code == 0
    file = {"claude-code": "settings.json", "gemini": "settings.json"}.get(client, "hooks.json")
    put(machine / folder / file, text)
    code, found = run_json("scan")
    assert (code, found["findings"]) == (0, [])
    assert {app["protected"] for app in found["apps"]} == {"hooks"}
    put(machine / folder / file, {**json.loads(text), "disableAllHooks": True})
    assert run_json("scan")[0] == 1


def test_hooks_that_fail_open_and_modes_that_ask_nothing(machine, run, run_json):
    _, text, _ = run("install", "claude-code", "--print")
    data = json.loads(text.replace('"onFailure": "block"', '"x": 1'))
    data["permissions"] = {"defaultMode": "bypassPermissions"}
    put(machine / ".claude/settings.json", data)
    code, found = run_json("scan")
    assert code == 0
    assert ("LOW", "scan/not-fail-closed", "hooks") in ids(found)
    assert ("MED", "scan/permission-bypass", "bypassPermissions") in ids(found)


def test_a_broken_file_is_named(machine, run_json):
    put(machine / ".cursor/mcp.json", "{")
    put(machine / ".codex/config.toml", "= 1")
    code, found = run_json("scan")
    assert {skipped["why"] for skipped in found["skipped"]} == {"not JSON line 1", "not TOML"}
    assert code == 1  # the clients are there, and nothing guards their own tools


def test_no_token_is_printed(machine, run):
    entry = {"command": "npx", "args": ["x", TOKEN], "env": {"T": TOKEN}}
    put(machine / ".mcp.json", {"mcpServers": {"x": entry}})
    for flags in ((), ("--json",), ("--sarif",)):
        code, out, err = run("scan", *flags)
        assert code == 1
        assert TOKEN not in out + err


def test_sarif_names_the_line(machine, run):
    put(machine / ".mcp.json", '{"mcpServers": {\n  "odd": {"command": "odd"}\n}}')
    _, out, _ = run("scan", "--sarif")
    sarif = json.loads(out)
    assert sarif["version"] == "2.1.0"
    places = [r["locations"][0]["physicalLocation"] for r in sarif["runs"][0]["results"]]
    assert 2 in {place["region"]["startLine"] for place in places}


@pytest.mark.parametrize("program", ["./tripwire", "bin/tripwire", "HERE/tripwire"])
def test_a_look_alike_of_the_project_guards_nothing(machine, run_json, program):
    words = {"command": program.replace("HERE", str(machine)), "args": ["run"]}
    put(machine / ".windsurf/mcp_config.json", {"mcpServers": {"guard": words}})
    assert run_json("scan")[0] == 1


def test_a_module_of_the_project_guards_nothing(machine, run_json):
    words = {"command": "python3", "args": ["-m", "tripwire", "run"]}
    put(machine / ".windsurf/mcp_config.json", {"mcpServers": {"guard": words}})
    assert run_json("scan")[0] == 0
    put(machine / "tripwire.py", "")
    assert run_json("scan")[0] == 1


def test_a_look_alike_of_the_shim_guards_nothing(machine, run, run_json):
    _, text, _ = run("install", "claude-code", "--print")
    data = json.loads(text)
    fake = str(machine / "tripwire/doors/hooks/shim.py")
    for entries in data["hooks"].values():
        entries[0]["hooks"][0]["args"][-2] = fake
    put(machine / ".claude/settings.json", data)
    assert run_json("scan")[0] == 1


def test_it_starts_nothing_and_opens_no_credentials(machine, run, monkeypatch):
    put(machine / ".mcp.json", {"mcpServers": {"x": {"command": "x"}}})
    put(machine.parent / "home/.claude/.credentials.json", "{}")
    opened = []
    real = os.open
    monkeypatch.setattr(
        os, "open", lambda path, *a, **k: opened.append(str(path)) or real(path, *a, **k)
    )
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process"))
    monkeypatch.setattr(builtins, "open", lambda path, *_, **__: pytest.fail(f"opened {path}"))
    run("scan")
    assert opened
    assert not [path for path in opened if "credential" in path]


def test_no_such_project(machine, run):
    code, _, err = run("scan", "nowhere")
    assert code == 2
    assert "no such directory" in err
