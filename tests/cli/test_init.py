"""`tripwire init`: by flags, by questions, from a client's configuration; what it writes is sound."""

import io
import json
import shlex
import sys
from pathlib import Path

import pytest
from tests.cli.servers import PAY

from tripwire.cli import starter
from tripwire.config.load import load_policy
from tripwire.model.label import Trust

pytestmark = pytest.mark.usefixtures("machine")


@pytest.fixture
def typed(monkeypatch):
    """A person at a terminal who types these lines."""

    def typed(*lines):
        answers = io.StringIO("".join(f"{line}\n" for line in lines))
        answers.isatty = lambda: True
        monkeypatch.setattr(sys, "stdin", answers)

    return typed


def test_flags_write_a_policy_that_check_accepts(run, run_json, server, machine):
    code, done = run_json(
        "init",
        "--server", f"pay={shlex.join(server(*PAY))}",
        "--trust", "pay=trusted",
        "--guard", "send_money:recipient=trusted",
        "--guard", "send_money:amount",
        "--guard", "delete_payee",
        "--goal", "--review",
    )  # fmt: skip
    assert code == 0
    assert done["written"] == [
        str(machine / "tripwire.yaml"),
        str(machine / "tripwire-agent-config.json"),
    ]
    policy = load_policy(machine / "tripwire.yaml")
    assert policy.upstreams[0].trust is Trust.PLATFORM
    assert list(policy.upstreams[0].command) == server(*PAY)
    pay, delete = policy.call_rules
    assert [(p.path, p.provenance, p.role) for p in pay.sensitive_params] == [
        ("recipient", "trusted", "destination"),
        ("amount", "any", "amount"),
    ]
    assert pay.verify.require_intent
    assert pay.verify.panel == ("offline",)
    assert delete.tool == "pay__delete_payee"
    assert delete.verify.always == "hold"
    code, found = run_json("check")
    assert code == 0, found
    assert found["warnings"] == []


def test_the_agents_entry_starts_this_gateway(run, machine, server):
    run("init", "--server", f"a={shlex.join(server())}")
    config = json.loads((machine / "tripwire-agent-config.json").read_text())
    entry = config["mcpServers"]["tripwire-gateway"]
    assert entry["args"][-3:] == ["run", "-c", str(machine / "tripwire.yaml")]
    assert entry["command"].startswith("/")


@pytest.mark.parametrize(
    "word", ["a b", "it's", "${HOME}", "$$", '"q"', "née", "a\\b", "#x", "- y", "*z", "{a: b}"]
)
def test_every_word_of_a_command_comes_back_as_it_was(run, machine, word):
    assert run("init", "--server", f"s={shlex.join(['/bin/true', word])}")[0] == 0
    assert load_policy(machine / "tripwire.yaml").upstreams[0].command == ("/bin/true", word)


def test_it_never_overwrites_without_force(run, machine):
    (machine / "tripwire.yaml").write_text("flow: {}\n")
    code, out, err = run("init", "--server", "a=/bin/true")
    assert (code, out) == (2, "")
    assert "exists already, so nothing was written; Use --force" in err
    assert (machine / "tripwire.yaml").read_text() == "flow: {}\n"
    assert not (machine / "tripwire-agent-config.json").exists()
    assert run("init", "--server", "a=/bin/true", "--force")[0] == 0
    assert load_policy(machine / "tripwire.yaml").upstreams[0].name == "a"


def test_gateway_alone_asks_about_servers_on_a_terminal(run, machine, typed):
    typed("docs", "/bin/true --serve", "", "", "")
    code, out, _ = run("init", "--gateway")
    assert (code, "tripwire.yaml" in out) == (0, True)
    assert load_policy(machine / "tripwire.yaml").upstreams[0].command == ("/bin/true", "--serve")


def test_gateway_says_that_files_exist_before_it_asks(run, machine, typed):
    (machine / "tripwire.yaml").write_text("flow: {}\n")
    typed()
    code, _, err = run("init", "--gateway")
    assert code == 2
    assert "exists already" in err


def test_questions_leave_out_the_servers_if_their_files_exist(run, machine, typed):
    (machine / "tripwire.yaml").write_text("flow: {}\n")
    typed("n")
    code, out, err = run("init")
    assert (code, out) == (0, "nothing to set up\n")
    assert "is there already" in err


