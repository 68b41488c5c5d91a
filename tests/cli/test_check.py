"""`tripwire check`: ✔ and ✘ for the configuration, the servers, state and keys; warnings."""

import json
import os

import pytest
from tests.cli.servers import PAY, tool

from tripwire.io import acceptance

pytestmark = pytest.mark.usefixtures("machine")


@pytest.fixture
def policy(machine):
    def policy(mapping):
        file = machine / "tripwire.yaml"
        file.write_text(json.dumps(mapping))
        assert acceptance.accept_written(file)

    return policy


def upstream(name, command, **more):
    return {"name": name, "command": command, **more}


def test_all_good(run, run_json, policy, server, machine):
    policy({"upstreams": [upstream("pay", server(*PAY))], "defaults": {"on_unmatched": "block"}})
    code, out, err = run("check")
    assert (code, err) == (0, "")
    assert "✔ upstream pay: fixture 1, 3 tools" in out
    assert "✘" not in out
    code, found = run_json("check")
    assert code == 0
    assert found["ok"] is True
    assert found["config"] == str(machine / "tripwire.yaml")
    assert found["upstreams"] == [
        {"name": "pay", "ok": True, "server": "fixture 1", "tools": [t["name"] for t in PAY]}
    ]
    assert {line["check"] for line in found["checks"]} == {
        "config", "upstream pay", "state", "keys", "exposure",
    }  # fmt: skip
    assert found["warnings"] == []


@pytest.mark.parametrize(
    ("mode", "says"),
    [
        ("dies", "it ended with exit code 1"),
        ("hangs", "it did not answer in time"),
        ("refuses", "it refuses initialize (error -32603)"),
    ],
)
def test_a_server_that_does_not_work_is_named(run, policy, server, mode, says):
    bad = upstream("bad", server(mode=mode), timeout_ms=1000 if mode == "hangs" else 20000)
    policy({"upstreams": [bad, upstream("good", server(*PAY))]})
    code, out, _ = run("check")
    assert code == 1
    assert f"✘ upstream bad: {says}" in out
    assert "✔ upstream good" in out


def test_what_a_server_says_last_is_shown_without_its_secrets(run, policy, server):
    policy({"upstreams": [upstream("bad", server(mode="dies"))]})
    out = run("check")[1]
    assert "cannot reach the ledger" in out
    assert "Hunter2Xy99zQ7" not in out


def test_lines_that_are_no_protocol_are_passed_over(run, policy, server):
    policy({"upstreams": [upstream("chatty", server(*PAY, mode="garbage"))]})
    assert "✔ upstream chatty: fixture 1, 3 tools" in run("check")[1]


@pytest.mark.parametrize(
    ("command", "more", "says"),
    [
        ("/no/such/program", {}, "/no/such/program: no such program"),
        ("./plain.txt", {}, "plain.txt: not executable"),
        ("/bin/true", {"cwd": "gone"}, "gone does not exist"),
    ],
)
def test_a_program_that_cannot_start_says_why(run, policy, machine, command, more, says):
    (machine / "plain.txt").write_text("no program")
    policy({"upstreams": [upstream("a", [command], **more)]})
    code, out, _ = run("check")
    assert code == 1
    assert says in out


def test_the_servers_environment_is_only_what_is_allowed(
    run, policy, server, monkeypatch, tmp_path
):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary")
    seen = tmp_path / "seen"
    policy({"upstreams": [upstream("a", ["sh", "-c", f"env > {seen}"], env={"MINE": "yes"})]})
    run("check")
    names = {line.split("=")[0] for line in seen.read_text().splitlines()}
    assert "MINE" in names
    assert "AWS_SECRET_ACCESS_KEY" not in names


def test_what_reaches_nothing_is_a_warning(run_json, policy, server):
    guard = {"provenance": "trusted"}
    policy(
        {
            "upstreams": [
                upstream(
                    "pay",
                    server(*PAY),
                    tools={"deny": ["nothing_*"]},
                    tool_options={"get_rates": {"effect": "read"}},
                )
            ],
            "rules": [
                {
                    "match": {"tool": "pay__send_*"},
                    "sensitive_params": {"recipent": guard, "amount": guard},
                },
                {"match": {"tool": "pays__*"}, "verify": {"always": "hold"}},
            ],
            "flow": {"policies": {"pya": {"x": {"harmless": True}}}},
        }
    )
    code, found = run_json("check")
    assert code == 0
    warned = "\n".join(found["warnings"])
    assert 'rule "rule-1" guards "recipent", which no input of pay__send_money is called' in warned
    assert '"amount"' not in warned
    assert 'rule "rule-2" matches no tool' in warned
    assert 'tools.deny: "nothing_*" matches no tool of pay' in warned
    assert 'tool_options: "get_rates" matches no tool of pay' in warned
    assert 'flow.policies: "pya" is no upstream here' in warned
    assert (
        '"pay__delete_payee" can change or send something, and no rule or policy is for it'
        in warned
    )
    assert "get_rate" not in warned.replace("get_rates", "")


