"""The redactor: an entry says which, how many and by which rule, never what."""

import json

import pytest

from tripwire.ledger.entry import Links, Redactor, decision, entry
from tripwire.ledger.keys import SessionKeys
from tripwire.ledger.receipt import secret_spans
from tripwire.model.event import Approved, Denied, SessionOpened, ToolCall, ToolResult
from tripwire.model.label import Label, Origin, Trust
from tripwire.model.verdict import (
    ALLOWED,
    Action,
    CheckOutcome,
    Destination,
    Finding,
    Verdict,
    Violation,
)
from tripwire.text.canonical import canonical_bytes

RED = Redactor(SessionKeys.derive(b"k" * 32), secret_spans)
ORIGIN = Origin(3, "docs", "read", Trust.WORLD, where="/canary", record="canary", field="canary")
VERDICT = Verdict.of(
    Finding(
        "act/untrusted-destination",
        Action.BLOCK,
        "canary reason",
        remedy="canary remedy",
        tell="canary tell",
        code="provenance_violation",
        at="tripwire.yaml:6",
        evidence=(ORIGIN,) * 20,
        violations=(
            Violation(
                "canary.recipient", "untrusted_provenance", "trusted", "canary", (ORIGIN,), 9
            ),
            Violation("ca nary", "unknown_provenance", "trusted", "canary"),
        ),
        checks=(CheckOutcome("intent_match", False, "canary reason"),),
        earlier_receipt=2,
    ),
    destinations=(Destination("canary.example", "untrusted", "canary origin"),),
    not_scanned=("canary block",),
)


def test_nothing_of_a_verdict_but_ids_codes_hashes_and_counts():
    call = ToolCall("canary-call", "docs", "read", {"canary": "canary"}, cwd="/canary")
    kind, data = entry(call, VERDICT, VERDICT, Links("d-1", args_hash="0" * 64), RED)
    assert kind == "tool_call_blocked"
    assert "canary" not in json.dumps(data)
    finding = data["findings"][0]
    assert finding["code"] == "provenance_violation"
    assert finding["at"] == "tripwire.yaml:6"
    assert len(finding["evidence"]) == 8
    assert finding["violations"][0]["param"] == "recipient"
    assert finding["violations"][1]["param"].startswith("~")
    assert data["destinations"] == [{"hash": data["destinations"][0]["hash"], "trust": "untrusted"}]
    assert data["not_scanned"] == 1
    assert data["decision"] == "block"


@pytest.mark.parametrize(
    "name",
    [
        "pay\nALLOWED",
        "a" * 200,
        "ghp_Zk3x9QwErTyU7iOpAsDfGhJkLzXcVbNm1234",
        "naïve",
        "\ud800",
        "{}",
    ],
)
def test_a_name_that_could_be_anything_is_a_keyed_hash(name):
    assert RED.name(name) == f"~{RED.keys.name_hash(name)}"


def test_names_of_tools_stand_as_they_are():
    for name in ("docs__read_document", "mcp__github__create_issue", "Bash", "a.b/c:d-e"):
        assert RED.name(name) == name
    assert RED.name("") == ""


def test_two_sessions_hash_a_name_differently():
    other = Redactor(SessionKeys.derive(b"o" * 32), secret_spans)
    assert RED.name("naïve") != other.name("naïve")


def test_entries_are_canonical_already():
    """The chain's fast path writes what RFC 8785 would."""
    import orjson

    events = [
        ToolCall("c", "𝔘", "ü", {}),
        ToolResult("c", "s", "t", {}, 1, is_error=True),
        SessionOpened("\ud800", inherited=frozenset(Label), remotes=("canary",)),
        Approved("ap-1", "no hash: canary", frozenset({"act/a"}), "alice", "cli"),
        Denied("ap-1", "0" * 64, frozenset({"act/a"}), "cli", "timeout"),
    ]
    for event in events:
        _, data = entry(event, VERDICT, VERDICT, Links("d-1", sealed=(1, "0")), RED)
        assert orjson.dumps(data, option=orjson.OPT_SORT_KEYS) == canonical_bytes(data)
        assert "canary" not in json.dumps(data)


def test_what_was_judged_is_said_where_a_mode_changed_it():
    call = ToolCall("c", "s", "t", {})
    lowered = VERDICT.at_most(Action.INFORM)
    kind, data = entry(call, VERDICT, lowered, Links("d-1", holder="1a"), RED)
    assert (kind, data["judged"], data["decision"]) == ("tool_call_attempt", "BLOCK", "flag")


def test_decisions():
    ask = Verdict.of(Finding("act/a", Action.ASK, "r"))
    assert [decision(v) for v in (ALLOWED, ask, VERDICT)] == ["pass", "hold", "block"]
    assert entry(ToolCall("c", "s", "t", {}), ask, ask, Links("d"), RED)[0] == "tool_call_held"