def test_an_imported_variable_may_be_called_like_a_yaml_word(run, machine):
    entry = {"command": "/bin/true", "env": {"null": "x", "on": "y"}}
    (machine / "c.json").write_text(json.dumps({"mcpServers": {"docs": entry}}))
    assert run("init", "--import", str(machine / "c.json"))[0] == 0
    assert load_policy(machine / "tripwire.yaml").upstreams[0].env == {"null": "x", "on": "y"}


def test_a_dangling_link_is_not_written_through(run, machine):
    (machine / "tripwire.yaml").symlink_to(machine / "elsewhere")
    assert run("init", "--server", "a=/bin/true")[0] == 2
    assert not (machine / "elsewhere").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--gateway",), "no server was named"),
        (("--server", "noequals"), '"noequals" has no `=`'),
        (("--server", "a_b=x"), '"a_b" is no server name'),
        (("--server", "tripwire=x"), '"tripwire" is no server name'),
        (("--server", "a='x"), "a quote is not closed"),
        (("--server", "a="), "has no command"),
        (("--server", "a=x", "--server", "A=y"), 'the name "A" stands twice'),
        (("--server", "a=x", "--trust", "b=trusted"), 'no server "b"'),
        (("--server", "a=x", "--trust", "a=trustd"), 'no trust "trustd"; did you mean "trusted"?'),
        (("--server", "a=x", "--guard", ":p"), '":p" is no guard'),
        (("--server", "a=x", "--guard", "t:"), '"t:" is no guard'),
        (("--server", "a=x", "--guard", "t:p=member"), '"member" is neither trusted nor any'),
        (("--server", "a=x", "--guard", "t:a b=any"), "is no parameter path"),
        (("--server", "a=x", "--guard", "!(t)"), "uses !(…)"),
        (("--import", "gone.json"), "cannot be read"),
        (("/etc/hostname/x", "--server", "a=x"), "cannot be written"),
    ],
)
def test_a_wrong_flag_is_a_usage_error_and_writes_nothing(run, machine, words, says):
    code, out, err = run("init", *words)
    assert (code, out) == (2, "")
    assert says in err
    assert list(machine.iterdir()) == []


def test_questions_lead_to_the_same_policy(run, typed, machine, server):
    typed(
        "y",
        "pay",
        shlex.join(server(*PAY)),
        "n",  # outsiders do not write into it
        "y",  # a system of record
        "n",  # no other server
        "send_money, delete_payee",
        "recipient amount",
        "",  # delete_payee: ask every time
        "y",  # goal
        "n",  # review
        "n",  # hooks
    )
    code, out, err = run("init")
    assert code == 0, err
    assert "✔ wrote" in out
    policy = load_policy(machine / "tripwire.yaml")
    assert policy.upstreams[0].trust is Trust.PLATFORM
    assert [rule.tool for rule in policy.call_rules] == ["pay__send_money", "pay__delete_payee"]
    assert policy.call_rules[1].verify.always == "hold"
    assert policy.call_rules[0].verify.panel == ()


def test_bad_answers_are_asked_again(run, typed, machine):
    typed("maybe", "y", "bad name", "tripwire", "ok", "'open", "", "/bin/true", "y", "n", "", "n")
    code, _, err = run("init")
    assert code == 0, err
    assert "Please answer y or n." in err
    assert "A quote is not closed." in err
    assert load_policy(machine / "tripwire.yaml").upstreams[0].trust is Trust.WORLD


def test_leaving_in_the_middle_writes_nothing(run, typed, machine):
    typed("y", "pay")
    code, out, err = run("init")
    assert (code, out) == (1, "")
    assert "stopped; nothing was written" in err
    assert list(machine.iterdir()) == []


