"""`tripwire serve` as an MCP client meets it: the real process on real streams."""

import asyncio
import os
import sys

from mcp import Client, StdioServerParameters

TRIPWIRE = 'triggers: ["src/**"]\ncontext: "Orders are never deleted."\ncreated_by: human\n'


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
    (root.parent / "outside.txt").write_text("not yours")
    return root


def text_of(result):
    return result.content[0].text


async def talk(root, home):
    async with Client(started(root, home)) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        read = await client.call_tool("read_file", {"path": "src/orders.py"})
        part = await client.call_tool(
            "read_file", {"path": "src/orders.py", "offset": 2, "limit": 2}
        )
        spellings = (
            "../outside.txt",
            str(root.parent / "outside.txt"),
            "src/\0",
            "..\\outside.txt",
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
        return tools, read, part, refused, odd, made, again


def test_a_read_carries_what_the_team_knows_and_stays_inside(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    home = tmp_path / "home"
    home.mkdir()
    tools, read, part, refused, odd, made, again = asyncio.run(talk(project(root), home))
    assert {"read_file", "create_tripwire", "explain", "search_files"} <= tools
    assert len(tools) == 11
    assert text_of(read).startswith('<<<TRIPWIRE severity="warning" name="orders">>>\nOrders are')
    assert text_of(read).endswith(
        "<<<TRIPWIRE_FILE_CONTENT>>>\nline 1\nline 2\nline 3\nline 4\nline 5\n"
    )
    assert text_of(part).endswith("<<<TRIPWIRE_FILE_CONTENT>>>\nline 2\nline 3\n")
    assert all(result.is_error for result in refused)
    assert not any("not yours" in text_of(result) for result in refused)
    assert odd.is_error
    assert 'unknown argument "extra"' in text_of(odd)
    assert not made.is_error, text_of(made)
    assert "created_by: agent:mcp" in (root / ".tripwires" / "no-deletes.yml").read_text()
    assert "Use archive()." in text_of(again)
