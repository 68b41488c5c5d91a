"""io/git: a repository is asked, and runs nothing; hostile names arrive whole."""

import pytest
from tests.io.repositories import commit, git
from tests.io.repositories import repository as made

from tripwire.errors import UsageError
from tripwire.io import git as asked
from tripwire.io.git import repository

WEIRD = 'we\nird\t"é"/\x01x y'


@pytest.fixture(scope="module")
def repo(tmp_path_factory):
    return made(
        tmp_path_factory.mktemp("git") / "r",
        commit(
            {"a.txt": "1\n2\n3\n", WEIRD: "x\n", "b.bin": b"\0\1", "sub/in.txt": "1\n"},
            "first\n\nbody",
        ),
        commit({"a.txt": "1\n2\nthree\nfour\n"}, "\x01subject\x02 with marks", "B@X.example"),
        commit({"sub/new.txt": "1\n"}, "move", gone=["sub/in.txt"]),
    )


def test_history(repo):
    found = repository(repo).history()
    assert [c.message for c in found.commits] == ["move", "\x01subject\x02 with marks", "first"]
    assert found.commits[1].author == "b@x.example"
    assert [(c.path, c.added, c.deleted) for c in found.commits[0].changes] == [
        ("sub/new.txt", 0, 0)
    ]
    assert [(c.path, c.added, c.deleted) for c in found.commits[1].changes] == [("a.txt", 2, 1)]
    assert found.commits[1].parents == (found.commits[2].id,)
    assert dict(found.lines) == {"a.txt": 4, "b.bin": 0, WEIRD: 1, "sub/new.txt": 1}
    assert found.complete
    assert not found.edges


def test_a_project_below_the_root_sees_its_own_paths(repo):
    found = repository(repo / "sub").history()
    assert len(found.commits) == 3
    assert dict(found.lines) == {"new.txt": 1}


def test_a_history_too_long_is_not_complete(repo, monkeypatch):
    monkeypatch.setattr(asked, "MAX_COMMITS", 2)
    found = repository(repo).history()
    assert (len(found.commits), found.complete) == (2, False)
    text, whole = repository(repo).ask("log", most=10)
    assert (len(text), whole) == (10, False)


def test_a_shallow_clone_names_its_edges(repo, tmp_path):
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo}", "c")
    found = repository(tmp_path / "c").history()
    assert not found.complete
    assert found.edges == {found.commits[0].id}


def test_what_changed_since(repo):
    asked = repository(repo)
    assert asked.changed_since("HEAD~1") == {"sub/new.txt", "sub/in.txt"}
    for hostile in ("--output=x", "nosuch", "HEAD; id", ""):
        with pytest.raises(UsageError, match="no commit"):
            asked.changed_since(hostile)
    assert not (repo / "x").exists()


def test_what_is_uncommitted(repo, tmp_path):
    git(tmp_path, "clone", "-q", f"file://{repo}", "c")
    here = tmp_path / "c"
    (here / "a.txt").write_text("other\n")
    (here / "fresh").write_text("")
    asked = repository(here)
    assert asked.uncommitted(["a.txt", "fresh", WEIRD, "gone"]) == {"a.txt", "fresh"}
    assert asked.uncommitted([]) == frozenset()
    (here / WEIRD).unlink()
    assert asked.uncommitted([WEIRD]) == {WEIRD}


def test_a_link_changes_what_is_behind_it(tmp_path):
    root = made(tmp_path / "r", commit({"old/x.yml": "1\n", "kept/y.yml": "1\n"}))
    (root / "rules").symlink_to("old")
    (root / "kept" / "z.yml").symlink_to("../old/x.yml")
    asked = repository(root)
    assert asked.changed(["kept/y.yml"], "HEAD") == frozenset()
    git(root, "add", ".")
    git(root, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "links")
    files = ["rules/x.yml", "kept/z.yml", "kept/y.yml", "none"]
    assert asked.changed(files, "HEAD~1") == {"rules/x.yml", "kept/z.yml"}
    (root / "old" / "x.yml").write_text("2\n")
    assert asked.changed(files, "HEAD") == {"rules/x.yml", "kept/z.yml"}


def test_an_empty_repository_has_no_history(tmp_path):
    git(tmp_path, "init", "-q", ".")
    (tmp_path / "a").write_text("")
    asked = repository(tmp_path)
    assert asked.history().commits == ()
    assert asked.uncommitted(["a"]) == {"a"}


def test_no_repository_is_said(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="not a git repository"):
        repository(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="cannot be started"):
        repository(tmp_path)


def test_nothing_of_a_hostile_repository_runs(tmp_path):
    """Each setting starts a program in plain git; the marker says whether one was."""
    root = made(tmp_path / "r", commit({"a.txt": "1\n", ".gitattributes": "* filter=f diff=d\n"}),
                commit({"a.txt": "2\n"}))  # fmt: skip
    marker = tmp_path / "ran"
    program = tmp_path / "evil"
    program.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    program.chmod(0o755)
    settings = (
        "core.fsmonitor", "diff.external", "diff.d.textconv", "diff.d.command", "filter.f.clean",
        "filter.f.process", "filter.f.smudge", "core.pager", "pager.log", "gpg.program",
        "core.sshCommand", "remote.origin.uploadpack", "core.editor",
    )  # fmt: skip
    for name in settings:
        git(root, "config", name, str(program))
    for name, value in (("log.showSignature", "true"), ("remote.origin.url", "ext::evil"),
                        ("remote.origin.promisor", "true"), ("extensions.partialClone", "origin"),
                        ("protocol.ext.allow", "always"), ("color.ui", "always")):  # fmt: skip
        git(root, "config", name, value)
    marker.unlink(missing_ok=True)  # git's own commands of this test may have run one
    (root / "a.txt").write_text("3\n")
    asked = repository(root)
    assert len(asked.history().commits) == 2
    assert asked.changed_since("HEAD~1") == {"a.txt"}
    assert asked.uncommitted(["a.txt"]) == {"a.txt"}
    assert not marker.exists()
    git(root, "status")
    assert marker.exists()  # the bait works
