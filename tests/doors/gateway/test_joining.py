"""A gateway that joins a session brings nothing that would be trusted."""

import os

import pytest

from tripwire.config.presets import builtin_policy
from tripwire.doors.gateway.sessions import VARIABLE, Choice, choose, opened
from tripwire.io import live
from tripwire.io.session import open_session
from tripwire.model.event import SessionOpened

REMOTE = "https://git.example/added-later.git"


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("TRIPWIRE_HOME", str(tmp_path / "home"))
    git = tmp_path / "project" / ".git"
    git.mkdir(parents=True)
    (git / "config").write_text(f'[remote "origin"]\n\turl = {REMOTE}\n')
    return git.parent


def remotes(session):
    found = session.memory.files.snapshot()
    session.close()
    return REMOTE in str(found)


def test_the_remotes_of_a_new_session_are_known(tmp_path, project):
    assert remotes(opened(builtin_policy(), Choice(tmp_path, "new"), {}, project))


def test_remotes_that_are_there_when_it_joins_are_not(tmp_path, project):
    first = open_session(builtin_policy(), root=tmp_path, name="live", client="test")
    first.decide(SessionOpened("test", str(project)))
    assert not remotes(opened(builtin_policy(), Choice(tmp_path, "live"), {}, project))
    first.close()


def test_it_says_why_it_is_this_session(tmp_path, project):
    home = tmp_path / "home"
    own = tmp_path / "own"
    assert choose(own, {}, project, os.getpid()).why == "a session of its own"
    assert choose(own, {VARIABLE: "x"}, project, os.getpid()).why == f"{VARIABLE} names it"
    here = live.Process(os.getpid(), live._started(os.getpid()))
    parent = live.ancestry(os.getpid())[0]
    live.register(home, name="a", path=home / "sessions" / "a", client=here, project=str(project))
    found = choose(own, {}, project, os.getpid())
    assert (found.name, found.why) == ("a", f"the live session of the same project, {project}")
    live.register(home, name="b", path=home / "sessions" / "b", client=parent, project="/other")
    found = choose(own, {}, project, os.getpid())
    assert found.name == "b"
    assert f"process {parent.pid}; its project is /other" in found.why
