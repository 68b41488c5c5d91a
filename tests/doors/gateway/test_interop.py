"""The official client and a server of the official SDK, with the gateway between them."""

import asyncio
import os
import sys

import pytest
from mcp import types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from tests.doors.gateway.harness import SERVERS


def gateway(tmp_path, *upstreams):
    entries = "".join(
        f"  - {{name: {name}, trust: trusted, command: [{sys.executable}, {SERVERS}/{file}]}}\n"
        for name, file in upstreams
    )
    config = tmp_path / "tripwire.yaml"
    config.write_text(f"state_dir: state\nupstreams:\n{entries}")
    env = {k: os.environ[k] for k in ("PATH", "HOME") if k in os.environ}
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "tripwire.cli.main", "run", "-c", str(config)],
        env=env | {"TRIPWIRE_HOME": str(tmp_path / "home")},
        cwd=str(tmp_path),
    )


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_works_through_the_gateway(tmp_path, mode):
    async def scenario():
        async with Client(
            gateway(tmp_path, ("sdk", "sdk_server.py"), ("loss", "loss.py, --tame")), mode=mode
        ) as client:
            assert client.protocol_version == "2025-11-25"
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert "sdk__add" in names
            assert "loss__echo" in names
            assert "tripwire__declare_intent" in names
            result = await client.call_tool("sdk__add", {"a": 2, "b": 3})
            assert result.structured_content == {"result": 5}
            intent = await client.call_tool("tripwire__declare_intent", {"goal": "add two numbers"})
            assert "intent_recorded" in intent.content[0].text
            wrong = await client.call_tool("tripwire__declare_intent", {"aim": "x"})
            assert wrong.is_error
            assert "invalid_intent" in wrong.content[0].text
            seen = []

            async def progress(done, total, message):
                seen.append(done)

            await client.call_tool("sdk__steps", {"count": 3}, progress_callback=progress)
            assert seen == [1, 2, 3]
            read = await client.read_resource("sdk://greeting")
            assert read.contents[0].text == "hello"
            prompt = await client.get_prompt("sdk__ask", {"topic": "tea"})
            assert "tea" in prompt.messages[0].content.text

    asyncio.run(asyncio.wait_for(scenario(), 60))


def test_elicitation_sampling_and_roots_go_round(tmp_path):
    async def elicit(context, params):
        return types.ElicitResult(action="accept", content={"name": "Ada"})

    async def sample(context, params):
        return types.CreateMessageResult(
            role="assistant", model="m", content=types.TextContent(type="text", text="sampled")
        )

    async def roots(context):
        return types.ListRootsResult(roots=[types.Root(uri="file:///tmp", name="tmp")])

    async def scenario():
        async with Client(
            gateway(tmp_path, ("loss", "loss.py, --tame"), ("sdk", "sdk_server.py")),
            mode="legacy",
            elicitation_callback=elicit,
            sampling_callback=sample,
            list_roots_callback=roots,
        ) as client:
            for tool, word in (("elicit", "Ada"), ("sample", "sampled"), ("roots", "file:///tmp")):
                result = await client.call_tool(f"loss__{tool}", {})
                assert word in result.content[0].text

    asyncio.run(asyncio.wait_for(scenario(), 60))
