"""`list`, `lint`, `check PATH` and `explain PATH` in a small project."""

import json

import pytest
from tests.io.repositories import commit, git, repository

from tripwire.cli.main import main

RULE = 'triggers: ["src/**"]\ncontext: "Ask before you delete."\ncreated_by: human\n'


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / ".tripwires").mkdir()
    (tmp_path / ".tripwires" / "deletes.yml").write_text(RULE)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("pass\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capsys, *words):
    code = main(list(words))
    return code, capsys.readouterr().out


def test_list_says_which_can_fire(project, capsys):
    assert said(capsys, "list") == (0, "1 tripwire(s):\n- deletes (warning): src/**\n")
    code, out = said(capsys, "list", "--severity", "high", "--json")
    assert (code, json.loads(out)) == (0, [])
    assert main(["list", "--severity", "grave"]) == 2


def test_check_and_explain_speak_of_a_path(project, capsys):
    code, out = said(capsys, "check", "src/a.py")
    assert code == 0
    assert "[* ] deletes (warning)" in out
    assert "    Ask before you delete." in out
    assert said(capsys, "check", "README.md") == (0, "No tripwires match: README.md\n")
    code, out = said(capsys, "explain", "src/a.py", "--json")
    assert "Ask before you delete." in json.loads(out)["renderedInjection"]
    assert main(["check", "../elsewhere"]) == 2


def test_lint_names_file_line_and_code(project, capsys):
    assert said(capsys, "lint") == (0, "All tripwires valid.\n")
    (project / ".tripwires" / "deletes.yml").write_text(RULE + "severity: grave\n")
    code, out = said(capsys, "lint", "--sarif", "found.sarif")
    assert code == 1
    assert "ERROR .tripwires/deletes.yml:4: TW003" in out
    runs = json.loads((project / "found.sarif").read_text())["runs"]
    assert [result["ruleId"] for result in runs[0]["results"]] == ["TW003"]


def test_a_bad_configuration_is_said(project, capsys):
    (project / ".tripwirerc.yml").write_text("max_dependency_depth: 99\n")
    assert main(["check", "src/a.py"]) == 2
    assert ".tripwirerc.yml" in capsys.readouterr().err


EXPIRED = "# why\ntriggers: [src/**]\ncontext: x\ncreated_by: human\nexpires: 2020-01-01\n"


def test_lint_prunes_what_has_expired_and_does_not_count_it(project, capsys):
    old = project / ".tripwires" / "old.yml"
    old.write_text(EXPIRED)
    assert said(capsys, "lint", "--strict")[0] == 1
    code, out = said(capsys, "lint", "--strict", "--prune", "--json")
    assert (code, json.loads(out)["pruned"]) == (0, [".tripwires/old.yml"])
    assert old.read_text() == EXPIRED + "active: false\n"
    assert said(capsys, "lint", "--prune") == (0, "All tripwires valid.\n")
    old.write_text(EXPIRED)
    code, out = said(capsys, "lint", "--prune", "--delete")
    assert (code, out) == (0, "  DELETED .tripwires/old.yml\nAll tripwires valid.\n")
    assert not old.exists()
    assert main(["lint", "--delete"]) == 2


AGENT = "triggers: [src/**]\ncontext: x\nlearned_from: y\nexpires: 2199-01-01\nseverity: {}\ncreated_by: '{}'\n"


@pytest.mark.parametrize("author", ["agent:mcp", "Agent:MCP", " agent:x", "agent"])
def test_lint_forbids_a_critical_of_an_agent_however_it_is_spelt(project, capsys, author):
    file = project / ".tripwires" / "a.yml"
    file.write_text(AGENT.format("critical", author))
    code, out = said(capsys, "lint", "--forbid", "agent-critical", "--json")
    assert code == 1
    assert [f["code"] for f in json.loads(out)["findings"]] == ["TW015"]
    file.write_text(AGENT.format("high", author))
    assert said(capsys, "lint", "--forbid", "agent-critical")[0] == 0
    file.write_text(AGENT.format("critical", "human"))
    assert said(capsys, "lint", "--forbid", "agent-critical")[0] == 0


def committed(project):
    repository(project, commit({"README.md": "x\n"}), checkout=False)
    git(project, "add", ".")
    git(project, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "all")


def test_lint_of_what_changed(project, capsys):
    critical = AGENT.format("critical", "agent:x")
    (project / ".tripwires" / "before.yml").write_text(critical)
    committed(project)
    words = ("lint", "--changed-since", "HEAD", "--forbid", "agent-critical")
    assert said(capsys, *words) == (0, "All tripwires valid.\n")
    (project / ".tripwires" / "after.yml").write_text(critical)
    code, out = said(capsys, *words, "--json")
    assert code == 1
    assert [f["file"] for f in json.loads(out)["findings"]] == [".tripwires/after.yml"]
    (project / ".tripwires" / "after.yml").write_text("{{")
    assert said(capsys, *words)[0] == 1


def test_another_configuration_changes_everything(project, capsys):
    (project / "old").mkdir()
    (project / "old" / "x.yml").write_text(AGENT.format("critical", "agent:x"))
    committed(project)
    (project / ".tripwirerc.yml").write_text("tripwires_dir: old\n")
    words = ("lint", "--changed-since", "HEAD", "--forbid", "agent-critical")
    assert said(capsys, *words)[0] == 1
    assert main(["lint", "--changed-since", "nosuch"]) == 2


def test_lint_of_what_is_stale(project, capsys):
    assert main(["lint", "--stale"]) == 2
    committed(project)

    assert said(capsys, "lint", "--stale")[0] == 0
    (project / "src" / "a.py").write_text("other\nlines\n")
    git(project, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qam", "later")
    code, out = said(capsys, "lint", "--stale")
    assert (code, "WARN .tripwires/deletes.yml:1: TW050" in out) == (0, True)
    assert said(capsys, "lint", "--stale", "--strict")[0] == 1
