"""The index: CTX-15 lists, and that its filter finds what trying every pattern finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.text.path_glob import compile_pattern
from tripwire.text.path_index import MAX_PATHS, PathIndex

PATTERNS = st.lists(
    st.sampled_from(
        [
            *("a", "b", "ab", ".ts", "*", "**", "?", "/", "/", "[ab]", "{a,b}", "{a/**,b}"),
            *("[", "]", "{", "}", ",", ".", ".{/a,b}", "[^a]"),
            *("@(a|b)", "!(a)", "(b)", "{1..3}", "1", "\\a", '"a"', "./", "A", "É", "é"),
        ]
    ),
    min_size=1,
    max_size=5,
).map("".join)
TRIGGERS = st.lists(st.one_of(PATTERNS, PATTERNS.map(lambda text: f"!{text}")), max_size=4)
PATHS = st.lists(
    st.sampled_from(["a", "b", "ab", "a.ts", ".ts", "1", "A", "(b)", "é", "É", "bab"]),
    min_size=1,
    max_size=4,
).map("/".join)


@pytest.mark.parametrize(
    ("triggers", "path", "globs"),
    [
        (["src/**", "!**/*.test.ts"], "src/a.ts", ["src/**"]),
        (["!**/*.test.ts", "src/**"], "src/a.test.ts", None),
        (["src/**", "!src/gen/**", "src/gen/a.ts"], "src/gen/a.ts", None),
        (["!**/*.test.ts"], "x.ts", ["**"]),
        (["!(x)/b"], "a/b", ["**"]),
        (["!!a/b"], "a/b", ["**"]),
        (["!!a/b"], "c", None),
        (["a", "b", "*", "a"], "a", ["a", "*", "a"]),
        ([], "a", None),
        (["**"], "", None),
        (["x[z-a]"], "x[z-a]", ["x[z-a]"]),
    ],
)
def test_ctx_15_lists(triggers, path, globs):
    expected = () if globs is None else ((0, tuple(globs)),)
    assert PathIndex([triggers]).match(path) == expected


def one_by_one(lists, path, *, match_case):
    """CTX-15 without an index."""
    found = []
    for at, triggers in enumerate(lists):
        positives = [t for t in triggers if not t.startswith("!")]
        negations = [t[1:] for t in triggers if t.startswith("!")]

        def hit(pattern):
            return compile_pattern(pattern, match_case=match_case).matches(path)

        globs = [p for p in positives if hit(p)]
        if triggers and not positives:
            globs = ["**"]
        if globs and not any(hit(n) for n in negations):
            found.append((at, tuple(globs)))
    return tuple(found)


@given(lists=st.lists(TRIGGERS, max_size=6), paths=st.lists(PATHS, max_size=3), fold=st.booleans())
def test_the_filter_loses_nothing(lists, paths, fold):
    index = PathIndex(lists, match_case=fold)
    for path in [*paths, *paths]:
        assert index.match(path) == one_by_one(lists, path, match_case=fold)


def test_literals_that_many_patterns_share_are_replaced_by_rarer_ones():
    lists = [[f"src/{{a,b}}/m{number}/{{c,d}}"] for number in range(60)]
    index = PathIndex(lists)
    for path in ("src/a/m7/d", "src/b/m59/c", "src/a/m60/d", "src/m7"):
        assert index.match(path) == one_by_one(lists, path, match_case=True)
    assert max(map(len, index._built.by_literal)) == 1


@given(triggers=TRIGGERS, path=PATHS, data=st.data())
def test_the_order_of_patterns_has_no_effect(triggers, path, data):
    shuffled = data.draw(st.permutations(triggers))
    assert bool(PathIndex([triggers]).match(path)) == bool(PathIndex([shuffled]).match(path))


def test_a_path_too_long_to_examine_is_shown_rather_than_hidden():
    long = "x/" + "b" * 600
    assert PathIndex([["x/!(a)"]]).match(long)
    assert PathIndex([["**", "!x/!(a)"]]).match(long)


def test_kept_answers_are_bounded():
    index = PathIndex([["**"]])
    for number in range(MAX_PATHS + 50):
        index.match(f"f{number}")
    assert len(index._kept) == MAX_PATHS
    assert index.match("f1") == ((0, ("**",)),)
