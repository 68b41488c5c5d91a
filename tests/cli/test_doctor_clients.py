"""Versions of clients, and what doctor says each leaves open."""

import pytest

from tripwire.cli.doctor_clients import KNOWN, versions
from tripwire.doors.hooks.hook_files import FILES
from tripwire.read.doctor import LEFT_OPEN


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A client that answers `--version` with these words, in this directory."""

    def program(words, folder="bin", name="claude"):
        place = tmp_path / folder
        place.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(f"#!/bin/sh\necho '{words}'\n")
        (place / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(place))

    return program


def told(tmp_path, client="claude-code"):
    root = tmp_path / "project"
    root.mkdir(exist_ok=True)
    (found,) = versions([client], root)
    return found


def test_the_version_hooks_were_tried_with(tmp_path, program):
    program(f"{KNOWN['claude-code'][1]} (Claude Code)")
    assert told(tmp_path).words == "version 2.1.332, which hooks were tried with"


def test_another_version_is_said_to_be_unknown(tmp_path, program):
    program("9.8.7 (Claude Code)")
    assert "9.8.7 is unknown here" in told(tmp_path).words


def test_no_client_and_no_answer(tmp_path, program):
    program("hello")
    assert told(tmp_path).version == ""
    assert told(tmp_path, "codex").version == ""
    assert "recorded events" in told(tmp_path, "cursor").words


def test_a_program_of_the_project_is_not_started(tmp_path, program):
    program("9.8.7", folder="project/bin")
    assert told(tmp_path).version == ""


def test_every_client_has_its_limit():
    assert LEFT_OPEN.keys() == FILES.keys()
