"""read/stale: what moved on since a tripwire was last edited, by commits and by lines (§4.2)."""

from tests.read.making import NOW, rules, tripwire

from tripwire.read.history import Change, Commit, History
from tripwire.read.stale import as_json, findings, staleness


def commit(name, *parents, **changes):
    found = tuple(Change(path.replace("_", "/"), n, n) for path, n in changes.items())
    return Commit(name, parents, changes=found)


def born(name, *names):
    return Commit(name, changes=tuple(Change(f".tripwires/{n}.yml", 1) for n in names))


LINES = {"src/a": 100, "lib/b": 100, ".tripwires/t.yml": 5}


def states(project, *commits, files=("src/a", "lib/b"), **history):
    made = History(tuple(commits), LINES, **history)
    return {s.tripwire.name: s for s in staleness(project, made, files, now=NOW)}


PROJECT = rules(tripwire("t", ["src/**"]), stale_commits=2)


def test_few_small_changes_are_fresh():
    found = states(PROJECT, commit("c", "t", src_a=10, lib_b=90), born("t", "t"))["t"]
    assert (found.state, found.commits, found.ratio, found.since) == ("fresh", 1, 0.1, "t")


def test_many_commits_are_stale():
    found = states(PROJECT, commit("d", "c", src_a=1), commit("c", "t", src_a=1), born("t", "t"))
    assert (found["t"].state, found["t"].commits) == ("stale", 2)
    (lint,) = findings(found.values())
    assert (lint.code, lint.file) == ("TW050", ".tripwires/t.yml")
    assert "2 commit(s)" in lint.message


def test_much_of_the_lines_is_stale():
    found = states(PROJECT, commit("c", "t", src_a=50), born("t", "t"))["t"]
    assert (found.state, found.ratio) == ("stale", 0.5)
    assert states(PROJECT, commit("c", "t", src_a=900), born("t", "t"))["t"].ratio == 1.0


def test_only_what_the_edit_did_not_know_counts():
    """A commit on a branch that was merged later counts; what the edit stands on does not."""
    merge = Commit("m", ("t", "side"))
    side = commit("side", "base", src_a=3)
    base = commit("base", src_a=40)
    edit = Commit("t", ("base",), changes=(Change(".tripwires/t.yml", 1), Change("src/a", 30, 30)))
    found = states(PROJECT, merge, edit, side, base)["t"]
    assert (found.commits, found.ratio) == (1, 0.03)


def test_dead_uncommitted_unknown():
    assert states(PROJECT, born("t", "t"), files=["lib/b"])["t"].state == "dead"
    assert states(PROJECT, commit("c", src_a=1))["t"].state == "uncommitted"
    assert states(PROJECT, commit("c", src_a=1), complete=False)["t"].state == "unknown"
    cut = states(PROJECT, born("t", "t"), complete=False, edges=frozenset({"t"}))["t"]
    assert cut.state == "unknown"
    seen = states(PROJECT, commit("c", "t", src_a=1), born("t", "t"), complete=False)["t"]
    assert (seen.state, seen.commits) == ("fresh", 1)


def test_a_tripwire_is_not_its_own_subject_and_excluded_paths_do_not_count():
    wide = rules(tripwire("t", ["**"]), tripwire("u", ["**"]), tripwire("off", active=False),
                 exclude_paths=["lib/**"], stale_commits=2)  # fmt: skip
    found = states(wide, commit("c", "b", lib_b=9), born("b", "u"), born("a", "t"))
    assert {name: each.commits for name, each in found.items()} == {"t": 0, "u": 0}


def test_json():
    found = tuple(states(PROJECT, commit("c", "t", src_a=10), born("t", "t")).values())
    assert as_json(found, complete=True) == {"complete": True, "tripwires": [
        {"name": "t", "file": ".tripwires/t.yml", "state": "fresh", "commits": 1, "ratio": 0.1,
         "since": "t"}]}  # fmt: skip
