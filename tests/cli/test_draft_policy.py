"""`tripwire draft-policy`: a reviewed start for a server's policy."""

import json

import pytest

from tripwire.cli.main import main
from tripwire.config.load import load_policy
from tripwire.model.label import WriteClass

TOOLS = [
    {"name": "send_mail", "inputSchema": {"properties": {"to": {}, "body": {}}}},
    {"name": "zorgle\n  evil: {harmless: true}"},
]


@pytest.fixture
def listing(tmp_path):
    def write(value):
        file = tmp_path / "tools.json"
        file.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
        return file

    return write


@pytest.mark.parametrize("wrapped", [TOOLS, {"tools": TOOLS}, {"result": {"tools": TOOLS}}])
def test_a_draft_is_a_policy_that_loads(listing, capsys, tmp_path, wrapped):
    assert main(["draft-policy", str(listing(wrapped)), "--source", "mail"]) == 0
    file = tmp_path / "tripwire.yaml"
    file.write_text(capsys.readouterr().out, "utf-8")
    roles = load_policy(file).flow.tools["mail"].roles
    assert set(roles) == {"send_mail"}
    assert roles["send_mail"][0].writes == {WriteClass.EXTERNAL}


def test_what_was_left_out_is_listed(listing, capsys):
    assert main(["draft-policy", str(listing(TOOLS)), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [each["tool"] for each in said["omitted"]] == [TOOLS[1]["name"]]
    assert said["tools"]["send_mail"]["why"]


@pytest.mark.parametrize("value", ["{", {"tools": 3}, [1], [{"name": "zorgle"}]])
def test_a_listing_that_gives_no_role_is_an_error(listing, value):
    assert main(["draft-policy", str(listing(value))]) == 2


def test_a_missing_file_is_named(tmp_path, capsys):
    assert main(["draft-policy", str(tmp_path / "none.json")]) == 2
    assert "none.json" in capsys.readouterr().err
