"""The entry of our file server in each client's configuration (CTX-29, §4.2 init)."""

import json
import tomllib

import pytest

from tripwire.doors.hooks import served, settings
from tripwire.errors import SettingsUnreadable

COMMAND = ("/opt/tripwire", "serve", "--project", "/r")


@pytest.mark.parametrize("client", served.FILES)
def test_an_entry_is_added_once_and_found(client, tmp_path):
    name, member = served.FILES[client][0]
    command = ("/bin/sh", *COMMAND[1:])
    text = served.with_server(client, "", command)
    assert served.with_server(client, text, ("/other",)) == text
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)
    data = tomllib.loads(text) if name.endswith(".toml") else json.loads(text)
    assert data[member]["tripwire"] == {"command": "/bin/sh", "args": list(COMMAND[1:])}
    assert served.is_served(client, tmp_path, str(tmp_path / "home"))


@pytest.mark.parametrize("client", served.FILES)
def test_what_else_stands_there_stays(client):
    name, member = served.FILES[client][0]
    if name.endswith(".toml"):
        before = '# mine\nmodel = "m"\n\n[mcp_servers.other]\ncommand = "x"\n'
        data = tomllib.loads(served.with_server(client, before, COMMAND))
        assert set(data[member]) == {"other", "tripwire"}
        assert served.with_server(client, before, COMMAND).startswith(before)
        return
    before = '{\n  // mine\n  "a": 1,\n  "' + member + '": {"other": {"command": "x"}}\n}\n'
    after = served.with_server(client, before, COMMAND)
    assert "// mine" in after
    assert set(settings.read(after)[member]) == {"other", "tripwire"}


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("claude-code", "{"),
        ("claude-code", '{"mcpServers": []}'),
        ("codex", "a = = b"),
        ("codex", "mcp_servers = 3"),
    ],
)
def test_what_cannot_be_read_is_not_rewritten(client, text):
    with pytest.raises(SettingsUnreadable):
        served.with_server(client, text, COMMAND)


def test_the_entry_of_the_user_for_this_project_counts(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    entry = {"tripwire": {"command": "/bin/sh"}}
    text = {"projects": {str(tmp_path): {"mcpServers": entry}, "/elsewhere": {}}}
    (home / ".claude.json").write_text(json.dumps(text))
    assert served.is_served("claude-code", tmp_path, str(home))
    assert not served.is_served("claude-code", tmp_path / "other", str(home))


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "/no/such/program"},
        {"command": ""},
        {"command": ["sh"]},
        {"command": "sh\0"},
        {"url": "http://localhost"},
        "sh",
        None,
    ],
)
def test_an_entry_that_cannot_start_is_none(tmp_path, entry):
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"tripwire": entry}}))
    assert not served.is_served("claude-code", tmp_path, str(tmp_path))


def test_another_key_is_another_server(tmp_path):
    entry = {"command": "/bin/sh"}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"Tripwire": entry}}))
    assert not served.is_served("claude-code", tmp_path, str(tmp_path))


def test_every_entry_is_listed_with_its_place(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / ".mcp.json").write_text('{"mcpServers": {"a": {"command": "x"}, "b": 7}}')
    own = {"mcpServers": {"tripwire": {"command": "y"}}}
    (home / ".claude.json").write_text(json.dumps({"projects": {str(tmp_path): own}}))
    found = [
        (e.file.name, e.key, e.entry["command"])
        for e in served.entries("claude-code", tmp_path, str(home))
    ]
    assert found == [(".mcp.json", "a", "x"), (".claude.json", "tripwire", "y")]


def test_a_device_in_place_of_a_configuration_is_not_read(tmp_path):
    (tmp_path / ".mcp.json").symlink_to("/dev/zero")
    assert list(served.entries("claude-code", tmp_path, str(tmp_path))) == []
