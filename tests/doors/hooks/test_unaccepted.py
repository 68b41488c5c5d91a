"""A project's policy that nobody accepted: it stops nothing less, and one line says so (ADR 0013)."""

import json
import os
from pathlib import Path

import pytest
from tests.doors.hooks.test_door import EXFIL, Client
from tests.vectors.hooks import action_of

from tripwire.config.load import load_policy, offer_of
from tripwire.doors.hooks.door import HookDoor
from tripwire.io import acceptance
from tripwire.io.acceptance import MARKS
from tripwire.io.daemon import Request
from tripwire.io.policies import Policies
from tripwire.model.verdict import Action

LINE = "tripwire check --accept"


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A door for a cloned project that would only watch; `file` is its policy."""
    for name in MARKS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRIPWIRE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    project = tmp_path / "project"
    project.mkdir()
    file = project / "tripwire.yaml"
    file.write_text("flow: {mode: monitor}")
    real = Policies()
    policies = Policies(lambda _: real.files(project), lambda _: load_policy(None, project=project))
    made = Client(tmp_path / "state", policies)
    made.file = file
    yield made
    made.door.close()


def test_a_clone_that_would_only_watch_stops_what_must_be_stopped(clone):
    assert LINE in clone.send("SessionStart", source="startup").out
    clone.poison()
    assert action_of(clone.before("Bash", **EXFIL)) is Action.BLOCK


def test_the_line_is_said_once_in_a_session(clone):
    said = [clone.send("SessionStart", source="startup"), clone.say("hello")]
    said += [clone.before("Bash", command="ls"), clone.say("go on")]
    clone.file.write_text("flow: {mode: monitor, me: [a@x.org]}")
    said += [clone.say("more"), clone.send("SessionStart", source="resume")]
    clone.restart()
    said += [clone.say("still there?"), clone.send("SessionStart", source="compact")]
    assert [LINE in answer.out for answer in said] == [True] + [False] * 7


def test_a_policy_that_turns_loose_in_a_session_is_said_there(clone):
    clone.file.write_text("flow: {strict_links: true}")
    assert clone.send("SessionStart", source="startup").out == ""
    clone.file.write_text("flow: {mode: monitor}")
    assert LINE in clone.say("hello").out
    clone.poison()
    assert action_of(clone.before("Bash", **EXFIL)) is Action.BLOCK


def test_the_line_waits_for_an_answer_that_can_carry_it(clone):
    blocked = clone.before("Bash", **EXFIL)  # no start: anything may have been read
    assert action_of(blocked) is Action.BLOCK
    assert LINE not in blocked.out
    assert LINE in clone.say("hello").out
    assert LINE not in clone.say("hello again").out


def test_accepting_and_taking_it_back_count_at_the_next_event(clone):
    clone.send("SessionStart", source="startup")
    clone.poison()
    assert action_of(clone.before("Bash", **EXFIL)) is Action.BLOCK
    assert acceptance.accept_written(clone.file)
    assert clone.before("Bash", **EXFIL).out == ""
    for file in (Path(os.environ["TRIPWIRE_HOME"]) / "accepted").iterdir():
        file.unlink()
    assert action_of(clone.before("Bash", **EXFIL)) is Action.BLOCK


def test_a_policy_file_that_the_project_names_is_watched(clone):
    roles = clone.file.with_name("roles.yaml")
    roles.write_text("{send: {harmless: true}}")
    clone.file.write_text("flow: {policies: {mail: roles.yaml}}")
    acceptance.accept(offer_of(clone.file))
    clone.send("SessionStart", source="startup")
    assert "mail" in clone.policies.of("/r").flow.tools
    roles.write_text("{send: {harmless: true}, wipe: {harmless: true}}")
    assert "mail" not in clone.policies.of("/r").flow.tools


@pytest.mark.parametrize("client", ["codex", "gemini", "cursor", "vscode"])
def test_every_client_is_told(clone, client):
    door = HookDoor(clone.root, clone.policies)
    started = {"cursor": "sessionStart"}.get(client, "SessionStart")
    body = {"hook_event_name": started, "session_id": "x", "conversation_id": "x", "cwd": "/r"}
    body |= {"source": "startup", "transcript_path": "", "timestamp": "2026-12-01T00:00:00Z"}
    asked = {"home": "/home/u", "session": "", "project": "/r", "client": client}
    answer = door.answer(Request(**asked, body=json.dumps(body).encode()))
    assert LINE in answer.out, answer
    door.close()
