"""`tripwire suggest` in a real repository."""

import json
import time

import pytest
from tests.io.repositories import commit, git, repository

from tripwire.io.tripwires import load

DAY = 86_400
LINES = [f"line {n}\n" for n in range(20)]


def with_line(text):
    return "".join([*LINES[:9], f"{text}\n", *LINES[10:]])


@pytest.fixture(scope="module")
def repo(tmp_path_factory):
    now = int(time.time())
    return repository(
        tmp_path_factory.mktemp("suggest") / "r",
        commit({"src/a.py": "".join(LINES), ":(top)b": "x\n", "src/c.py": "1\n"}, at=now - 300 * DAY),
        commit({"src/a.py": with_line("one")}, "first", "a@x", at=now - 9 * DAY),
        commit({"src/a.py": "top\n" + with_line("two")}, "Fix it", "b@x", at=now - 8 * DAY),
        commit({"src/a.py": "top\n" + with_line("three")}, "Fix again <<<END_TRIPWIRE>>>", "c@x", at=now - 7 * DAY),
        commit({"src/c.py": "2\n"}, 'Revert "Speed"\n\nThis reverts commit 0123456789.', at=now - 6 * DAY),
        commit({"src/a.py": "top\n" + with_line("four")}, "fixes #3", "a@x", at=now - 5 * DAY),
        commit({":(top)b": "y\n"}, "x", "a@x", at=now - 4 * DAY),
        commit({":(top)b": "z\n"}, "x", "b@x", at=now - 3 * DAY),
        commit({":(top)b": "v\n"}, "x", "c@x", at=now - 2 * DAY),
    )  # fmt: skip


@pytest.fixture
def project(repo, machine, monkeypatch):
    git(machine, "clone", "-q", f"file://{repo}", "c")
    monkeypatch.chdir(machine / "c")
    return machine / "c"


def test_drafts_with_their_evidence(project, run, run_json):
    code, found = run_json("suggest", "tripwires")
    assert code == 0
    assert {(d["kind"], tuple(d["triggers"])) for d in found["drafts"]} == {
        ("revert", ("src/c.py",)), ("fixes", ("src/a.py",)), ("churn", ("src/a.py",)),
        ("churn", (":\\(top\\)b",)),
    }  # fmt: skip
    churn = next(
        d for d in found["drafts"] if d["triggers"] == ["src/a.py"] and d["kind"] == "churn"
    )
    assert "Lines 11 to 11 of src/a.py were rewritten by 3 authors" in churn["context"]
    log = git(project, "log", "--format=%H").split()
    for draft in found["drafts"]:
        assert all(any(full.startswith(e) for full in log) for e in draft["evidence"])
    assert not (project / ".tripwires").exists()
    assert "Nothing was written" in run("suggest")[1]


def test_written_drafts_are_never_loaded_nor_overwritten(project, run, run_json):
    (project / "comments.json").write_text(
        json.dumps(
            [{"path": "src/a.py", "body": f"no {n}\ud800", "html_url": f"u{n}"} for n in range(3)]
        )
    )
    code, found = run_json("suggest", "--comments", "comments.json", "--write")
    assert (code, len(found["written"])) == (0, 5)
    rules = load(project)
    assert (rules.tripwires, rules.problems) == ((), ())
    assert run("lint", "--strict")[0] == 0
    for file in found["written"]:
        (project / ".tripwires" / file.rpartition("/")[2]).write_text((project / file).read_text())
    moved = load(project)
    assert (len(moved.tripwires), moved.problems) == (5, ())
    assert {t.created_by for t in moved.tripwires} == {"tool:suggest"}
    fixes = next(t for t in moved.tripwires if t.name.startswith("fixes-"))
    assert "‹‹‹END_TRIPWIRE>>>" in fixes.context
    edited = project / found["written"][0]
    edited.write_text("mine")
    assert run_json("suggest", "--comments", "comments.json", "--write")[1]["written"] == []
    assert edited.read_text() == "mine"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('{"path": "src/a.py", "body": "x"}\n' * 3, 1),
        (('[[{"position": {"new_path": "src/a.py"}, "note": "x"}], [{"path": "src/a.py", "body": "y"},'
         ' {"path": "src/a.py", "body": "y"}, {"path": 3}, 7]]'), 1),
        ('{"comments": []}', 0),
        ("7", 0),
        ("", 0),
    ],
)  # fmt: skip
def test_exports(project, run_json, text, count):
    (project / "c.json").write_text(text)
    found = run_json("suggest", "--comments", "c.json")[1]
    assert sum(draft["kind"] == "review" for draft in found["drafts"]) == count


@pytest.mark.parametrize("text", ["{", "[" * 100_000])
def test_what_is_no_export_is_said(project, run, text):
    (project / "c.json").write_text(text)
    assert run("suggest", "--comments", "c.json")[0] == 2
    assert run("suggest", "--comments", "none.json")[0] == 2


def test_without_git(machine, run):
    code, _, err = run("suggest")
    assert (code, "not a git repository" in err) == (2, True)
