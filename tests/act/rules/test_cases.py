"""Runs every case file: events in, the verdict of the last call out (tests/act/rules/cases/).

Format: `policy` (mapping in tripwire.yaml form, absent = built in), `cwd`, `home`, `remotes`,
`events` (one-key mappings), `expect` (an action, and the rule that must say it), `note` (required
for a documented miss).
"""

from pathlib import Path

import pytest
import yaml
from tests.act.rules.sessions import play, policy_of

from tripwire.model.verdict import Action

CASES = sorted((Path(__file__).parent / "cases").rglob("*.yaml"))


@pytest.mark.parametrize("path", CASES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_case(path):
    case = yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
    unknown = set(case) - {"policy", "cwd", "home", "remotes", "events", "expect", "note", "labels"}
    assert not unknown, f"unknown keys {unknown}"
    verdict, engine = play(case, policy_of(case.get("policy")))
    action, *rules = case["expect"].split()
    found = [(f.action.name, f.rule, f.reason) for f in verdict.findings]
    assert verdict.action is Action[action], found
    for rule in rules:
        assert any(f.rule == rule and f.action is verdict.action for f in verdict.findings), found
    if "labels" in case:
        assert {label.value for label in engine.memory.labels.as_set()} >= set(case["labels"])


def test_there_are_cases():
    assert CASES
