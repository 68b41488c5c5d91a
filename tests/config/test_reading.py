"""Whatever a file holds, loading it gives a Policy or PolicyErrors, never another error."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tripwire.config import flow_keys, keys
from tripwire.config.presets import policy_from_mapping
from tripwire.config.problems import Problems
from tripwire.config.reading import Section
from tripwire.config.strict_yaml import parse
from tripwire.errors import PolicyErrors
from tripwire.model.policy import Policy

TABLES = [
    table
    for module in (keys, flow_keys)
    for table in vars(module).values()
    if isinstance(table, dict) and table and all(isinstance(k, keys.Key) for k in table.values())
]
NAMES = sorted({name for table in TABLES for name in table})
WORDS = ["hold", "block", "pass", "trusted", "any", "offline", "act/x", "public", "private", "$.a", "a__*", "git", "!x", "@(a", "", "~", "1h", "*", "https://*", "\x1b[2J"]  # fmt: skip

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 10**6)
    | st.floats()
    | st.sampled_from(WORDS)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def only_policy_errors(mapping):
    try:
        assert isinstance(policy_from_mapping(mapping), Policy)
    except PolicyErrors as errors:
        said = [str(problem) for problem in errors.problems] or ["nothing\nsaid"]
    else:
        return
    assert all(len(line.splitlines()) == 1 for line in said)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(keys.ROOT)), values, max_size=4))
def test_any_mapping_is_a_policy_or_a_list_of_faults(mapping):
    only_policy_errors(mapping)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(flow_keys.FLOW)), values, max_size=4))
def test_any_flow_section_is_a_policy_or_a_list_of_faults(section):
    only_policy_errors({"flow": section})


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(st.sampled_from(sorted(keys.UPSTREAM)), values, max_size=5),
    st.dictionaries(st.sampled_from(sorted(keys.RULE)), values, max_size=4),
)
def test_any_upstream_and_rule_is_a_policy_or_a_list_of_faults(upstream, rule):
    only_policy_errors({"upstreams": [upstream], "rules": [rule, rule]})


@settings(max_examples=100, deadline=None)
@given(
    st.text("ab:-{}[],&*!|>'\"%@`#?~ \n\t\\$0\u00e9", max_size=40)
    | values.map(lambda v: json.dumps(v, default=str))
)
def test_any_text_is_a_tree_or_a_fault(text):
    problems = Problems()
    node = parse(text, "x.yaml", "", problems)
    assert (node is None) <= bool(problems.errors)


def test_no_key_is_accepted_and_then_forgotten(monkeypatch):
    asked = set()
    get = Section.get

    def recording(section, name):
        asked.add((id(section.keys), name))
        return get(section, name)

    monkeypatch.setattr(Section, "get", recording)
    role = {"reads": ["private"]}
    policy_from_mapping(
        {
            "upstreams": [{"name": "a", "command": "x", "tool_options": {"t": {}}}],
            "rules": [
                {"match": {"tool": "b"}, "sensitive_params": {"p": {"provenance": "any"}}},
            ],
            "verifiers": {"v": {"provider": "offline"}},
            "audit": {"anchors": [{"type": "file", "target": "x"}]},
            "flow": {
                "+rules": [{"id": "act/x", "classes": ["public"], "action": "ASK"}],
                "policies": {"a": {"preset": "git", "tools": {"t": role}}},
            },
        }
    )
    for table in TABLES:
        for name, key in table.items():
            if not key.later or key.later_values:
                assert (id(table), name) in asked, f"{name} is in the table but nobody reads it"