def test_without_terminal_and_flag_it_starts_the_reading_side(run, machine, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    code, out, _ = run("init")
    assert code == 0
    assert (machine / ".tripwires" / "example.yml").exists()
    assert "not available" not in out
    assert not (machine / "tripwire.yaml").exists()
    before = (machine / ".tripwires" / "example.yml").read_text()
    assert run("init", "--read")[0] == 0
    assert (machine / ".tripwires" / "example.yml").read_text() == before


def test_a_clients_servers_are_taken_without_their_credentials(run, run_json, machine, monkeypatch):
    (machine / "mcp.json").write_text(
        json.dumps(
            {
                "mcpServers": {
                    "My Files": {
                        "command": "npx",
                        "args": ["-y", "@modelcontextprotocol/server-filesystem", "/w"],
                    },
                    "gh": {"command": "gh-mcp", "env": {"GH_TOKEN": "canary-token", "MODE": "a$b"}},
                    "remote": {"url": "https://x.example/mcp"},
                    "tripwire-gateway": {"command": "tripwire"},
                }
            }
        )
    )
    code, done = run_json("init", "--import", "mcp.json")
    assert code == 0
    text = (machine / "tripwire.yaml").read_text()
    assert "canary-token" not in text
    assert any("GH_TOKEN" in note for note in done["notes"])
    assert any(note.startswith("remote: left out") for note in done["notes"])
    monkeypatch.setenv("GH_TOKEN", "t")
    policy = load_policy(machine / "tripwire.yaml")
    assert [u.name for u in policy.upstreams] == ["My-Files", "gh"]
    assert dict(policy.upstreams[1].env) == {"GH_TOKEN": "t", "MODE": "a$b"}
    assert policy.flow.tools["My-Files"].preset == "filesystem"


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "[" * 100_000, '{"mcpServers": []}', '{"mcpServers": {"a": 1}}']
)
def test_a_client_configuration_that_is_none(run, machine, text):
    (machine / "mcp.json").write_text(text)
    assert run("init", "--import", "mcp.json")[0] == 2
    assert not (machine / "tripwire.yaml").exists()


def test_names_that_become_equal_stay_two_servers(run, machine):
    entry = {"command": "/bin/true"}
    (machine / "mcp.json").write_text(
        json.dumps({"mcpServers": {"a b": entry, "a-b": entry, "é": entry}})
    )
    assert run("init", "--import", "mcp.json")[0] == 0
    names = [u.name for u in load_policy(machine / "tripwire.yaml").upstreams]
    assert names == ["a-b", "a-b-2", "server"]


def test_hooks_are_installed_for_the_directory(run_json, machine, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "tripwire.cli.init.install", lambda client, **words: asked.append((client, words))
    )
    code, done = run_json("init", "--hooks", "claude-code")
    assert code == 0
    assert asked == [("claude-code", {"project": True})]
    assert done["written"] == [str(machine / ".claude" / "settings.json")]


def test_read_with_hooks_also_names_our_file_server_and_a_second_run_changes_nothing(
    run_json, machine, monkeypatch
):
    monkeypatch.setattr("tripwire.cli.init.install", lambda *_, **__: None)
    words = ("init", "--read", "--hooks", "claude-code", "--hooks", "codex")
    code, done = run_json(*words)
    assert code == 0
    assert str(machine / ".mcp.json") in done["written"]
    entry = json.loads((machine / ".mcp.json").read_text())["mcpServers"]["tripwire"]
    assert entry["args"][-1] == "serve"
    assert Path(entry["command"]).is_absolute()
    config = machine / ".codex" / "config.toml"
    before = config.read_text()
    assert "[mcp_servers.tripwire]" in before
    assert run_json(*words)[0] == 0
    assert config.read_text() == before


def test_a_guard_that_no_value_could_pass_becomes_a_question(run_json, machine):
    words = ["init", "--server", "pay=true", "--guard", "send:recipient", "--guard", "send:amount"]
    code, done = run_json(*words)
    assert code == 0
    (rule,) = load_policy(machine / "tripwire.yaml").call_rules
    assert [p.path for p in rule.sensitive_params] == ["amount"]
    assert rule.verify.always == "hold"
    (note,) = done["notes"]
    assert note.startswith("pay__send: recipient is not guarded, every call is held instead")
    assert run_json(*words, "--trust", "pay=trusted", "--force")[0] == 0
    (rule,) = load_policy(machine / "tripwire.yaml").call_rules
    assert [p.path for p in rule.sensitive_params] == ["recipient", "amount"]
    assert rule.verify.always == "none"


def test_what_the_user_types_makes_a_guard_passable():
    server = starter.Server("pay", ("true",))
    guarded = starter.Guarded("pay__send", {"recipient": "trusted"})
    answers = starter.Answers((server,), (guarded,), typed=True)
    assert '"recipient": {provenance: trusted' in starter.policy_text(answers)
    assert starter.unreachable(answers) == ()
