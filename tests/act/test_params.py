"""Which rule matches, and what an annotation may do (gateway.md §2)."""

import pytest

from tripwire.act.params import call_effect, name_role, rule_of, tool_options
from tripwire.config.presets import policy_from_mapping
from tripwire.memory.memory import Memory
from tripwire.model.event import ToolCall, ToolsListed
from tripwire.rule import Case

MAPPING = {
    "upstreams": [
        {
            "name": "good",
            "command": ["x"],
            "trust": "trusted",
            "tool_options": {"get_*": {"effect": "read"}, "get_key": {"transforms": True}},
        },
        {"name": "bad", "command": ["x"]},
    ],
    "rules": [
        {
            "id": "safe",
            "match": {"annotation": {"readOnlyHint": True}},
            "verify": {"require_intent": True},
        },
        {
            "id": "risky",
            "match": {"annotation": {"destructiveHint": True}},
            "verify": {"always": "hold"},
        },
        {"id": "rest", "match": {"tool": "*"}, "verify": {"always": "block"}},
    ],
}


def case_with(*listed):
    case = Case(policy_from_mapping(MAPPING), Memory())
    for source, notes in listed:
        case.memory.listings.learn(ToolsListed(source, ({"name": "t", "annotations": notes},)))
    return case


@pytest.mark.parametrize(
    ("source", "notes", "rule"),
    [
        ("good", {"readOnlyHint": True}, "safe"),
        ("good", {"destructiveHint": False}, "rest"),
        ("good", {}, "risky"),
        ("bad", {"destructiveHint": False}, "risky"),
        ("bad", {}, "risky"),
    ],
)
def test_annotations(source, notes, rule):
    assert rule_of(ToolCall("1", source, "t", {}), case_with((source, notes))).id == rule


def test_an_exact_option_goes_before_a_glob():
    policy = policy_from_mapping(MAPPING)
    assert tool_options(policy, "good", "get_key").transforms
    assert tool_options(policy, "good", "get_vendor").effect == "read"
    assert tool_options(policy, "nobody", "get_vendor").effect == ""


def test_only_a_trusted_upstream_says_what_it_does():
    case = case_with(("good", {"readOnlyHint": True}), ("bad", {"readOnlyHint": True}))
    assert call_effect(case, "good", "t") == "read"
    assert call_effect(case, "bad", "t") == ""
    assert call_effect(case, "good", "get_x") == "read"


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("recipient", "destination"),
        ("toAddress", "destination"),
        ("destination_iban", "destination"),
        ("amount", "amount"),
        ("total", "amount"),
        ("currency", "currency"),
        ("invoice_id", "id"),
        ("token", "currency"),
        ("memo", ""),
    ],
)
def test_roles_by_name(name, role):
    assert name_role(name) == role
