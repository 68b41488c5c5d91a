"""`tripwire serve` as an MCP client meets it: the real process on real streams."""

import asyncio
import os
import sys

import pytest
from mcp import Client, StdioServerParameters

TRIPWIRE = 'triggers: ["src/**"]\ncontext: "Orders are never deleted."\ncreated_by: human\n'
ROTATED = 'triggers: ["*.log"]\ncontext: "Rotated at night."\ncreated_by: human\n'
LINE = "{:07d} a line of a large file, forty-odd characters long\n"
LINES = 190_000


def started(root, home):
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TRIPWIRE_HOME": str(home / "state"),
    }
    args = ["-m", "tripwire", "serve", "--project", str(root)]
    return StdioServerParameters(command=sys.executable, args=args, env=env, cwd=str(root))


def project(root):
    (root / "src").mkdir()
    (root / "src" / "orders.py").write_text("".join(f"line {n}\n" for n in range(1, 6)))
    (root / ".tripwires").mkdir()
    (root / ".tripwires" / "orders.yml").write_text(TRIPWIRE)
    (root / ".tripwires" / "logs.yml").write_text(ROTATED)
    (root.parent / "outside.txt").write_text("not yours")
    os.mkfifo(root / "pipe")
    (root / "big.log").write_text("".join(map(LINE.format, range(1, LINES + 1))))
    return root


def text_of(result):
    return result.content[0].text


async def talk(root, home):
    async with Client(started(root, home)) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        return tools, await small(client, root), await large(client)


async def small(client, root):
    read = await client.call_tool("read_file", {"path": "src/orders.py"})
    part = await client.call_tool("read_file", {"path": "src/orders.py", "offset": 2, "limit": 2})
    spellings = (
        "../outside.txt",
        str(root.parent / "outside.txt"),
        "src/\0",
        "..\\outside.txt",
        "pipe",
    )
    refused = [await client.call_tool("read_file", {"path": path}) for path in spellings]
    odd = await client.call_tool("read_file", {"path": "src/orders.py", "extra": 1})
    lesson = {
        "name": "No Deletes",
        "triggers": ["src/*.py"],
        "context": "Use archive().",
        "learned_from": "review",
    }
    made = await client.call_tool("create_tripwire", lesson)
    again = await client.call_tool("read_file", {"path": "src/orders.py"})
    return read, part, refused, odd, made, again


async def large(client):
    """The large file whole, and in parts: the beginning, the middle, the end, after it."""
    whole = await client.call_tool("read_file", {"path": "big.log"})
    asked = (
        {"limit": 2},
        {"offset": 150_000, "limit": 3},
        {"offset": LINES},
        {"offset": LINES + 1, "limit": 5},
    )
    return whole, [
        await client.call_tool("read_file", {"path": "big.log", **lines}) for lines in asked
    ]


@pytest.fixture(scope="module")
def spoken(tmp_path_factory):
    """One conversation with one server: its project, and what was said."""
    base = tmp_path_factory.mktemp("serve")
    root, home = base / "project", base / "home"
    root.mkdir()
    home.mkdir()
    return root, *asyncio.run(talk(project(root), home))


def test_a_read_carries_what_the_team_knows_and_stays_inside(spoken):
    root, tools, (read, part, refused, odd, made, again), _ = spoken
    assert {"read_file", "create_tripwire", "explain", "search_files"} <= tools
    assert len(tools) == 11
    assert text_of(read).startswith('<<<TRIPWIRE severity="warning" name="orders">>>\nOrders are')
    assert text_of(read).endswith(
        "<<<TRIPWIRE_FILE_CONTENT>>>\nline 1\nline 2\nline 3\nline 4\nline 5\n"
    )
    assert text_of(part).endswith("<<<TRIPWIRE_FILE_CONTENT>>>\nline 2\nline 3\n")
    assert all(result.is_error for result in refused)
    assert text_of(refused[-1]) == "Error: Path is no regular file: pipe"
    assert not any("not yours" in text_of(result) for result in refused)
    assert odd.is_error
    assert 'unknown argument "extra"' in text_of(odd)
    assert not made.is_error, text_of(made)
    assert "created_by: agent:mcp" in (root / ".tripwires" / "no-deletes.yml").read_text()
    assert "Use archive()." in text_of(again)


def test_a_file_of_more_than_10_mb_is_read_in_parts(spoken):
    root, _, _, (whole, served) = spoken
    size = (root / "big.log").stat().st_size
    assert size > 10 << 20
    assert whole.is_error
    assert text_of(whole) == (
        f"Error: File is larger than 10,485,760 bytes: big.log ({size:,} bytes). "
        "Read a part of it with offset and limit."
    )
    told = [text_of(result).partition("<<<TRIPWIRE_FILE_CONTENT>>>\n") for result in served]
    assert all("Rotated at night." in injection for injection, _, _ in told)
    assert [text for _, _, text in told] == [
        LINE.format(1) + LINE.format(2),
        "".join(map(LINE.format, range(150_000, 150_003))),
        LINE.format(LINES),
        "",
    ]
