"""The CI recipes in the documents are YAML, and the commands in them do what the page says (§4.6)."""

import re
import shlex
from pathlib import Path

import pytest
import yaml
from tests.io.repositories import commit, git, repository

from tripwire.cli.main import main

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "tripwires-in-ci.md"
GOOD = "triggers: [src/**]\ncontext: x\ncreated_by: human\n"
CRITICAL = (
    "triggers: [src/*.py]\ncontext: y\ncreated_by: agent:mcp\nseverity: critical\n"
    "learned_from: z\nexpires: 2199-01-01\n"
)


def blocks():
    text = PAGE.read_text("utf-8")
    return [
        yaml.safe_load(b)
        for b in re.findall(r"^```yaml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    ]


def commands(value):
    """Every `tripwire …` line in a recipe, its variables replaced by a revision."""
    if isinstance(value, dict):
        value = [held for key, held in value.items() if key != "name"]
    if isinstance(value, list):
        return [command for each in value for command in commands(each)]
    found = isinstance(value, str) and value.startswith("tripwire ")
    return [shlex.split(re.sub(r"\$[A-Z_]+", "HEAD~1", value))[1:]] if found else []


@pytest.fixture
def project(machine_of, monkeypatch):
    root = repository(
        machine_of / "r",
        commit({"src/a.py": "1\n", ".tripwires/a.yml": GOOD}),
        commit({"src/a.py": "2\n"}),
    )
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def machine_of(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TRIPWIRE_HOME", str(tmp_path / "state"))
    return tmp_path


def test_the_recipes_name_commands():
    assert len(blocks()) == 3
    assert [len(commands(block)) for block in blocks()] == [2, 2, 1]
    owners = re.search(
        r"^```text\n# .github/CODEOWNERS\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE
    )
    assert [line.split()[0] for line in owners[1].splitlines()] == [
        "/.tripwires/**", "/.tripwirerc.yml", "/tripwire.yaml",
    ]  # fmt: skip


def test_they_pass_a_sound_change_and_stop_an_agents_critical(project, capsys):
    every = [command for block in blocks() for command in commands(block)]
    assert {main(words) for words in every} == {0}
    assert (project / "tripwire.sarif").exists()
    (project / ".tripwires" / "b.yml").write_text(CRITICAL)
    git(project, "add", ".tripwires")
    git(project, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "b")
    forbidding = [words for words in every if "--forbid" in words]
    assert len(forbidding) == 2
    assert {main(words) for words in forbidding} == {1}


def test_a_union_merge_is_caught(project, capsys):
    (project / ".tripwires" / "a.yml").write_text(GOOD + "severity: high\nseverity: info\n")
    assert main(["lint"]) == 1
    assert "TW002" in capsys.readouterr().out
