"""read/churn: hunks as regions of the file as it is now; a model of lines says the same."""

from hypothesis import given
from hypothesis import strategies as st

from tripwire.read.churn import Hunk, Patch, patches_of, regions


def patch(author, *hunks, name=None):
    return Patch(name or author, 1.0, author, tuple(Hunk(*hunk) for hunk in hunks))


def found(*patches):
    return [(r.start, r.end, "".join(sorted(r.authors)), list(r.commits)) for r in regions(patches)]


def test_patches():
    text = "\x01aa\x02100\x02A@X\n\ndiff --git a/x b/x\n@@ -3 +3,2 @@ def\n-\x01bb\n+@@ -1 +1 @@\n@@ -9,0 +11 @@\n+x\n\\ No newline\n\x01cc\x02x\n"
    assert list(patches_of(text)) == [
        Patch("aa", 100.0, "a@x", (Hunk(3, 1, 3, 2), Hunk(9, 0, 11, 1))), Patch("cc", 0.0, "", ()),
    ]  # fmt: skip
    assert list(patches_of("@@ -1 +1 @@\n")) == []


def test_one_place_rewritten_by_three():
    assert found(patch("c", (5, 2, 5, 2)), patch("b", (5, 1, 5, 2)), patch("a", (5, 1, 5, 1))) == [
        (5, 7, "abc", ["a", "b", "c"])
    ]


def test_places_move_with_the_lines_above():
    assert found(patch("b", (1, 0, 2, 10), name="b"), patch("a", (5, 1, 5, 1))) == [
        (2, 12, "b", ["b"]), (15, 16, "a", ["a"]),
    ]  # fmt: skip
    assert found(patch("b", (1, 2, 0, 0)), patch("a", (5, 1, 5, 1))) == [(3, 4, "a", ["a"])]
    assert found(patch("b", (9, 1, 9, 1)), patch("a", (5, 1, 5, 1))) == [
        (5, 6, "a", ["a"]), (9, 10, "b", ["b"]),
    ]  # fmt: skip


def test_an_insertion_beside_a_place_moves_or_leaves_it():
    assert found(patch("b", (4, 0, 5, 1)), patch("a", (5, 1, 5, 1))) == [
        (5, 6, "b", ["b"]), (6, 7, "a", ["a"]),
    ]  # fmt: skip
    assert found(patch("b", (5, 0, 6, 1)), patch("a", (5, 1, 5, 1))) == [
        (5, 6, "a", ["a"]), (6, 7, "b", ["b"]),
    ]  # fmt: skip
    assert found(patch("b", (5, 0, 6, 1)), patch("a", (5, 2, 5, 2))) == [(6, 7, "b", ["b"])]


def test_many_hunks():
    many = [(n * 2, 1, n * 2, 1) for n in range(1, 4_001)]
    assert len(found(*(patch(a, *many) for a in "abc"))) == 4_000
    assert found(patch("a", *((n * 2, 1, n * 2, 1) for n in range(1, 6_001)))) == []


def test_neighbours_are_not_one_place():
    assert [row[2] for row in found(patch("b", (6, 1, 6, 1)), patch("a", (5, 1, 5, 1)))] == [
        "a",
        "b",
    ]


def test_a_reformatting_is_no_place():
    assert found(patch("b", (1, 100, 1, 100)), patch("a", (5, 1, 5, 1))) == []


@st.composite
def histories(draw):
    """Edits of a file of numbered lines, as hunks, and which line each author wrote."""
    lines, patches = [(0, frozenset())] * 12, []
    for author in draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=5)):
        start = draw(st.integers(1, len(lines)))
        old = draw(st.integers(0, min(3, len(lines) - start + 1)))
        new = draw(st.integers(0 if len(lines) > old + 1 else 1, 3))
        if not old + new:
            continue
        before = start - 1 if old else start
        lines[before : before + old] = [(1, author)] * new
        patches.append(patch(author, (start, old, (before + 1) if new else before, new)))
    return lines, patches


@given(histories())
def test_every_region_holds_lines_that_its_last_author_wrote(history):
    """Regions never point at lines that nobody touched, and never overlap."""
    lines, patches = history
    at = 0
    for region in regions(list(reversed(patches))):
        assert region.start > at or region.start == region.end
        assert all(written for written, _ in lines[region.start - 1 : region.end - 1])
        assert region.end - 1 <= len(lines)
        at = region.end - 1
