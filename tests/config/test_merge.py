"""A project may tighten what the user-level file says, never loosen it."""

import pytest

from tripwire.config.load import load_policy
from tripwire.errors import PolicyErrors


@pytest.fixture
def both(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def both(user, project):
        (tmp_path / "user.yaml").write_text(user)
        (tmp_path / "tripwire.yaml").write_text(project)
        return load_policy(tmp_path / "tripwire.yaml", user=tmp_path / "user.yaml")

    return both


LOOSER = [
    ("flow: {mode: enforce}", "flow: {mode: monitor}", "flow.mode"),
    ("defaults: {on_unmatched: block}", "defaults: {on_unmatched: pass}", "defaults.on_unmatched"),
    ("defaults: {audit: all}", "defaults: {audit: decisions}", "defaults.audit"),
    ("intent: {on_change: block}", "intent: {on_change: flag}", "intent.on_change"),
    ("intent: {source: [hook]}", "intent: {source: [hook, declared]}", "intent.source"),
    ("flow: {trusted_urls: [a.example]}", "flow: {trusted_urls: [a.example, b.example]}", "flow.trusted_urls"),
    ("flow: {me: [a@x.org]}", "flow: {me: [a@x.org, b@x.org]}", "flow.me"),
    ("flow: {public_paths: [/srv/**]}", "flow: {public_paths: [/srv/**, /**]}", "flow.public_paths"),
    ("flow: {public_paths: [/srv/**, '!/srv/a/**']}", "flow: {public_paths: [/srv/**, /etc/**]}", "flow.public_paths"),
    ("flow: {secret_paths: [/srv/**]}", "flow: {secret_paths: ['!/srv/**']}", "flow.secret_paths"),
    ("flow: {strict_links: true}", "flow: {strict_links: false}", "flow.strict_links"),
    ("flow: {strict_destinations: true}", "flow: {strict_destinations: false}", "flow.strict_destinations"),
    ("flow: {prompt_pastes: untrusted}", "flow: {prompt_pastes: trusted}", "flow.prompt_pastes"),
    ("flow: {ask_fallback: block}", "flow: {ask_fallback: unsafe_allow}", "flow.ask_fallback"),
    ("flow: {approval_ttl: 1h}", "flow: {approval_ttl: 61m}", "flow.approval_ttl"),
    ("flow: {dlp: {depth: 3}}", "flow: {dlp: {depth: 0}}", "flow.dlp.depth"),
    ("flow: {dlp: {max_kb: 2048}}", "flow: {dlp: {max_kb: 1}}", "flow.dlp.max_kb"),
    ("flow: {dlp: {shapes: on}}", "flow: {dlp: {shapes: off}}", "flow.dlp.shapes"),
    (
        "flow: {rules: [{id: act/x, classes: [public], action: BLOCK}]}",
        "flow: {rules: [{id: act/x, classes: [public], action: INFORM}]}",
        "flow.rules",
    ),
    ("flow: {policies: {fs: filesystem}}", "flow: {policies: {fs: {'*': {harmless: true}}}}", "flow.policies.fs"),
    ("limits: {depth: 16}", "limits: {depth: 99}", "limits.depth"),
    ("approvals: {channels: [cli]}", "approvals: {channels: [cli, mcp]}", "approvals.channels"),
    ("approvals: {max_ttl: 1h}", "approvals: {max_ttl: 1d}", "approvals.max_ttl"),
    ("state_dir: /a", "state_dir: /b", "state_dir"),
    ("keys_dir: /a", "keys_dir: beside", "keys_dir"),
    (
        "upstreams: [{name: pay, command: [good]}]",
        "upstreams: [{name: PAY, command: [evil], trust: trusted}]",
        "upstreams[0]",
    ),
    (
        "rules: [{id: r, match: {tool: a}, verify: {always: block}}]",
        "rules: [{id: r, match: {tool: a}, verify: {always: hold}}]",
        "rules[0]",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("user", "project", "path"), LOOSER, ids=[row[2] for row in LOOSER])
def test_a_loosening_key_is_ignored_and_reported(both, user, project, path):
    alone, merged = both(user, "flow: {}"), both(user, project)
    assert merged.flow == alone.flow
    assert merged.upstreams == alone.upstreams
    assert merged.call_rules == alone.call_rules
    assert (merged.on_unmatched, merged.audit) == (alone.on_unmatched, alone.audit)
    assert (merged.limits, merged.approvals) == (alone.limits, alone.approvals)
    assert (merged.state_dir, merged.keys_dir) == (alone.state_dir, alone.keys_dir)
    assert (merged.intent_on_change, merged.intent_sources) == (
        alone.intent_on_change,
        alone.intent_sources,
    )
    (notice,) = merged.notices
    assert notice.startswith("tripwire.yaml:1:")
    assert f": {path}: ignored: " in notice


def test_a_tightening_key_counts(both):
    policy = both(
        "flow: {mode: monitor, dlp: {depth: 2}, approval_ttl: 8h, trusted_urls: [a.example, b.example]}\n"
        "defaults: {on_unmatched: pass}\n",
        "flow: {mode: enforce, dlp: {depth: 4}, approval_ttl: 1h, trusted_urls: [b.example]}\n"
        "defaults: {on_unmatched: block}\n",
    )
    assert policy.flow.mode == "enforce"
    assert policy.flow.dlp.depth == 4
    assert policy.flow.approval_ttl == 3600.0
    assert policy.flow.trusted_urls == ("b.example",)
    assert policy.on_unmatched == "block"
    assert policy.notices == ()


def test_what_the_user_does_not_say_the_project_may(both):
    policy = both("flow: {me: [a@x.org]}", "flow: {mode: monitor}")
    assert policy.flow.mode == "monitor"
    assert policy.flow.me == ("a@x.org",)


def test_lists_that_tighten_are_joined(both):
    policy = both("flow: {secret_paths: [/u/**]}", "flow: {secret_paths: [/p/**]}")
    assert {"/u/**", "/p/**"} <= set(policy.flow.paths.secret)


def test_the_users_rules_come_first(both):
    policy = both(
        "rules: [{id: u, match: {tool: 'a*'}, verify: {always: block}}]",
        "rules: [{id: p, match: {tool: b}, verify: {always: hold}}]",
    )
    assert [rule.id for rule in policy.call_rules] == ["u", "p"]
    assert [rule.at for rule in policy.call_rules] == ["user.yaml:1", "tripwire.yaml:1"]


def test_relative_paths_start_at_the_file_they_stand_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("u", "p"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.yaml").write_text(f"upstreams: [{{name: {name}, command: [./s]}}]")
    policy = load_policy(tmp_path / "p/t.yaml", user=tmp_path / "u/t.yaml")
    assert [u.command[0] for u in policy.upstreams] == [f"{tmp_path}/u/s", f"{tmp_path}/p/s"]


def test_a_fault_in_the_users_file_is_a_fault(both):
    with pytest.raises(PolicyErrors, match=r"user\.yaml:1:1: flwo: unknown key"):
        both("flwo: {}", "flow: {}")


def test_a_wrong_word_of_the_project_is_a_fault_not_a_notice(both):
    with pytest.raises(PolicyErrors, match=r"tripwire\.yaml:1:14: flow\.mode"):
        both("flow: {mode: enforce}", "flow: {mode: enforec}")


def test_a_project_cannot_undo_a_section_with_another_type(both):
    for project in ("flow: []", "flow: x", "limits: 3"):
        with pytest.raises(PolicyErrors):
            both("flow: {mode: enforce}\nlimits: {depth: 8}", project)


def test_a_list_that_shares_nothing_with_the_users_is_empty(both):
    policy = both("flow: {trusted_urls: [a.example]}", "flow: {trusted_urls: [b.example]}")
    assert policy.flow.trusted_urls == ()
    assert "flow.trusted_urls: ignored: not in the user-level file's list" in policy.notices[0]


def test_taking_paths_out_of_a_list_that_eases_is_tighter(both):
    policy = both(
        "flow: {public_paths: [/srv/**]}", "flow: {public_paths: [/srv/**, '!/srv/a/**']}"
    )
    assert policy.flow.paths.public == ("/srv/**", "!/srv/a/**")
    assert policy.notices == ()
