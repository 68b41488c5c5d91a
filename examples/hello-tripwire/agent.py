"""A scripted agent whose files come from `tripwire serve`: it reads, learns something, reads again.

Needs the MCP SDK: pip install "tripwire[mcp]"
"""

import asyncio

from mcp import Client, StdioServerParameters

LESSON = {
    "name": "Refunds need a reason",
    "triggers": ["src/orders/refund*.py"],
    "context": "A refund without a reason is refused by the bank. Ask for one first.",
    "learned_from": "failed refund of order 4711",
    "tags": ["orders"],
    "depends_on": ["money-in-cents"],
}

CALLS = (
    ("read_file", {"path": "src/orders/orders.py", "limit": 1}),
    ("create_tripwire", LESSON),
    ("check_tripwires", {"path": "src/orders/refund.py"}),
    ("deactivate_tripwire", {"name": "orders-are-archived"}),
)


async def main() -> None:
    async with Client(StdioServerParameters(command="tripwire", args=["serve"])) as server:
        for tool, arguments in CALLS:
            print(f"--> {tool} {arguments.get('path') or arguments['name']}")
            result = await server.call_tool(tool, arguments)
            print(result.content[0].text.rstrip("\n"))


asyncio.run(main())
