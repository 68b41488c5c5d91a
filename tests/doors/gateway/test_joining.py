"""A gateway that joins a session brings nothing that would be trusted."""

import pytest

from tripwire.config.presets import builtin_policy
from tripwire.doors.gateway.sessions import Choice, opened
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
