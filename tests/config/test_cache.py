"""The fallback's cache holds what the hook needs, as plain JSON, and nothing secret."""

import json

from tripwire.config.cache import cache_form
from tripwire.config.presets import builtin_policy, policy_from_mapping


def test_it_is_plain_json_and_equal_for_equal_policies():
    one, other = (json.dumps(cache_form(builtin_policy())) for _ in range(2))
    assert one == other
    form = json.loads(one)
    assert form["digest"] == builtin_policy().digest
    assert form["roles"]["claude-code"]["Bash"][0]["classifier"] == "shell"
    assert form["paths"]["secret"]
    assert form["local"] == sorted(builtin_policy().flow.shell.local)


def test_it_holds_no_environment_of_a_server():
    policy = policy_from_mapping(
        {"upstreams": [{"name": "a", "command": ["x"], "env": {"TOKEN": "canary-value"}}]}
    )
    assert "canary" not in json.dumps(cache_form(policy))
