"""The open vectors, and the runner's own promises."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.vectors import running

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_case_passes_or_is_listed(file):
    report = running.run([file])
    assert report.good, report.as_text()


def test_every_scenario_is_right():
    report = running.run([HERE / "provenance.json"])
    wrong = [o.id for o in report.outcomes if o.topic == "scenario" and o.why]
    assert wrong == []


def test_a_failing_case_is_named_and_the_exit_code_tells(tmp_path):
    case = {
        "id": "own-wrong",
        "topic": "verdict",
        "kind": "verdict",
        "given": {"text": "pass"},
        "expect": {"pass": True},
    }
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps({"format": 1, "area": "provenance", "cases": [case]}))
    root = HERE.parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "tests.vectors", str(file)],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "FAILED own-wrong" in done.stdout
    assert done.stdout.rstrip().endswith("0 passed, 1 failed")


def test_a_listed_case_that_passes_is_an_error(monkeypatch, tmp_path):
    case = {
        "id": "own-right",
        "topic": "verdict",
        "kind": "verdict",
        "given": {"text": '{"verdict":"pass","confidence":1}'},
        "expect": {"pass": True},
    }
    file = tmp_path / "right.json"
    file.write_text(json.dumps({"format": 1, "area": "provenance", "cases": [case]}))
    listed = tmp_path / "known.yaml"
    listed.write_text("provenance: {own-right: it used to fail}\n")
    monkeypatch.setattr(running, "KNOWN", listed)
    report = running.run([file])
    assert not report.good
    assert "LISTED BUT PASSES own-right" in report.as_text()
