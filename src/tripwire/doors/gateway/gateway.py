"""The gateway: one MCP server on standard input and output, in front of all upstreams.

Reads the client's lines, sends each message on its way, and writes what comes back. Messages keep
their text (G-1). It decides nothing: every guarded request goes through `Calls` to the session.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from tripwire.doors.gateway import approval, handshake, jsonrpc
from tripwire.doors.gateway.backchannel import BackChannel
from tripwire.doors.gateway.calls import Calls, larger_than
from tripwire.doors.gateway.catalogue import Catalogue
from tripwire.doors.gateway.jsonrpc import Malformed, Message
from tripwire.doors.gateway.lines import ByteSource, Dropped, Line, LineWriter, PipeSource, pump
from tripwire.doors.gateway.listing import CHANGES
from tripwire.doors.gateway.notes import note
from tripwire.doors.gateway.open import Batch, Open
from tripwire.doors.gateway.record import Record
from tripwire.doors.gateway.routes import Routes
from tripwire.doors.gateway.upstream import Upstream
from tripwire.io.pins import Pins
from tripwire.io.session import Session
from tripwire.model.policy import Policy
from tripwire.model.verdict import Verdict

QUEUE_LIMIT: Final = 4096
"""Requests that wait for a free slot of `limits.inflight`; more are refused."""
START_SECONDS: Final = 20.0
"""How long the answer to `initialize` waits for an upstream that starts slowly."""
DRAIN_SECONDS: Final = 2.0
"""How long requests in flight may take after the client has closed its end."""


class Gateway:
    """Serves one client until it closes its end."""

    def __init__(
        self,
        policy: Policy,
        session: Session,
        streams: tuple[ByteSource | PipeSource, LineWriter],
        *,
        environ: Mapping[str, str],
        version: str = "0",
        pins: Pins | None = None,
    ) -> None:
        self._policy = policy
        self._source, self._writer = streams
        self._version = version
        self._revision = ""
        self._greeting = False
        self._record = Record(session)
        self._upstreams = {
            u.name: Upstream(u, policy.limits, self, dict(environ)) for u in policy.upstreams
        }
        self._back = BackChannel(self._writer.send)
        catalogue = Catalogue(policy, list(self._upstreams.values()), self._record, pins)
        self._catalogue = catalogue
        calls = Calls(
            policy, self._upstreams, catalogue, self._record, self, home=environ.get("HOME", "")
        )
        self._calls = calls
        self._routes = Routes(self._upstreams, catalogue, calls, self)
        self._open: dict[tuple[str, Any], Open] = {}
        self._idle = asyncio.Event()
        self._queue: deque[Open] = deque()
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Read the client until it closes; then stop the upstreams and close the session."""
        for upstream in self._upstreams.values():
            upstream.start()
        cap = max(4 * self._policy.limits.message_bytes, 64 * 1024 * 1024)
        try:
            await pump(self._source, cap, self._line, self._drained)
            if self._open:
                await self._drain()
        finally:
            await self._stop()

    async def _drained(self) -> None:
        """Wait until everybody has read what they were sent."""
        await self._writer.drained()
        for upstream in self._upstreams.values():
            await upstream.drained()

    async def _drain(self) -> None:
        self._idle.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._idle.wait(), 0 if self._writer.broken else DRAIN_SECONDS)

    async def _stop(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(u.stop() for u in self._upstreams.values()))
        await self._writer.flushed(DRAIN_SECONDS)
        self._record.close()

    # ── from the client ──────────────────────────────────────────────────────────────────────

    def _line(self, line: Line) -> None:
        if isinstance(line, Dropped):
            self._malformed(jsonrpc.INVALID_REQUEST, f"a message of {line.size} bytes is too large")
            return
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            self._malformed(jsonrpc.PARSE_ERROR, "the message is not UTF-8")
            return
        text = text.strip(" \t\r\n")
        if not text:
            return
        if larger_than(text, self._policy.limits.message_bytes):
            limit = self._policy.limits.message_bytes
            why = f"the message is larger than {limit} bytes (limits.message_bytes)"
            self._malformed(jsonrpc.INVALID_REQUEST, why, jsonrpc.guess_id(text))
        elif text[0] == "[":
            self._batch(text)
        else:
            self._message(text, None)

    def _batch(self, text: str) -> None:
        if self._revision and self._revision not in handshake.BATCHING:
            why = f"revision {self._revision} has no batches; send one message a line"
            self._malformed(jsonrpc.INVALID_REQUEST, why)
            return
        try:
            parts = [text[e.start : e.end] for e in jsonrpc.elements(text, 0)]
            if jsonrpc.skip(text, 0) != len(text):
                raise Malformed(jsonrpc.PARSE_ERROR, "text follows the batch")
        except ValueError as bad:
            self._malformed(jsonrpc.PARSE_ERROR, str(bad))
            return
        if not parts:
            self._malformed(jsonrpc.INVALID_REQUEST, "the batch is empty")
            return
        batch = Batch(open=1)  # held open until every element has been read
        for part in parts:
            self._message(part, batch)
        self._batch_answered(batch, "")

    def _message(self, text: str, batch: Batch | None) -> None:
        try:
            message = Message.parse(text, strict=True)
        except Malformed as bad:
            self._malformed(bad.code, bad.why, bad.id_text, batch)
            return
        if message.is_response:
            self._back.answered(message)
            return
        id_text = message.raw("id") or "null"
        key = jsonrpc.key_of(message.get("id"))
        if message.get("jsonrpc") != "2.0" or not message.method:
            why = "the message is no JSON-RPC 2.0 request, notification or response"
            self._malformed(jsonrpc.INVALID_REQUEST, why, id_text if key else "null", batch)
        elif jsonrpc.deeper_than(text, message.get("params"), self._policy.limits.depth):
            why = f"the params are nested deeper than {self._policy.limits.depth} (limits.depth)"
            self._malformed(jsonrpc.INVALID_REQUEST, why, id_text if key else "null", batch)
        elif "id" not in message.parts:
            self._notification(message)
        elif key is None:
            self._malformed(jsonrpc.INVALID_REQUEST, "the id is no string or number", batch=batch)
        elif key in self._open:
            self._malformed(jsonrpc.INVALID_REQUEST, "the id is in use", id_text, batch)
        else:
            self._request(Open(message, id_text, key, batch))

    def _malformed(
        self, code: int, why: str, id_text: str = "null", batch: Batch | None = None
    ) -> None:
        note(f"refused a message of the client: {why}")
        text = jsonrpc.error(id_text, code, why)
        if batch is not None:
            batch.open += 1
            self._batch_answered(batch, text)
        else:
            self._writer.send(text)

    def _request(self, call: Open) -> None:
        if call.batch is not None:
            call.batch.open += 1
        method = call.message.method
        if method == "initialize":
            self._open[call.key] = call
            self._greeting = True
            self.spawn(self._initialize(call))
        elif self._greeting and method not in ("ping", "server/discover"):
            self._enqueue(call)  # sent before the answer to initialize: worked on after it
        elif not self._revision and method not in ("ping", "server/discover"):
            self._before_hello(call)
        elif len(self._open) >= self._policy.limits.inflight:
            self._enqueue(call)
        else:
            self._open[call.key] = call
            self._routes.request(call)

    def _enqueue(self, call: Open) -> None:
        if len(self._queue) < QUEUE_LIMIT:
            self._queue.append(call)
            return
        why = "too many requests are waiting; send fewer at once"
        data = {"tripwire": "blocked", "code": "rate_limited", "retry_in_ms": 1000}
        self.answer(call, jsonrpc.error(call.id_text, jsonrpc.SERVER_ERROR, why, data))

    def _before_hello(self, call: Open) -> None:
        meta = call.message.params.get("_meta")
        version = "io.modelcontextprotocol/protocolVersion"
        if isinstance(meta, dict) and version in meta:
            data = {"supported": list(handshake.REVISIONS), "requested": meta[version]}
            text = jsonrpc.error(
                call.id_text, jsonrpc.UNSUPPORTED_VERSION, "Unsupported protocol version", data
            )
        else:
            why = "the session has not been initialized; send initialize first"
            text = jsonrpc.error(call.id_text, jsonrpc.INVALID_REQUEST, why)
        self.answer(call, text)

    async def _initialize(self, call: Open) -> None:
        message = call.message
        asked = message.params.get("protocolVersion")
        params = handshake.params_for_upstream(message)
        every = list(self._upstreams.values())
        waits = [u.hello(params, min(START_SECONDS, u.policy.timeout_ms / 1000)) for u in every]
        hellos = await asyncio.gather(*waits)
        answers = [(u.name, h) for u, h in zip(every, hellos, strict=True) if h is not None]
        missing = [u.name for u, h in zip(every, hellos, strict=True) if h is None]
        capabilities = message.params.get("capabilities")
        self._back.can_ask = (
            approval.CHANNEL in self._policy.approvals.channels and approval.can_ask(capabilities)
        )
        text = handshake.answer(answers, missing, str(asked), self._version)
        parts = jsonrpc.members(text)
        self._revision = str(parts["protocolVersion"].value) if "protocolVersion" in parts else "?"
        self._greeting = False
        self.answer(call, jsonrpc.result(call.id_text, text))

    def _notification(self, message: Message) -> None:
        method = message.method
        if method == "notifications/cancelled":
            key = jsonrpc.key_of(message.params.get("requestId"))
            if key is not None and key in self._open:
                self._calls.cancelled(self._open[key], message)
            elif key is not None:
                self._unqueue(key)
            return
        if method == "notifications/progress" and self._back.progressed(message):
            return
        for upstream in self._upstreams.values():
            if method == "notifications/initialized":
                upstream.remember("initialized", message.text)
            if upstream.up:
                upstream.send(message.text)

    def _unqueue(self, key: tuple[str, Any]) -> None:
        for call in list(self._queue):
            if call.key == key:
                self._queue.remove(call)
                self.answer(call, "")

    # ── to the client ────────────────────────────────────────────────────────────────────────

    def answer(self, call: Open, text: str) -> None:
        """Send the answer of a request; "" if it gets none."""
        call.closed = True
        if self._open.get(call.key) is call:
            del self._open[call.key]
        if call.batch is not None:
            self._batch_answered(call.batch, text)
        elif text:
            self._writer.send(text)
        if not self._open:
            self._idle.set()
        while self._queue and not self._greeting and len(self._open) < self._policy.limits.inflight:
            waiting = self._queue.popleft()
            self._open[waiting.key] = waiting
            self._routes.request(waiting)

    def _batch_answered(self, batch: Batch, text: str) -> None:
        batch.open -= 1
        if text:
            batch.answers.append(text)
        if batch.open == 0 and batch.answers:
            self._writer.send(f"[{','.join(batch.answers)}]")

    @property
    def can_ask(self) -> bool:
        """Whether the client can ask its user."""
        return self._back.can_ask

    async def ask_person(
        self, hold: approval.Hold, verdict: Verdict, call: Open, said: Callable[[], str]
    ) -> str:
        """Ask through the client's elicitation, and wait for an answer given elsewhere."""
        return await self._back.ask_person(hold, verdict, call, said)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run work that has to wait for something."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._worked)

    def _worked(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            note(f"internal error: {type(task.exception()).__name__}; see SECURITY.md")
            asyncio.get_running_loop().call_exception_handler(
                {"message": "a task of the gateway failed", "exception": task.exception()}
            )

    # ── from the upstreams ───────────────────────────────────────────────────────────────────

    def upstream_says(self, upstream: Upstream, message: Message) -> None:
        """A request or notification of an upstream."""
        method = message.method
        if "id" in message.parts:
            if jsonrpc.key_of(message.get("id")) is None or not method:
                note(f"upstream {upstream.name}: dropped a request without a usable id")
                return
            self._back.request(upstream, message)
            return
        if method in CHANGES:
            self._catalogue.stale(upstream, method)
        if method == "notifications/cancelled":
            self._back.withdraw(upstream, message)
            return
        self._writer.send(message.text)

    def upstream_changed(self, upstream: Upstream) -> None:
        """An upstream came up (again) or went down."""
        if not upstream.up:
            self._back.gone(upstream)
            return
        self._catalogue.stale(upstream, "")
        if self._revision:
            for method in CHANGES:
                self._writer.send(jsonrpc.notification(method))

    async def client_drained(self) -> None:
        """Wait until the client has read what it was sent."""
        await self._writer.drained()
