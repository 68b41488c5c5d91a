"""Runs every case file of READ: events with touched paths in, verdict and text out.

Format: `tripwires` (name → fields), `config`, `problems`, `policy`, `events` (one-key mappings as in
tests/act/rules; `touched` lists paths, `agent`, `call` and `at` as in the event; `context_cleared`),
`expect` (an action and the rule that must say it), `tells` (parts of what the agent is told, in
order), `silent` (nothing is told), `outcomes` (name → outcome in the journal), `note`.
"""

from pathlib import Path

import pytest
import yaml
from tests.read.rules.sessions import play, told

from tripwire.memory.shown import settled
from tripwire.model.verdict import Action

CASES = sorted((Path(__file__).parent / "cases").rglob("*.yaml"))
KEYS = {
    "tripwires", "config", "problems", "policy", "events", "expect", "tells", "silent", "outcomes",
    "remedy", "note",
}  # fmt: skip


@pytest.mark.parametrize("path", CASES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_case(path):
    case = yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
    assert not set(case) - KEYS
    verdict, _ = play(case)
    action, *rules = case["expect"].split()
    found = [(f.action.name, f.rule, f.reason) for f in verdict.findings]
    assert verdict.action is Action[action], found
    for rule in rules:
        assert any(f.rule == rule and f.action is verdict.action for f in verdict.findings), found
    text, at = told(verdict), 0
    for part in case.get("tells", ()):
        assert part in text[at:], text
        at = text.index(part, at) + len(part)
    if case.get("silent"):
        assert text == ""
    if "remedy" in case:
        assert any(case["remedy"] in finding.remedy for finding in verdict.findings)
    if "outcomes" in case:
        firings = [settled(f.firing, verdict) for f in verdict.findings if f.firing]
        outcomes = {shown.name: shown.outcome for f in firings if f for shown in f.tripwires}
        assert outcomes == case["outcomes"]


def test_there_are_cases():
    assert len(CASES) > 20
