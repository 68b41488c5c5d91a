"""A gateway in this process, its client in memory, its upstreams real fixture processes."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from tripwire.doors.gateway.gateway import Gateway
from tripwire.engine import Engine
from tripwire.io.session import open_session
from tripwire.memory.memory import Memory
from tripwire.model.event import SessionOpened
from tripwire.model.label import Trust
from tripwire.model.policy import Policy, Upstream
from tripwire.model.verdict import Verdict

SERVERS = Path(__file__).parents[2] / "fixtures" / "servers"
HELLO = (
    '{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25",'
    '"capabilities":%s,"clientInfo":{"name":"test","version":"1.0","x-client":1.0},"x-hello":1.0}}'
)
INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'


def loss(name: str = "loss", *words: str, log: Path | None = None, **options) -> Upstream:
    env = {"LOSS_LOG": str(log)} if log else {}
    command = (sys.executable, "-I", str(SERVERS / "loss.py"), "--name", name, *words)
    return Upstream(name=name, command=command, env=env, **{"trust": Trust.PLATFORM, **options})


class Scripted:
    """A session that answers as a test says, and keeps the events it was given."""

    def __init__(self, judge=None) -> None:
        self.judge = judge or (lambda event: Verdict())
        self.events: list = []
        self.engine = Engine(Policy(), Memory(), ())
        self.closed = False
        self.said: dict[str, str] = {}

    def decide(self, event, *, door: str = "", later=None) -> Verdict:
        assert door == "gateway"
        verdict = self.judge(event)
        self.events.append(event)
        return replace(verdict, decision_id=f"d-{len(self.events)}")

    @property
    def memory(self) -> Memory:
        return self.engine.memory

    def approval_state(self, name: str) -> str:
        return self.said.get(name, "")

    def close(self) -> None:
        self.closed = True

    def of(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]


class Wire:
    """The client's two pipes, in memory."""

    def __init__(self) -> None:
        self.to_gateway: asyncio.Queue[bytes] = asyncio.Queue()
        self.lines: list[str] = []
        self.arrived = asyncio.Event()
        self.broken = False

    async def read(self, n: int, /) -> bytes:
        return await self.to_gateway.get()

    def send(self, text: str) -> None:
        self.lines.append(text)
        self.arrived.set()

    async def drained(self) -> None:
        await asyncio.sleep(0)

    async def flushed(self, seconds: float) -> None:
        return


class Agent:
    """The client: sends raw lines, finds answers by id and other lines by content."""

    def __init__(self, wire: Wire, gateway: Gateway) -> None:
        self.wire = wire
        self.gateway = gateway
        self.serial = 0

    def say(self, text: str | bytes) -> None:
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        self.wire.to_gateway.put_nowait(data + b"\n")

    async def line(self, *parts: str, seconds: float = 15.0) -> str:
        """The first line that has arrived with all of these parts."""
        end = asyncio.get_running_loop().time() + seconds
        while True:
            for text in self.wire.lines:
                if all(part in text for part in parts):
                    return text
            self.wire.arrived.clear()
            left = end - asyncio.get_running_loop().time()
            if left <= 0:
                raise AssertionError(
                    f"no line with {parts}; got {[t[:300] for t in self.wire.lines]}"
                )
            try:
                await asyncio.wait_for(self.wire.arrived.wait(), left)
            except TimeoutError:
                continue

    async def ask(
        self, method: str, params: str = "{}", *, number: str = "", seconds: float = 15.0
    ) -> str:
        """Send a request; the raw text of its answer."""
        self.serial += 1
        number = number or f'"q{self.serial}"'
        self.say(f'{{"jsonrpc":"2.0","id":{number},"method":"{method}","params":{params}}}')
        return await self.line(f'"id":{number}', seconds=seconds)

    async def call(
        self,
        tool: str,
        args: dict | str | None = None,
        *,
        number: str = "",
        meta: str = "",
        seconds: float = 15.0,
    ) -> dict:
        """Call a tool; the parsed answer."""
        text = args if isinstance(args, str) else json.dumps(args or {})
        params = f'{{"name":{json.dumps(tool)},"arguments":{text}{meta and f",{chr(34)}_meta{chr(34)}:{meta}"}}}'
        return loads(await self.ask("tools/call", params, number=number, seconds=seconds))

    async def hello(self, capabilities: str = "{}") -> dict:
        self.say(HELLO % capabilities)
        answer = json.loads(await self.line('"id":"hello"', seconds=30))
        self.say(INITIALIZED)
        return answer


def loads(text: str):
    return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < 4000 else digits)


def blocked(answer: dict) -> dict:
    """The block JSON of a tool result."""
    assert answer["result"]["isError"] is True, answer
    return json.loads(answer["result"]["content"][0]["text"])


def text_of(answer: dict) -> str:
    return answer["result"]["content"][0]["text"]


@asynccontextmanager
async def running(policy: Policy, root: Path, *, session=None, name: str = "s1", pins=None):
    if session is None:
        session = open_session(policy, root=root, name=name, client="gateway")
        session.decide(SessionOpened("gateway", cwd=str(root), home=str(root)), door="gateway")
    wire = Wire()
    environ = dict(os.environ, HOME=str(root), SECRET_OF_GATEWAY="1")
    gateway = Gateway(policy, session, (wire, wire), environ=environ, version="9", pins=pins)
    serving = asyncio.create_task(gateway.serve())
    try:
        yield Agent(wire, gateway)
    finally:
        wire.to_gateway.put_nowait(b"")
        await asyncio.wait_for(serving, 30)
