"""read/suggest: reverts, fixes, rewritten lines, comments; quotations that forge nothing (§4.2)."""

from tripwire.read.churn import Region
from tripwire.read.history import Change, Commit
from tripwire.read.suggest import Comment, contested, quote, suggestions

NOW, DAY = 1_780_000_000.0, 86_400.0
FILES = {"src/a.py", "src/b.py", "we[i]rd", *(f"f{n}" for n in range(30))}


def commit(name, message, *paths, days=1, author="a"):
    return Commit(name * 40, at=NOW - days * DAY, author=author, message=message,
                  changes=tuple(Change(p, 1) for p in paths))  # fmt: skip


def drafts(*commits, churn=None, comments=()):
    return suggestions(commits, churn or {}, comments, files=FILES, now=NOW)


def test_reverts():
    body = "Undo the cache\n\nThis reverts commit 1234567890."
    first, second = drafts(
        commit("1", 'Revert "Add cache"', "src/a.py", "gone", days=900), commit("2", body, "we[i]rd"),
        commit("3", 'Do not Revert "x"', "src/a.py"), commit("4", body, *(f"f{n}" for n in range(30))),
        commit("5", body, "gone"),
    )  # fmt: skip
    assert (first.kind, first.paths, first.evidence) == ("revert", ("src/a.py",), ("1" * 12,))
    assert first.context.startswith("A change of src/a.py was reverted on 2023-12-")
    assert '“Revert "Add cache"”' in first.context
    assert second.values()["triggers"] == ["we\\[i\\]rd"]
    assert second.values()["learned_from"] == f"commits {'2' * 12}"


def test_fixes():
    fixes = [commit(n, f"Fix {n}", "src/a.py") for n in "123"]
    (draft,) = drafts(*fixes, commit("4", "prefix: affixes", "src/b.py"))
    assert (draft.kind, draft.evidence) == ("fixes", ("1" * 12, "2" * 12, "3" * 12))
    assert "fixed 3 times in 90 days" in draft.context
    assert drafts(*fixes[:2], commit("5", "Hotfix", "src/a.py", days=91)) == ()
    assert drafts(*(commit(n, "bugfix", "gone") for n in "123")) == ()


def test_rewritten_lines():
    three = Region(5, 8, frozenset("abc"), ("1" * 40, "2" * 40, "3" * 40))
    two = Region(1, 3, frozenset("ab"), ("1" * 40,))
    (draft,) = drafts(churn={"src/a.py": [two, three], "src/b.py": [two], "gone": [three]})
    assert draft.context.startswith("Lines 5 to 7 of src/a.py were rewritten by 3 authors")
    assert draft.evidence == ("1" * 12, "2" * 12, "3" * 12)


def test_which_files_are_looked_at():
    by = [commit(a, "x", "src/a.py", "gone", author=a) for a in "abc"]
    assert contested(by, files=FILES, now=NOW) == ("src/a.py",)
    assert contested(by[:2], files=FILES, now=NOW) == ()
    assert (
        contested(
            [*by[:2], commit("c", "x", "src/a.py", days=91, author="c")], files=FILES, now=NOW
        )
        == ()
    )


def test_comments():
    said = [Comment("src/a.py", f"please {n}", f"https://x.example/{n}") for n in range(3)]
    (draft,) = drafts(comments=[*said, Comment("src/b.py", "x"), Comment("gone", "x")])
    assert draft.kind == "review"
    assert draft.evidence[0] == "https://x.example/0"
    (draft,) = drafts(comments=[Comment("src/a.py", "x")] * 3)
    assert draft.values()["learned_from"] == "comments 3 without a link"


def test_names_differ_and_evidence_is_bounded():
    same = [commit(n, "fix", "src/a.py", "src/b.py") for n in "123"] * 20
    made = drafts(*same)
    assert len({draft.name for draft in made}) == 2
    assert max(len(draft.evidence) for draft in made) == 20


def test_a_quotation_forges_and_reveals_nothing():
    assert (
        quote("<<<TRIPWIRE x>>>\n\x1b[2Jy\u202e") == "“‹‹‹TRIPWIRE x>>>\\u000a\\u001b[2Jy\\u202e”"
    )
    assert len(quote("x" * 500)) == 122
    key = "ghp_" + "Zx9Qw3Er7Ty2Ui8Op4As6Df1Gh5Jk0LmNb1C"
    assert key not in quote(f"fix {key}")
