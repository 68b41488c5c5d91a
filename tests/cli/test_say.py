"""`tripwire say`: texts reviewed, streamed, rules listed and linted."""

import json

import pytest

from tripwire.cli.main import main


def ran(capsys, *words):
    code = main(["say", *words])
    return code, capsys.readouterr()


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "reply.txt"
    path.write_text("call 98765 43210 now", "utf-8")
    return str(path)


def test_check(capsys, text, tmp_path):
    code, printed = ran(capsys, "check", text, "--json")
    assert code == 1
    told = json.loads(printed.out)
    assert told["violations"] == ["CONTACT_LEAK: pattern matched"]
    assert told["findings"][0]["start"] == 5
    options = tmp_path / "options.json"
    options.write_text('{"knownProjectNames": ["A B"], "classified": {"persona": "rich"}}', "utf-8")
    code, printed = ran(capsys, "check", text, "--options", str(options))
    assert code == 2
    assert "premium" in printed.err


def test_stream(capsys, text):
    code, printed = ran(capsys, "stream", text, "--chunk", "3", "--json")
    told = json.loads(printed.out)
    assert (code, told["delivered"], told["rule"]) == (1, "call ", "CONTACT_LEAK")


def test_rules_explain_and_lint(capsys):
    code, printed = ran(capsys, "rules", "--json")
    rules = {row["id"]: row for row in json.loads(printed.out)["rules"]}
    assert code == 0
    assert rules["SECRET_LEAK_TOKEN"]["max_span"] > 1000
    assert ran(capsys, "explain", "BUSINESS_LEAK")[0] == 0
    assert ran(capsys, "lint", "--pack", "default")[0] == 0
    code, printed = ran(capsys, "explain", "NOPE")
    assert code == 2
    assert "CONTACT_LEAK" in printed.err


def test_a_pack_of_ones_own(capsys, text, tmp_path):
    pack = tmp_path / "mine.yaml"
    pack.write_text(
        "name: mine\nrules:\n  - {id: NOW, pattern: now, action: abort, tests: {match: [later]}}\n",
        "utf-8",
    )
    code, printed = ran(capsys, "check", text, "--pack", str(pack))
    assert code == 1
    assert "NOW" in printed.out
    code, printed = ran(capsys, "lint", "--pack", str(pack))
    assert code == 1
    assert "sample 'later'" in printed.out
    assert ran(capsys, "check", "no-such-file", "--pack", str(pack))[0] == 2
