"""Firings in the journal: what one process showed, the next one knows (read.md CTX-34, CTX-37)."""

import json
from dataclasses import replace

import pytest
from tests.read.making import access, problem, rules, tripwire

from tripwire.config.presets import builtin_policy
from tripwire.io.session import open_session
from tripwire.io.verify import verify_log
from tripwire.model.event import (
    Access,
    ContextCleared,
    FileTouched,
    SessionOpened,
    ToolCall,
    ToolResult,
)
from tripwire.model.verdict import Action

PROJECT = rules(
    tripwire("1-first", ["src/**"], "FIRST", depends_on=["base"]),
    tripwire("base", ["never"], "BASE"),
    tripwire("always", ["always/**"], "ALWAYS", repeat="always"),
    problems=[problem()],
)


class Place:
    def __init__(self, root):
        self.root = root
        self.opened = []

    def open(self, project=PROJECT, **config):
        if config:
            project = rules(*project.tripwires, problems=project.problems, **config)
        session = open_session(
            replace(builtin_policy(), read=project),
            root=self.root,
            name="s",
            client="test",
            keys_dir=self.root / "keys",
        )
        self.opened.append(session)
        if session.journal.next_seq == 1:
            session.decide(SessionOpened("test", "/r", "/home/u"), door="hooks")
        return session

    def fired(self):
        lines = (self.root / "sessions" / "s" / "audit.jsonl").read_bytes().splitlines()
        entries = [json.loads(line) for line in lines]
        return [entry["data"] for entry in entries if entry["type"] == "read.fired"]


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path / "state")
    yield made
    for session in made.opened:
        session.close()


def read(path="src/a.ts", number=1, agent="", **fields):
    touched = (access(path, **fields),)
    args = {"file_path": f"/r/{path}"}
    return ToolCall(f"r{number}", "claude-code", "Read", args, "/r", agent=agent, touched=touched)


def told(verdict):
    return "".join(finding.tell for finding in verdict.findings)


def test_what_one_process_showed_another_does_not_show_again(place):
    first = place.open()
    assert "FIRST" in told(first.decide(read(), door="hooks/claude-code"))
    first.close()
    second = place.open()
    assert told(second.decide(read(number=2), door="hooks/claude-code")) == ""
    assert "FIRST" in told(second.decide(read(number=3, agent="helper"), door="hooks"))
    outcomes = [[t["outcome"] for t in data["tripwires"]] for data in place.fired()]
    assert outcomes == [["shown", "shown"], ["repeat"], ["shown", "shown"]]
    assert place.fired()[0]["client"] == "hooks/claude-code"
    assert place.fired()[0]["decision_id"]


def test_two_processes_at_once_show_it_once(place):
    one, two = place.open(), place.open()
    assert "FIRST" in told(one.decide(read(), door="hooks"))
    assert told(two.decide(read(number=2), door="hooks")) == ""


def test_two_hooks_of_one_call_show_a_block_once_even_always(place):
    one, two = place.open(), place.open()
    assert "ALWAYS" in told(one.decide(read("always/x"), door="hooks/claude-code"))
    assert "ALWAYS" not in told(two.decide(read("always/x"), door="hooks/cursor"))
    assert "ALWAYS" in told(two.decide(read("always/x", number=2), door="hooks/cursor"))


def test_a_compaction_is_remembered_too(place):
    first = place.open()
    first.decide(read(), door="hooks")
    first.decide(ContextCleared("compact"), door="hooks")
    first.close()
    assert "FIRST" in told(place.open().decide(read(number=2), door="hooks"))


def test_replay_gives_the_same_memory(place):
    session = place.open(enforcement_mode="strict")
    session.decide(read(served=True), door="hooks")
    session.decide(read("always/x", 2, agent="7"), door="hooks")
    session.decide(
        ToolResult("r3", "claude-code", "Grep", {"pattern": "x"}, "src/b.ts", cwd="/r",
                   touched=(access("src/b.ts", route="search"),)),
        door="hooks",
    )  # fmt: skip
    session.decide(
        FileTouched("/r/src/c.ts", Access.READ, touched=(access("src/c.ts", route="mention"),))
    )
    known = session.memory.snapshot()
    session.close()
    assert place.open().memory.snapshot() == known
    assert verify_log(place.root / "sessions" / "s", keys_dir=place.root / "keys").ok


def test_a_denied_read_is_counted_over_processes_and_shows_at_the_third_try(place):
    for number in (1, 2):
        session = place.open(enforcement_mode="strict")
        verdict = session.decide(read(number=number, served=True), door="hooks")
        assert verdict.action is Action.BLOCK
        session.close()
    verdict = place.open(enforcement_mode="strict").decide(
        read(number=3, served=True), door="hooks"
    )
    assert verdict.action is Action.INFORM
    assert [data.get("denied_by", "") for data in place.fired()] == ["read/raw-read"] * 2 + [""]


def test_a_notice_is_shown_once_and_again_when_the_problems_change(place):
    session = place.open()
    assert "TRIPWIRE_NOTICE" in told(session.decide(read(), door="hooks"))
    assert told(session.decide(read("lib/x", 2), door="hooks")) == ""
    worse = rules(*PROJECT.tripwires, problems=[*PROJECT.problems, problem(".tripwires/x.yml")])
    session.engine.policy = replace(session.engine.policy, read=worse)
    assert "TRIPWIRE_NOTICE" in told(session.decide(read("lib/x", 3), door="hooks"))
