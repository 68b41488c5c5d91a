"""Which files are read, what `${VAR}` becomes, and what a digest covers."""

import pytest

from tripwire.config.load import load_policy
from tripwire.config.presets import builtin_policy, policy_from_mapping, policy_from_preset
from tripwire.errors import PolicyErrors


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def write(tmp_path, text):
    file = tmp_path / "tripwire.yaml"
    file.write_text(text)
    return file


def test_without_any_file_the_built_in_policy_holds(tmp_path):
    policy = load_policy(None, project=tmp_path)
    assert policy.path == ""
    assert policy.flow.tools["claude-code"].preset == "claude-code"
    assert len(policy.flow.rows) > 10
    assert policy.flow.paths.secret
    assert policy.flow.shell.local


def test_the_projects_file_is_found_above_a_directory_but_not_beyond_git(tmp_path):
    file = write(tmp_path, "flow: {mode: monitor}")
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert load_policy(None, project=inner).path == str(file)
    (tmp_path / "a" / ".git").mkdir()
    assert load_policy(None, project=inner).path == ""


def test_the_user_level_file_lies_under_it(tmp_path):
    user = tmp_path / "config" / "tripwire" / "tripwire.yaml"
    user.parent.mkdir(parents=True)
    user.write_text("flow: {mode: enforce}")
    policy = load_policy(write(tmp_path, "flow: {mode: monitor}"))
    assert policy.flow.mode == "enforce"
    assert "ignored: looser than the user-level file" in policy.notices[0]
    assert load_policy(None).flow.mode == "enforce"


def test_variables_defaults_and_dollars(tmp_path, monkeypatch):
    monkeypatch.setenv("TW_CMD", "serve")
    monkeypatch.setenv("TW_EMPTY", "")
    monkeypatch.setenv("TW_MS", "1234")
    monkeypatch.delenv("TW_UNSET", raising=False)
    policy = load_policy(
        write(
            tmp_path,
            "upstreams:\n"
            "  - name: a\n"
            "    command: ['${TW_CMD}', '${TW_UNSET:-x y}', '${TW_EMPTY:-z}', '${TW_EMPTY}', '$${TW_CMD}', $HOME, '$']\n"
            "    timeout_ms: ${TW_MS}\n"
            "    prefix: ${TW_UNSET:-false}\n",
        )
    )
    (server,) = policy.upstreams
    assert server.command == ("serve", "x y", "z", "", "${TW_CMD}", "$HOME", "$")
    assert server.timeout_ms == 1234
    assert server.prefix is False


def test_an_unset_variable_is_a_fault_with_its_place(tmp_path, monkeypatch):
    monkeypatch.delenv("TW_UNSET", raising=False)
    file = write(tmp_path, "upstreams:\n  - {name: a, command: ['${TW_UNSET}', '${1}', '${']}\n")
    with pytest.raises(PolicyErrors) as caught:
        load_policy(file)
    assert str(caught.value).splitlines() == [
        "tripwire.yaml:2:25: upstreams[0].command[0]: the environment variable TW_UNSET is not set; set it, or write ${TW_UNSET:-default}",
        "tripwire.yaml:2:40: upstreams[0].command[1]: `${` without a variable name; write `$$` for a plain `$`",
        "tripwire.yaml:2:48: upstreams[0].command[2]: `${` without a variable name; write `$$` for a plain `$`",
    ]


