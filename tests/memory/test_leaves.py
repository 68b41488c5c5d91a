"""Records and what is left of a document without its untrusted fields (gateway.md P-10, §2)."""

import pytest

from tripwire.memory.leaves import Marks, Walk, without_untrusted
from tripwire.text import paths

VENDOR = {
    "id": "V-2",
    "name": "Globex",
    "wallet": "w-1",
    "alias": "Acme Corp",
    "tags": ["Acme", "x"],
    "more": {"alias": "Acme Corp", "city": "Oslo"},
}


def marks(*, trusted=(), untrusted=()):
    return Marks(tuple(map(paths.parse, trusted)), tuple(map(paths.parse, untrusted)))


def words(document, given):
    return {
        leaf.name: {text for _, text in leaf.record.fields()}
        for leaf in Walk(given).leaves(document)
        if leaf.record is not None
    }


@pytest.mark.parametrize(
    ("untrusted", "gone"),
    [
        (["$.alias"], {"Acme Corp"}),
        (["$.tags"], {"Acme", "x"}),
        (["$.tags[*]"], {"Acme", "x"}),
        (["$.name", "$.id"], {"Globex", "V-2"}),
    ],
)
def test_untrusted_fields_do_not_name_their_record(untrusted, gone):
    every = words(VENDOR, marks())["wallet"]
    left = words(VENDOR, marks(untrusted=untrusted))["wallet"]
    assert left == every - gone


def test_an_inner_object_does_not_inherit_the_untrusted_names_around_it():
    assert "Acme Corp" not in words(VENDOR, marks(untrusted=["$.alias", "$.more.alias"]))["city"]
    assert "Globex" in words(VENDOR, marks(untrusted=["$.alias"]))["city"]


def test_with_trusted_fields_only_they_name_a_record():
    assert words(VENDOR, marks(trusted=["$.wallet", "$.id"]))["wallet"] == {"w-1", "V-2"}


def test_a_document_without_untrusted_fields():
    given = marks(untrusted=["$.alias", "$.tags", "$.more.alias"])
    left = without_untrusted(VENDOR, given)
    assert left == {
        "id": "V-2",
        "name": "Globex",
        "wallet": "w-1",
        "alias": None,
        "tags": [None, None],
        "more": {"alias": None, "city": "Oslo"},
    }
    assert without_untrusted(VENDOR, marks()) is VENDOR
    assert without_untrusted([VENDOR], marks(trusted=["$[*].id"]))[0]["name"] is None
