"""The settings text with our hooks in it, and without: nothing else may change."""

import json

import pytest
from hypothesis import given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from tripwire.doors.hooks import settings
from tripwire.doors.hooks.hook_files import FILES
from tripwire.errors import SettingsUnreadable

COMMAND = ("/py", "-I", "-S", "/lib/tripwire/doors/hooks/shim.py", "claude-code")
OTHER = {"type": "command", "command": "lint"}

TEXTS = [
    "",
    "{}",
    "{}\n",
    '{"model": "x"}',
    '{\n  "model": "x"\n}\n',
    '{\n    "permissions": {"allow": ["Bash"]},\n    "model": "x"\n}\n',
    '{\n  // mine\n  "model": "x", /* a } */\n  "note": "// not a comment",\n}\n',
    json.dumps({"hooks": {"Stop": [{"hooks": [OTHER]}]}}, indent=2),
    json.dumps({"a": 1, "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [OTHER]}]}, "z": 2}),
]


@pytest.mark.parametrize("text", TEXTS)
def test_install_then_uninstall_leaves_the_same_data(text):
    with_ours = settings.installed(text, COMMAND)
    assert settings.holds_ours(with_ours)
    data = settings.read(with_ours)
    assert set(settings.CLAUDE_CODE.events) <= set(data["hooks"])
    assert settings.read(settings.removed(with_ours)) == settings.read(text)
    assert {k: v for k, v in data.items() if k != "hooks"} == {
        k: v for k, v in settings.read(text).items() if k != "hooks"
    }


@pytest.mark.parametrize("text", TEXTS)
def test_install_is_idempotent(text):
    once = settings.installed(text, COMMAND)
    assert settings.installed(once, COMMAND) == once


def test_comments_and_layout_outside_of_hooks_stay():
    text = TEXTS[6]
    with_ours = settings.installed(text, COMMAND)
    for line in text.splitlines()[1:-1]:
        assert line in with_ours


def test_an_older_entry_of_ours_is_replaced_and_others_stay():
    old = ("/old/py", "-I", "-S", "/old/lib/tripwire/doors/hooks/shim.py", "claude-code")
    mixed = settings.read(settings.installed(TEXTS[8], old))
    mixed["hooks"]["PreToolUse"][1]["hooks"].append(OTHER)
    data = settings.read(settings.installed(json.dumps(mixed), COMMAND))
    text = json.dumps(data)
    assert "/old/py" not in text
    assert text.count('"lint"') == 2


def test_every_entry_fails_closed():
    for entries in settings.read(settings.snippet(COMMAND))["hooks"].values():
        handler = entries[0]["hooks"][0]
        assert handler["onFailure"] == "block"
        assert handler["timeout"] == 10
        assert handler["args"][:2] == ["-I", "-S"]


@pytest.mark.parametrize(
    "text", ["{", "[]", '"x"', "nonsense", '{"hooks": []}', '{"hooks": {"Stop": 5}}', "{" * 50_000]
)
def test_unreadable_settings_are_refused(text):
    with pytest.raises(SettingsUnreadable):
        settings.installed(text, COMMAND)


def test_switches_that_disable_hooks_are_found():
    assert settings.switched_off('{"disableAllHooks": true}') == ("disableAllHooks",)
    assert settings.switched_off('{"disableAllHooks": false}') == ()


keys = st.text(max_size=6).filter(lambda key: key != "hooks")
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


@bounds(max_examples=40, deadline=None)
@given(st.dictionaries(keys, values, max_size=4), st.sampled_from([None, 2, 4]))
def test_any_settings_survive(data, indent):
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    with_ours = settings.installed(text, COMMAND)
    assert settings.read(settings.removed(with_ours)) == data


def test_handlers_of_ours_are_listed_as_a_client_runs_them():
    for client, file in FILES.items():
        text = settings.installed("", ("python", "/x/tripwire/doors/hooks/shim.py", client), file)
        found = settings.handlers(text)
        assert {each.event for each in found} == set(file.events)
        assert all("shim.py" in " ".join(each.words) for each in found)
    other = '{"hooks": {"PreToolUse": [{"hooks": [{"command": "mine"}, 7]}, 7, {"command": "x"}]}}'
    assert settings.handlers(other) == ()