def test_the_value_of_a_variable_never_stands_in_an_error(tmp_path, monkeypatch):
    canary = "s3cr3t-canary-value"
    monkeypatch.setenv("TW_SECRET", canary)
    places = (
        "flow: {mode: '${TW_SECRET}'}",
        "flow: {deadline_ms: '${TW_SECRET}'}",
        "flow: {approval_ttl: '${TW_SECRET}'}",
        "flow: {strict_links: '${TW_SECRET}'}",
        "flow: {purpose: '${TW_SECRET}'}",
        "flow: {own_domains: ['${TW_SECRET}']}",
        "flow: {trusted_urls: ['${TW_SECRET} x']}",
        "flow: {policies: {a: '${TW_SECRET}'}}",
        "flow: {policies: {a: '${TW_SECRET}.yaml'}}",
        "flow: {policies: {a: {preset: '${TW_SECRET}', tools: {t: {harmless: true}}}}}",
        "flow: {rules: [{id: '${TW_SECRET}', classes: [public], action: ASK}]}",
        "flow: {rules: [{id: act/x, classes: [public], action: ASK, skip: ['${TW_SECRET}!']}]}",
        "flow: {secret_paths: ['!(${TW_SECRET})']}",
        "flow: {policies: {a: {t: {harmless: true, destination: '${TW_SECRET}['}}}}",
        "upstreams: [{name: '${TW_SECRET}!', command: [x]}]",
        "upstreams: [{name: '${TW_SECRET}', command: [x]}, {name: '${TW_SECRET}', command: [x]}]",
        "upstreams: [{name: a, command: [x], locale: '${TW_SECRET}'}]",
        "upstreams: [{name: a, command: [x], trust: '${TW_SECRET}'}]",
        'upstreams: [{name: a, command: "\'${TW_SECRET}"}]',
        "upstreams: [{name: a, command: [x], tools: {allow: ['!(${TW_SECRET})']}}]",
        "upstreams: [{name: a, command: [x], tool_options: {t: {record_key: '${TW_SECRET}'}}}]",
        "upstreams: [{name: a, command: [x]}]\nrules: [{match: {upstream: '${TW_SECRET}'}, verify: {always: hold}}]",
        "rules: [{id: '${TW_SECRET}!', match: {tool: a}, verify: {always: hold}}]",
        "rules: [{match: {tool: a}, verify: {tiers: [consensus], panel: ['${TW_SECRET}']}}]",
        "rules: [{match: {tool: a}, verify: {tiers: [consensus], panel: ['openai/${TW_SECRET}']}}]",
        "rules: [{match: {tool: a}, sensitive_params: {x: {provenance: any, currency: '${TW_SECRET}'}}}]",
        "store: '${TW_SECRET}'",
        "transport: '${TW_SECRET}'",
        "redact: [{a: '${TW_SECRET}'}]",
    )
    for text in places:
        with pytest.raises(PolicyErrors) as caught:
            load_policy(write(tmp_path, text))
        assert canary not in str(caught.value), text


def test_a_digest_changes_with_every_file_and_only_with_them(tmp_path):
    one = load_policy(write(tmp_path, "flow: {}"))
    same = load_policy(write(tmp_path, "flow: {}"))
    other = load_policy(write(tmp_path, "flow: {me: [a]}"))
    assert one.digest == same.digest != other.digest
    assert len(one.digest) == 64
    assert builtin_policy().digest == builtin_policy().digest


def test_a_mapping_is_read_like_a_file():
    policy = policy_from_mapping(
        {"flow": {"me": ["a@x.org"]}, "defaults": {"on_unmatched": "block"}}
    )
    assert policy.flow.me == ("a@x.org",)
    with pytest.raises(PolicyErrors, match=r'flow\.mee: unknown key; did you mean "me"'):
        policy_from_mapping({"flow": {"mee": []}})


@pytest.mark.parametrize("wrong", [{"flow": object()}, {1: 2}, {"flow": {"me": [b"x"]}}])
def test_a_mapping_of_other_things_is_refused(wrong):
    with pytest.raises(PolicyErrors):
        policy_from_mapping(wrong)


def test_a_mapping_that_holds_itself_is_refused():
    loop = {}
    loop["flow"] = loop
    with pytest.raises(PolicyErrors, match="nested deeper"):
        policy_from_mapping(loop)


def test_a_preset_by_name():
    assert policy_from_preset("git").flow.tools["git"].preset == "git"
    with pytest.raises(PolicyErrors, match='did you mean "git"'):
        policy_from_preset("gti")


@pytest.mark.parametrize("kind", ["link", "directory"])
def test_a_configuration_that_is_no_file_is_not_passed_over(tmp_path, kind):
    (tmp_path / ".git").mkdir()
    named = tmp_path / "tripwire.yaml"
    if kind == "link":
        named.symlink_to(tmp_path / "gone")
    else:
        named.mkdir()
    with pytest.raises(PolicyErrors, match=r"tripwire\.yaml"):
        load_policy(None, project=tmp_path, user=None)


def test_a_user_file_that_is_no_file_is_not_passed_over(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "tripwire").mkdir()
    (tmp_path / "tripwire" / "tripwire.yaml").symlink_to(tmp_path / "gone")
    with pytest.raises(PolicyErrors, match=r"tripwire\.yaml"):
        load_policy(None, project=tmp_path / "p")
