"""`tripwire stale` in real repositories."""

import shutil

import pytest
from tests.io.repositories import commit, git, repository

RULE = 'triggers: ["{}"]\ncontext: "x"\ncreated_by: human\n'


@pytest.fixture(scope="module")
def repo(tmp_path_factory):
    return repository(
        tmp_path_factory.mktemp("stale") / "r",
        commit({"src/a.py": "1\n" * 10, "lib/b.py": "1\n" * 10}),
        commit({".tripwires/moved.yml": RULE.format("src/**"), ".tripwires/kept.yml": RULE.format("lib/**"),
                ".tripwires/gone.yml": RULE.format("old/**")}),
        commit({"src/a.py": "2\n" * 10}),
    )  # fmt: skip


def test_states(repo, machine, run, run_json, monkeypatch):
    monkeypatch.chdir(repo)
    code, found = run_json("stale")
    assert code == 0
    assert {t["name"]: (t["state"], t["commits"], t["ratio"]) for t in found["tripwires"]} == {
        "gone": ("dead", 0, 0), "kept": ("fresh", 0, 0), "moved": ("stale", 1, 1),
    }  # fmt: skip
    code, out, _ = run("stale", "--fail")
    assert code == 1
    assert "stale       moved: 1 commit(s), 100% of the lines since" in out


def test_a_shallow_clone_is_unknown(repo, machine, run, run_json, monkeypatch):
    git(machine, "clone", "-q", "--depth=1", f"file://{repo}", "c")
    monkeypatch.chdir(machine / "c")
    code, found = run_json("stale", "--fail")
    assert code == 1  # the one that matches no file
    assert {t["state"] for t in found["tripwires"]} == {"unknown", "dead"}
    assert not found["complete"]
    shutil.rmtree(machine / "c" / ".git")
    code, _, err = run("stale")
    assert code == 2
    assert "not a git repository" in err
