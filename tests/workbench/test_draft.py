"""What `draft-policy` makes of tools by their names, descriptions and schemas."""

import pytest

from tripwire.config.presets import policy_from_mapping
from tripwire.model.label import Label, WriteClass
from tripwire.workbench.draft import draft_policy


def tool(name, *args, description="", required=()):
    properties = {arg: {"type": "string"} for arg in args}
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": description, "inputSchema": schema}


def role(name, *args, **more):
    (drafted,) = draft_policy([tool(name, *args, **more)], source="srv").roles
    return drafted.role


@pytest.mark.parametrize(
    ("name", "args", "writes", "key", "named"),
    [
        ("send_email", ("to", "cc", "body"), ["external"], "destination", ["to", "cc"]),
        ("SendEmail", ("to", "subject"), ["external"], "destination", ["to"]),
        ("transfer_funds", ("to_account", "amount"), ["commit"], "amount", ["amount"]),
        ("delete_file", ("file_id",), ["destructive"], "object", ["file_id"]),
        ("update_password", ("password",), ["privileged"], "authority", ["password"]),
        ("create_post", ("content",), ["public"], "kind", "post"),
        ("rename_note", ("note_id", "title"), ["internal"], "object", ["note_id"]),
        (
            "invite_user",
            ("user", "user_email"),
            ["privileged"],
            "destination",
            ["user", "user_email"],
        ),
    ],
)
def test_writing_tools(name, args, writes, key, named):
    found = role(name, *args)
    assert found["writes"] == writes
    assert found[key] == named


@pytest.mark.parametrize(
    ("name", "reads", "source"),
    [
        ("get_messages", ["untrusted", "private"], "world"),
        ("search_news", ["untrusted"], "world"),
        ("get_balance", ["private"], "platform"),
        ("list_passwords", ["private", "secret"], "platform"),
        ("get_user_profile", ["untrusted", "private"], "world"),
        ("get_whatever", ["untrusted", "private"], "world"),
    ],
)
def test_reading_tools_are_strangers_text_unless_a_system_keeps_it(name, reads, source):
    found = role(name)
    assert found["reads"] == reads
    assert found["source"] == source


def test_a_fetch_names_its_address_as_a_channel():
    found = role("navigate_to", "url")
    assert (found["destination"], found["carries_data"]) == (["url"], True)


def test_a_terminal_is_classified_as_a_shell_that_sees_local_files():
    assert role("execute", "command") == {
        "classifier": "shell", "payload": "command", "reads": ["private"],
    }  # fmt: skip


def test_an_argument_that_says_delete_makes_two_variants():
    described = "List, create, update and delete documents."
    (drafted,) = draft_policy(
        [tool("manage_documents", "action", "document_id", description=described)], source="srv"
    ).roles
    assert [v["writes"] for v in drafted.variants] == [["destructive"], ["internal"]]


def test_an_unknown_name_is_left_out_and_listed():
    draft = draft_policy([tool("zorgle"), tool("get_news")], source="srv")
    assert [name for name, _ in draft.omitted] == ["zorgle"]
    assert [drafted.tool for drafted in draft.roles] == ["get_news"]
    assert all(drafted.why for drafted in draft.roles)


def test_a_draft_without_roles_is_no_policy():
    with pytest.raises(ValueError, match="nothing is known"):
        draft_policy([tool("zorgle")], source="srv").as_policy()


def test_the_draft_is_a_policy():
    draft = draft_policy([tool("send_email", "to"), tool("get_news")], source="srv")
    roles = policy_from_mapping(draft.as_policy()).flow.tools["srv"].roles
    assert roles["send_email"][0].writes == {WriteClass.EXTERNAL}
    assert roles["get_news"][0].reads == {Label.UNTRUSTED}