def test_a_server_that_does_not_answer_causes_no_false_warnings(run_json, policy, server):
    policy(
        {
            "upstreams": [upstream("pay", server(mode="refuses"))],
            "rules": [{"match": {"tool": "pay__*"}, "verify": {"always": "hold"}}],
        }
    )
    code, found = run_json("check")
    assert code == 1
    assert found["warnings"] == []


@pytest.mark.parametrize(
    ("schema", "path", "warned"),
    [
        ({"properties": {"a": {"properties": {"b": {}}}}}, "$.a.b", False),
        ({"properties": {"a": {"properties": {"b": {}}}}}, "$.b", True),
        ({"properties": {"a": {"properties": {"B": {}}}}}, "b", False),
        ({"properties": {"xs": {"items": {"properties": {"iban": {}}}}}}, "xs[*].iban", False),
        ({"properties": {"x": {"anyOf": [{"properties": {"q": {}}}]}}}, "q", False),
        ({"properties": {"x": {"$ref": "#/$defs/p"}}, "$defs": {"p": {"properties": {"q": {}}}}}, "x.q", False),
        ({"properties": {"x": {"$ref": "#"}}}, "q", True),
        ({"properties": {"x": {"$ref": "#/properties/x"}}}, "q", True),
        ({}, "q", False),
    ],
)  # fmt: skip
def test_guarded_paths_are_looked_up_in_the_schema(run_json, policy, server, schema, path, warned):
    listed = {
        "name": "t",
        "inputSchema": {"type": "object", **schema},
        "annotations": {"readOnlyHint": True},
    }
    policy(
        {
            "upstreams": [upstream("s", server(listed))],
            "rules": [
                {"match": {"tool": "s__t"}, "sensitive_params": {path: {"provenance": "any"}}}
            ],
        }
    )
    assert bool(run_json("check")[1]["warnings"]) is warned


def test_two_servers_with_plain_names_collide(run, policy, server):
    policy({"upstreams": [upstream(n, server(tool("go")), prefix=False) for n in ("a", "b")]})
    code, out, _ = run("check")
    assert code == 1
    assert '✘ names: both a and b show a tool "go"; set prefix: true on one of them' in out


def test_a_bad_key_in_the_environment_is_a_fault(run, policy, monkeypatch):
    policy({"flow": {}})
    monkeypatch.setenv("TRIPWIRE_HMAC_KEY", "abc")
    code, out, _ = run("check")
    assert code == 1
    assert "✘ keys: " in out
    assert "abc" not in out


def test_a_key_that_others_can_read_is_a_fault(run, policy, machine):
    policy({"keys_dir": "keys"})
    (machine / "keys").mkdir(mode=0o700)
    key = machine / "keys" / "installation.key"
    key.write_text("ab" * 32)
    key.chmod(0o644)
    code, out, _ = run("check")
    assert code == 1
    assert "the key can be read by others" in out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_state_directory_that_cannot_be_written(run, policy, machine, server):
    policy({"upstreams": [upstream("a", server())], "state_dir": "locked/state"})
    (machine / "locked").mkdir(mode=0o500)
    assert "✘ state: " in run("check")[1]


def test_a_state_directory_that_is_a_file(run, policy, machine, server):
    policy({"upstreams": [upstream("a", server())], "state_dir": "taken"})
    (machine / "taken").write_text("")
    code, out, _ = run("check")
    assert code == 1
    assert "taken is no directory" in out


def test_keys_beside_the_log_are_warned_about(run, policy):
    policy({"keys_dir": "beside"})
    assert "! keys_dir: beside: " in run("check")[1]


def test_ignored_keys_of_a_project_are_shown(run, policy, machine):
    user = machine.parent / "home" / ".config" / "tripwire" / "tripwire.yaml"
    user.parent.mkdir(parents=True)
    user.write_text("flow: {mode: enforce}")
    policy({"flow": {"mode": "monitor"}})
    out = run("check")[1]
    assert "! tripwire.yaml:1:19: flow.mode: ignored: looser than the user-level file" in out
    assert "MONITOR" not in out


def test_nothing_to_check_says_so(run):
    code, _, err = run("check")
    assert code == 2
    assert "no tripwire.yaml here or above; run `tripwire init`" in err


def test_a_server_cannot_write_to_the_terminal(run, policy, server, tmp_path):
    words = server(*PAY)
    (tmp_path / "server.py").write_text(
        (tmp_path / "server.py")
        .read_text()
        .replace('"name": "fixture"', '"name": "\\x1b[2Jfix\\u202eture"')
    )
    policy({"upstreams": [upstream("pay", words)]})
    out = run("check")[1]
    assert "\x1b" not in out
    assert "\\u001b[2Jfix\\u202eture" in out
