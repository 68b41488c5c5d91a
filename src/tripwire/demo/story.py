"""The three runs of the demo, each with real MCP servers behind real pipes."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client

from tripwire.demo.agent import Agent, Answer, Call, Step

ATTACKER = "LT56321000004471920836"
CONFIG = Path(__file__).with_name("policy.yaml")
SERVERS = ("vendors", "documents", "payments")


@dataclass(frozen=True, slots=True)
class Run:
    """How one run ended: what was paid, and which refusals the agent met."""

    title: str
    paid: tuple[dict[str, Any], ...]
    refusals: tuple[str, ...]

    @property
    def robbed(self) -> bool:
        """Whether money went to the attacker."""
        return any(payment["recipient"] == ATTACKER for payment in self.paid)


async def unguarded(folder: Path, say: Callable[[Step], None]) -> Run:
    """The agent speaks to the servers directly."""
    async with _direct(folder) as call:
        agent = Agent(call, say, declares=False)
        await agent.obey_the_invoice()
    return _run("unguarded", folder, agent)


async def guarded(folder: Path, say: Callable[[Step], None]) -> Run:
    """The same agent, the same servers, behind `tripwire run`."""
    async with _gateway(folder) as call:
        agent = Agent(call, say, declares=True)
        await agent.obey_the_invoice()
    return _run("guarded", folder, agent)


async def guarded_wrong_amount(folder: Path, say: Callable[[Step], None]) -> Run:
    """Behind `tripwire run`, with the right vendor and a plausible wrong amount."""
    async with _gateway(folder) as call:
        agent = Agent(call, say, declares=True)
        await agent.pay_the_balance()
    return _run("guarded, wrong amount", folder, agent)


def _run(title: str, folder: Path, agent: Agent) -> Run:
    ledger = folder / "ledger.json"
    paid = json.loads(ledger.read_text("utf-8")) if ledger.exists() else []
    return Run(title, tuple(paid), tuple(agent.refusals))


def _environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "DEMO_PYTHON": sys.executable,
        "DEMO_LEDGER": str(folder / "ledger.json"),
        "DEMO_STATE": str(folder / "state"),
        "TRIPWIRE_HOME": str(folder / "home"),
    }


async def _connect(stack: AsyncExitStack, folder: Path, *arguments: str) -> Client:
    command = StdioServerParameters(
        command=sys.executable, args=list(arguments), env=_environment(folder)
    )
    log = stack.enter_context((folder / "server.log").open("a"))
    return await stack.enter_async_context(Client(stdio_client(command, errlog=log)))


@asynccontextmanager
async def _direct(folder: Path) -> AsyncIterator[Call]:
    clients: dict[str, Client] = {}
    done = asyncio.Event()

    async def hold(name: str, ready: asyncio.Event) -> None:
        # Each connection lives in a task of its own, so that the servers start side by side.
        async with AsyncExitStack() as stack:
            clients[name] = await _connect(stack, folder, "-m", f"tripwire.demo.servers.{name}")
            ready.set()
            await done.wait()

    async def call(server: str, tool: str, arguments: dict[str, Any]) -> Answer:
        return _answer(await clients[server].call_tool(tool, arguments))

    async with asyncio.TaskGroup() as tasks:
        started = {name: asyncio.Event() for name in SERVERS}
        for name, ready in started.items():
            tasks.create_task(hold(name, ready))
        for ready in started.values():
            await ready.wait()
        try:
            yield call
        finally:
            done.set()


@asynccontextmanager
async def _gateway(folder: Path) -> AsyncIterator[Call]:
    async with AsyncExitStack() as stack:
        client = await _connect(stack, folder, "-m", "tripwire", "run", "--config", str(CONFIG))

        async def call(server: str, tool: str, arguments: dict[str, Any]) -> Answer:
            return _answer(await client.call_tool(f"{server}__{tool}", arguments))

        yield call


def _answer(result: Any) -> Answer:
    text = "".join(getattr(block, "text", "") for block in result.content)
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return Answer(text, value, bool(result.is_error))


def play(story: Callable[..., Any], folder: Path, say: Callable[[Step], None]) -> Run:
    """Run one story to its end in `folder` (its ledger, state and logs)."""
    folder.mkdir(parents=True, exist_ok=True)
    run: Run = asyncio.run(story(folder, say))
    return run
