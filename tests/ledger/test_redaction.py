"""`redact`: what the operator names never stands in a receipt, and replay gives it back."""

import json
from dataclasses import replace

import pytest
from tests.io.test_session import Place

from tripwire.config.presets import builtin_policy, policy_from_mapping
from tripwire.ledger.redaction import spans_for
from tripwire.model.event import SessionOpened, ToolCall, ToolResult

ROW = {"iban": "DE89 3704 0044 0532 0130 00", "cvv": "123", "balance": 1234.5, "name": "Ann \u00e9"}
TEXT = json.dumps(ROW)
MCP = {"content": [{"type": "text", "text": TEXT}], "structuredContent": ROW}
LISTED = {"items": [ROW, {**ROW, "iban": "GB29", "cvv": "7"}], "note": "123 and DE89"}


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path / "state")
    yield made
    for session in made.opened:
        session.close()


def told(place, result, *redact, tool="get"):
    policy = replace(builtin_policy(), redact=tuple(redact))
    session = place.open(policy=policy)
    session.decide(SessionOpened("t", "/w", "/home/u"))
    call = ToolCall("c", "bank", tool, {"id": "x"})
    session.decide(call)
    session.decide(ToolResult("c", "bank", tool, {"id": "x"}, result))
    live = session.memory.snapshot()
    session.close()
    assert place.open(policy=policy).memory.snapshot() == live
    assert place.verify().ok
    return (session.path / "receipts.jsonl").read_text()


def test_named_values_are_commitments_in_every_form(place):
    text = told(place, MCP, ("bank__get", "$.iban"), ("bank__*", "$.cvv"), ("get", "$.balance"))
    for value in ("3704", '"123"', '\\"123\\"', "1234.5"):
        assert value not in text
    assert "Ann" in text
    assert "secret number" in text


def test_a_path_into_a_list_and_a_whole_object(place):
    text = told(place, LISTED, ("*", "$.items[*].iban"), ("*", "$.items[1]"))
    assert "3704" not in text
    assert "GB29" not in text
    assert '"7"' not in text
    assert "and DE89" in text, "a part of a value is no value"


def test_other_tools_and_paths_keep_theirs(place):
    assert "3704" in told(place, MCP, ("bank__other", "$.iban"), ("bank__get", "$.owner"))


def test_non_ascii_and_short_values_in_json_text(place):
    text = told(
        place, {"content": [{"type": "text", "text": TEXT}]}, ("*", "$.name"), ("*", "$.cvv")
    )
    assert "Ann" not in text
    assert "0130" in text


def test_nothing_to_cover():
    event = ToolResult("c", "bank", "get", {}, {"a": True, "b": None, "c": ""})
    assert spans_for(event, [("*", "$.a"), ("*", "$.b"), ("*", "$.c")]) is None
    assert spans_for(event, []) is None


def test_the_key_reaches_the_policy():
    policy = policy_from_mapping({"redact": [{"bank__*": "$.iban"}]})
    assert policy.redact == (("bank__*", "$.iban"),)
