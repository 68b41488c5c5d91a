"""Comparing a listing with pins: what is new, changed, renamed or made to look alike."""

import pytest

from tripwire.act.pinning import alike, compare
from tripwire.text.canonical import any_digest

SEARCH = {"name": "search", "description": "Finds.", "inputSchema": {"type": "object"}}
PINNED = {"search": {"description": "Finds.", "inputSchema": {"type": "object"}}, "read_file": {}}
READ = {"name": "read_file"}


def waits(*tools, strict=True):
    return dict(compare(PINNED, tools, strict=strict).quarantined)


def test_first_sight_is_pinned():
    look = compare(None, [SEARCH, {"name": 3}, {}], strict=True)
    assert look.fresh == {"search": PINNED["search"]}
    assert not look.quarantined


def test_the_same_in_another_order_is_the_same():
    turned = {"inputSchema": {"type": "object"}, "description": "Finds.", "name": "search", "x": 1}
    assert waits(turned, READ) == {}
    assert any_digest({"a": 1, "b": 2}) == any_digest({"b": 2, "a": 1})


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"description": "Finds. "}, "description"),
        ({"annotations": {"readOnlyHint": True}}, "annotations"),
        ({"inputSchema": {"type": "array"}}, "inputSchema"),
        ({"title": "S", "icons": []}, "title, icons"),
    ],
)
def test_a_change_waits_and_names_its_members(changed, named):
    found = waits({**SEARCH, **changed}, READ)
    assert found == {"search": f"changed since it was pinned: {named}"}


def test_a_new_tool_waits_or_is_pinned():
    assert "new" in waits(SEARCH, READ, {"name": "delete"})["delete"]
    assert waits(SEARCH, READ, {"name": "delete"}, strict=False) == {}
    look = compare(PINNED, [SEARCH, {"name": "delete"}], strict=False)
    assert set(look.fresh) == {"delete"}


@pytest.mark.parametrize("name", ["serch", "searchs", "se\u0430rch", "read_fi1e", "Search"])
def test_a_look_alike_waits_in_any_case(name):
    assert "looks like" in waits(SEARCH, READ, {"name": name}, strict=False)[name]


def test_a_rename_waits_in_any_case():
    moved = {**SEARCH, "name": "query"}
    assert waits(moved, READ, strict=False) == {"query": "search under another name"}
    assert waits(SEARCH, moved, READ, strict=False) == {}


def test_short_names_may_differ_in_a_letter():
    assert not alike("get", "set")
    assert not alike("search", "search")
    assert alike("get_a", "get_b")
