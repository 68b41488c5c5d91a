"""`list`, `lint`, `check PATH` and `explain PATH` in a small project."""

import json

import pytest

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
