"""The file server without a wire: what is labelled, what a yes covers, what is refused."""

import asyncio
import os

import mcp_types as wire
import pytest
from mcp import Client

from tripwire.config.presets import builtin_policy
from tripwire.doors.mcp_server.asking import LONGEST, readable
from tripwire.doors.mcp_server.file_server import Answer, Ask, FileServer
from tripwire.doors.mcp_server.server import Wire
from tripwire.io.session import open_session
from tripwire.io.tripwires import TripwireFolder
from tripwire.model.event import SessionOpened
from tripwire.model.label import Label

HUMAN = "triggers: [src/**]\ncontext: Ask first.\ncreated_by: human\n"
LESSON = {"name": "n", "triggers": ["src/**"], "context": "Never mind.", "learned_from": "x"}
REPLACE = LESSON | {"force": True}


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / ".tripwires").mkdir()
    (root / ".tripwires" / "n.yml").write_text(HUMAN)
    (root / ".env").write_text("NAME=plain\n")
    return root


@pytest.fixture
def server(root, tmp_path):
    made = _server(root, tmp_path / "state", frozenset())
    yield made
    made.session.close()


@pytest.fixture
def tainted(root, tmp_path):
    made = _server(root, tmp_path / "state", frozenset({Label.UNTRUSTED}))
    yield made
    made.session.close()


def _server(root, state, inherited):
    opened = SessionOpened("mcp_server", str(root), inherited=inherited)
    session = open_session(builtin_policy(), root=state, name="s", client="mcp", fresh=opened)
    return FileServer(session, root, TripwireFolder(root), "c")


def written(root):
    return (root / ".tripwires" / "n.yml").read_text()


@pytest.mark.parametrize(
    "spelling", [".env", "link.txt", "src\\..\\.env", "file:{root}/.env", "file://{root}/%2eenv"]
)
def test_every_spelling_of_a_secret_file_makes_the_session_secret(server, root, spelling):
    os.symlink(".env", root / "link.txt")
    found = server.call("read_file", {"path": spelling.replace("{root}", str(root))})
    assert found.blocks == ("NAME=plain\n",)
    assert Label.SECRET in server.session.memory.labels


def test_an_ordinary_file_does_not(server, root):
    (root / "src" / "a.py").write_text("pass\n")
    assert not server.call("read_file", {"path": "src/a.py"}).is_error
    assert Label.SECRET not in server.session.memory.labels


@pytest.mark.parametrize("path", ["a\0b", "\ud800", "x" * 5000, "", "nul/\0", "/proc/self/environ"])
@pytest.mark.parametrize(
    "tool", ["read_file", "list_directory", "file_stat", "explain", "check_tripwires"]
)
def test_a_path_that_cannot_be_is_an_error_in_words(server, tool, path):
    found = server.call(tool, {"path": path})
    if tool in ("explain", "check_tripwires") and len(path) == 5000:
        return  # only a name: nothing is opened
    assert found.is_error
    assert found.blocks[0].startswith("Error: ")


def test_a_change_of_a_persons_tripwire_shows_its_diff_and_waits(server, root):
    asked = server.call("create_tripwire", REPLACE)
    assert isinstance(asked, Ask)
    assert "-context: Ask first." in asked.text
    assert server.call("create_tripwire", REPLACE, said={asked.text: False}).is_error
    assert written(root) == HUMAN
    assert not server.call("create_tripwire", REPLACE, said={asked.text: True}).is_error
    assert "Never mind." in written(root)


def test_a_yes_to_one_question_is_no_yes_to_another(tainted, root):
    first = tainted.call("create_tripwire", REPLACE)
    assert isinstance(first, Ask)
    assert "diff" not in first.text
    second = tainted.call("create_tripwire", REPLACE, said={first.text: True})
    assert isinstance(second, Ask)
    assert "-context: Ask first." in second.text
    assert written(root) == HUMAN
    both = {first.text: True, second.text: True}
    assert isinstance(tainted.call("create_tripwire", REPLACE, said=both), Answer)
    assert "Never mind." in written(root)


def test_a_no_to_the_first_question_ends_it(tainted, root):
    first = tainted.call("create_tripwire", REPLACE)
    assert tainted.call("create_tripwire", REPLACE, said={first.text: False}).is_error
    assert written(root) == HUMAN


def test_a_file_that_changed_since_it_was_shown_is_asked_about_again(server, root):
    asked = server.call("create_tripwire", REPLACE)
    (root / ".tripwires" / "n.yml").write_text(HUMAN + "severity: critical\n")
    again = server.call("create_tripwire", REPLACE, said={asked.text: True})
    assert isinstance(again, Ask)
    assert "critical" in written(root)


def test_what_cannot_be_shown_whole_cannot_be_approved():
    assert readable("x" * LONGEST)
    assert not readable("x" * (LONGEST + 1))


async def _asked(files, mode, answers, arguments):
    shown = []

    async def person(_context, params):
        shown.append(params.message)
        return wire.ElicitResult(action="accept", content={"approve": answers.pop(0)})

    server = Wire(files).server()
    async with Client(server, mode=mode, elicitation_callback=person) as client:
        return await client.call_tool("create_tripwire", arguments), shown


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_shows_each_question_to_the_person(tainted, root, mode):
    result, shown = asyncio.run(_asked(tainted, mode, [True, True], REPLACE))
    assert not result.is_error, result
    assert len(shown) == 2
    assert "Never mind." in written(root)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_no_at_the_second_question_changes_nothing(tainted, root, mode):
    result, shown = asyncio.run(_asked(tainted, mode, [True, False], REPLACE))
    assert result.is_error
    assert len(shown) == 2
    assert written(root) == HUMAN


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_change_too_long_to_be_read_is_not_asked(server, root, mode):
    long = REPLACE | {"context": "x" * (LONGEST + 1)}
    result, shown = asyncio.run(_asked(server, mode, [True], long))
    assert result.is_error
    assert shown == []
    assert written(root) == HUMAN


def test_nobody_is_asked_by_a_client_that_cannot(server, root):
    async def talk():
        async with Client(Wire(server).server(), mode="legacy") as client:
            return await client.call_tool("create_tripwire", REPLACE)

    result = asyncio.run(talk())
    assert result.is_error
    assert "was written by human" in result.content[0].text
    assert written(root) == HUMAN
