"""One upstream MCP server: its process, its connection, and the requests that wait for it.

A failing upstream degrades only itself: what waits is told that the outcome is unknown, and the
process is started again with a jittered backoff of 0.5 to 30 seconds (G-7). Decides nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from tripwire.doors.gateway import child, jsonrpc
from tripwire.doors.gateway.jsonrpc import Malformed, Message
from tripwire.doors.gateway.lines import Dropped, Enough, Line, LineWriter, pump
from tripwire.doors.gateway.notes import note
from tripwire.model.policy import Limits
from tripwire.model.policy import Upstream as UpstreamPolicy

GARBAGE_LIMIT = 100
"""Lines in a row that are no protocol, after which the upstream is degraded (gateway.md §7)."""
GARBAGE_NOTED = 5
"""Of lines in a row, how many are noted one by one."""
FIRST_BACKOFF, LAST_BACKOFF = 0.5, 30.0
PROGRESS_STRETCH = 10
"""A timeout restarts on progress, to at most this many times its length (G-8)."""
LATE_KEPT = 1024
CLOCK_SECONDS = 0.001
"""A timer may ring early by the resolution of its clock."""


@dataclass(frozen=True, slots=True)
class Lost:
    """No answer came, and why: `died` (outcome unknown), `timeout`, or `down` (never sent)."""

    why: str
    text: str
    retry_in_ms: int = 0


Reply = Message | Lost
OnReply = Callable[[Reply], None]


@dataclass(slots=True, eq=False)
class Waiting:
    """A request that an upstream has been sent; `number` is its id on that connection."""

    number: int
    on_reply: OnReply
    seconds: float
    last_moment: float
    due: float
    token: tuple[str, Any] | None = None
    answered: bool = False
    told: bool = False
    """Nobody waits for the answer any more, and the upstream knows."""


class Side(Protocol):
    """What an upstream tells its gateway."""

    def upstream_says(self, upstream: Upstream, message: Message) -> None:
        """A request or notification came from the upstream, or a late answer."""

    def upstream_changed(self, upstream: Upstream) -> None:
        """The upstream came up again, or went down."""

    async def client_drained(self) -> None:
        """Wait until the client has read what it was sent."""


class Upstream:
    """The connection to one configured server."""

    def __init__(
        self, policy: UpstreamPolicy, limits: Limits, side: Side, environ: dict[str, str]
    ) -> None:
        self.policy = policy
        self.name = policy.name
        self.limits = limits
        self.up = False
        self.initialized: Message | None = None
        self.why_down = "it has not been started"
        self.retry_at = 0.0
        self._side = side
        self._environ = environ
        self._waiting: dict[int, Waiting] = {}
        self._tokens: dict[tuple[str, Any], Waiting] = {}
        self._number = 0
        self._writer: LineWriter | None = None
        self._life: asyncio.Task[None] | None = None
        self._hello: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._replay: dict[str, str] = {}
        self._garbage = 0
        self._alarm: asyncio.TimerHandle | None = None
        self._settled = asyncio.Event()

    # ── life ─────────────────────────────────────────────────────────────────────────────────

    def start(self) -> None:
        """Start the process now; the handshake follows when the client has said hello."""
        loop = asyncio.get_running_loop()
        self._life = loop.create_task(self._live(), name=f"upstream {self.name}")

    async def hello(self, params: str, seconds: float) -> Message | None:
        """Give the client's initialize params; the upstream's answer, None if it is down."""
        if not self._hello.done():
            self._hello.set_result(params)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._settled.wait(), seconds)
        return self.initialized

    def remember(self, key: str, text: str) -> None:
        """A request or notification to repeat after a reconnect ("" forgets it)."""
        if text:
            self._replay[key] = text
        else:
            self._replay.pop(key, None)

    async def stop(self) -> None:
        """End the connection and the process."""
        if self._life is not None:
            self._life.cancel()
            await asyncio.gather(self._life, return_exceptions=True)

    async def _live(self) -> None:
        backoff = FIRST_BACKOFF
        try:
            while True:
                began = asyncio.get_running_loop().time()
                await self._connected()
                if asyncio.get_running_loop().time() - began > LAST_BACKOFF:
                    backoff = FIRST_BACKOFF
                pause = backoff * random.uniform(0.5, 1.0)  # noqa: S311 — jitter, no secret
                backoff = min(backoff * 2, LAST_BACKOFF)
                self.retry_at = asyncio.get_running_loop().time() + pause
                self._settled.set()
                note(f"upstream {self.name}: {self.why_down}; next try in {pause:.1f} s")
                await asyncio.sleep(pause)
        finally:
            self._fail_waiting("the gateway is stopping")

    async def _connected(self) -> None:
        """One life of the process: start, handshake, read until it ends."""
        process = await self._spawn()
        if process is None:
            return
        self._writer = process.stdin
        self._garbage = 0
        self.why_down = "it ended"
        reading = asyncio.create_task(self._read(process))
        greeting = asyncio.create_task(self._greet())
        try:
            await asyncio.wait((reading, greeting), return_when=asyncio.FIRST_COMPLETED)
            if greeting.done() and greeting.result():
                await reading
        finally:
            for task in (reading, greeting):
                task.cancel()
            await asyncio.gather(reading, greeting, return_exceptions=True)
            await self._end(process)

    async def _spawn(self) -> child.Child | None:
        try:
            return await child.started(self.policy, self._environ)
        except OSError as fault:
            self.why_down = f"it does not start ({fault.strerror or type(fault).__name__})"
            return None

    async def _greet(self) -> bool:
        """The handshake, and what has to be said again after a reconnect."""
        params = await self._hello
        reply = await self.ask("initialize", params, greeting=True)
        if isinstance(reply, Lost):
            self.why_down = reply.text
            return False
        if not isinstance(reply.get("result"), dict):
            self.why_down = "it refused to initialize"
            return False
        again = self.initialized is not None
        self.initialized = reply
        self.up = True
        self._settled.set()
        if "initialized" in self._replay:
            self.send(self._replay["initialized"])
        for key, text in list(self._replay.items()):
            if key != "initialized":
                self.send_request(Message.parse(text), lambda _: None)
        if again:
            note(f"upstream {self.name}: connected again")
        self._side.upstream_changed(self)
        return True

    async def _end(self, process: child.Child) -> None:
        was_up, self.up = self.up, False
        if self._writer is not None:
            self._writer.close()
        self._writer = None
        self._fail_waiting(f"upstream {self.name}: {self.why_down}")
        code = await process.ended()
        if code and self.why_down == "it ended":
            self.why_down = f"it ended with exit code {code}"
        if was_up:
            self._side.upstream_changed(self)

    # ── from the upstream ────────────────────────────────────────────────────────────────────

    async def _read(self, process: child.Child) -> None:
        cap = max(8 * self.limits.message_bytes, 128 * 1024 * 1024)
        await pump(process.stdout, cap, self._line, self._side.client_drained)

    def _line(self, line: Line) -> None:
        if isinstance(line, Dropped):
            self._not_protocol(line.sha256, line.size, "it is too large")
        elif line.strip():
            self._take(line)
        if self._garbage >= GARBAGE_LIMIT:
            self.why_down = f"{GARBAGE_LIMIT} lines in a row were no protocol messages"
            raise Enough

    def _take(self, line: bytes) -> None:
        try:
            text = line.decode("utf-8")
            if text.lstrip()[:1] == "[":
                whole = text.strip()
                found = [Message.parse(whole[e.start : e.end]) for e in jsonrpc.elements(whole, 0)]
            else:
                found = [Message.parse(text)]
        except (Malformed, ValueError) as bad:
            why = bad.why if isinstance(bad, Malformed) else "it is not UTF-8"
            self._not_protocol(hashlib.sha256(line).hexdigest(), len(line), why)
            return
        self._garbage = 0
        for message in found:
            self._dispatch(message)

    def _not_protocol(self, sha256: str, size: int, why: str) -> None:
        # By hash only: the line is untrusted and may hold anything, a secret included.
        self._garbage += 1
        if self._garbage > GARBAGE_NOTED:
            return
        note(f"upstream {self.name}: skipped a line ({size} bytes, SHA-256 {sha256[:16]}): {why}")

    def _dispatch(self, message: Message) -> None:
        if not message.is_response:
            if message.method == "notifications/progress":
                self._progress(message)
            self._side.upstream_says(self, message)
            return
        number = message.get("id")
        waiting = self._waiting.pop(number, None) if type(number) is int else None
        if waiting is None:
            note(f"upstream {self.name}: dropped an answer to no open request")
            return
        self._settle(waiting)
        waiting.on_reply(message)

    def _progress(self, message: Message) -> None:
        key = jsonrpc.key_of(message.params.get("progressToken"))
        waiting = self._tokens.get(key) if key else None
        if waiting is not None and not waiting.told:
            now = asyncio.get_running_loop().time()
            waiting.due = min(now + waiting.seconds, waiting.last_moment)

    # ── to the upstream ──────────────────────────────────────────────────────────────────────

    def send_request(
        self, message: Message, on_reply: OnReply, *edits: tuple[jsonrpc.Member, str]
    ) -> Waiting | None:
        """Send a request under a number of this connection; None if the upstream is down."""
        if not self.up:
            on_reply(self.down())
            return None
        waiting = self._wait(on_reply)
        meta = message.params.get("_meta")
        if isinstance(meta, dict):
            waiting.token = jsonrpc.key_of(meta.get("progressToken"))
            if waiting.token is not None:
                self._tokens[waiting.token] = waiting
        self.send(message.with_id(str(waiting.number), *edits))
        return waiting

    async def ask(self, method: str, params: str = "", *, greeting: bool = False) -> Reply:
        """The gateway's own request: its answer."""
        if not (self.up or greeting):
            return self.down()
        answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()

        def on_reply(reply: Reply) -> None:
            if not answer.done():
                answer.set_result(reply)

        waiting = self._wait(on_reply)
        self.send(jsonrpc.request(str(waiting.number), method, params))
        return await answer

    def send(self, text: str) -> None:
        """Send a line as it is."""
        if self._writer is not None:
            self._writer.send(text)

    async def drained(self) -> None:
        """Wait until the upstream has read what it was sent."""
        if self._writer is not None:
            await self._writer.drained()

    def down(self) -> Lost:
        """Why nothing can be sent now, and when the next try is."""
        wait = max(0.0, self.retry_at - asyncio.get_running_loop().time())
        return Lost("down", f"upstream {self.name}: {self.why_down}", int(wait * 1000))

    def _wait(self, on_reply: OnReply) -> Waiting:
        self._number += 1
        loop = asyncio.get_running_loop()
        seconds = self.policy.timeout_ms / 1000
        now = loop.time()
        due, last = now + seconds, now + seconds * PROGRESS_STRETCH
        waiting = self._waiting[self._number] = Waiting(self._number, on_reply, seconds, last, due)
        if self._alarm is None:
            self._alarm = loop.call_at(due, self._rang)
        return waiting

    def _rang(self) -> None:
        """Time out what is due: one timer for all, for most requests need none."""
        loop = asyncio.get_running_loop()
        now = loop.time() + CLOCK_SECONDS
        for waiting in [w for w in self._waiting.values() if w.due <= now and not w.told]:
            self._timed_out(waiting)
        due = min((w.due for w in self._waiting.values() if not w.told), default=None)
        self._alarm = None if due is None else loop.call_at(due, self._rang)

    def _settle(self, waiting: Waiting) -> None:
        waiting.answered = True
        if waiting.token is not None and self._tokens.get(waiting.token) is waiting:
            del self._tokens[waiting.token]

    def cancel(self, waiting: Waiting, message: Message | None = None) -> None:
        """Tell the upstream that nobody waits any more; a late answer still reaches `on_reply`."""
        if waiting.answered or waiting.number not in self._waiting:
            return
        if message is None:
            params = f'{{"requestId":{waiting.number},"reason":"timeout"}}'
            self.send(jsonrpc.notification("notifications/cancelled", params))
        else:
            place = message.inner("params").get("requestId")
            if place is not None:
                self.send(message.spliced((place, str(waiting.number))))
        waiting.told = True
        self._forget_old()

    def _forget_old(self) -> None:
        # A server need not answer what was cancelled: those wait for nothing, but not for ever.
        silent = [n for n, w in self._waiting.items() if w.told]
        for number in silent[:-LATE_KEPT]:
            self._settle(self._waiting.pop(number))

    def _timed_out(self, waiting: Waiting) -> None:
        self.cancel(waiting)
        seconds = self.policy.timeout_ms / 1000
        waiting.on_reply(Lost("timeout", f"upstream {self.name} gave no answer in {seconds:g} s"))

    def _fail_waiting(self, text: str) -> None:
        waiting, self._waiting = list(self._waiting.values()), {}
        for each in waiting:
            self._settle(each)
            if not each.told:
                each.on_reply(Lost("died", text))
