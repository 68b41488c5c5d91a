"""Requests that are not tool calls: lists, reads, completions, levels, subscriptions, the unknown.

Each goes to the upstream that it is about; with one upstream everything goes there. What brings an
upstream's text to the agent is guarded like a call (R-1), under a reserved name with a slash.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tripwire.doors.gateway import jsonrpc
from tripwire.doors.gateway.calls import Calls, Client
from tripwire.doors.gateway.catalogue import Catalogue, ListFailed
from tripwire.doors.gateway.jsonrpc import Member, Message
from tripwire.doors.gateway.listing import KINDS, PROMPTS, RESOURCES, TEMPLATES, Kind, offers
from tripwire.doors.gateway.open import Open
from tripwire.doors.gateway.upstream import Lost, Reply, Upstream

LOGGING: Final = Kind("", "", "logging")
NOT_FOUND: Final = (jsonrpc.METHOD_NOT_FOUND, jsonrpc.INVALID_PARAMS, -32002)
"""Error codes after which the next upstream is asked, if it is not known whose a thing is."""
MOST_TASKS: Final = 4096

Edit = tuple[Member, str]


class Routes:
    """Where each method goes."""

    def __init__(
        self,
        upstreams: Mapping[str, Upstream],
        catalogue: Catalogue,
        calls: Calls,
        client: Client,
    ) -> None:
        self._upstreams = upstreams
        self._catalogue = catalogue
        self._calls = calls
        self._client = client
        self._task_owners: dict[str, Upstream] = {}
        self._methods: dict[str, Callable[[Open], None]] = {
            "ping": self._ping,
            "tools/call": self._calls.tool,
            "resources/read": self._resource,
            "resources/subscribe": self._subscribe,
            "resources/unsubscribe": self._subscribe,
            "prompts/get": self._prompt,
            "completion/complete": self._completion,
            "logging/setLevel": self._level,
            "tasks/result": self._task_result,
            "server/discover": self._no_discover,
        }

    def request(self, call: Open) -> None:
        """Send a request on its way."""
        method = call.message.method
        if method in KINDS:
            self._client.spawn(self._list(call, KINDS[method]))
        elif method in self._methods:
            self._methods[method](call)
        elif method.startswith("tasks/"):
            self.forward(call, self._task_upstreams(call))
        else:
            self.forward(call, list(self._upstreams.values()))

    # ── forwarding ───────────────────────────────────────────────────────────────────────────

    def forward(self, call: Open, candidates: Sequence[Upstream], *edits: Edit) -> None:
        """Ask the candidates in turn until one knows the thing; its answer goes on as it is."""
        up = [u for u in candidates if u.up]
        if not up:
            if candidates:
                self._lost(call, candidates[0].down())
            else:
                self._no_method(call)
            return
        first, rest = up[0], up[1:]

        def on_reply(reply: Reply) -> None:
            if call.closed:
                return
            if isinstance(reply, Lost):
                self._lost(call, reply)
            elif rest and _code(reply) in NOT_FOUND:
                self.forward(call, rest, *edits)
            else:
                self._remember_task(first, reply)
                self._client.answer(call, reply.with_id(call.id_text))

        call.upstream = first
        call.waiting = first.send_request(call.message, on_reply, *edits)

    def _lost(self, call: Open, lost: Lost) -> None:
        data = {
            "tripwire": "blocked",
            "code": "upstream_unavailable",
            "retry_in_ms": lost.retry_in_ms,
        }
        self._error(call, jsonrpc.SERVER_ERROR, lost.text, data)

    def _no_method(self, call: Open) -> None:
        self._error(call, jsonrpc.METHOD_NOT_FOUND, f"Method not found: {call.message.method}")

    def _error(self, call: Open, code: int, why: str, data: object = None) -> None:
        if not call.closed:
            self._client.answer(call, jsonrpc.error(call.id_text, code, why, data))

    # ── methods ──────────────────────────────────────────────────────────────────────────────

    def _no_discover(self, call: Open) -> None:
        # The 2026-07-28 revision starts here; "method not found" sends its clients to initialize.
        self._error(call, jsonrpc.METHOD_NOT_FOUND, "Method not found: server/discover")

    def _ping(self, call: Open) -> None:
        up = [u for u in self._upstreams.values() if u.up]
        if len(self._upstreams) == 1 and up:
            self.forward(call, up)
        else:
            self._client.answer(call, jsonrpc.result(call.id_text, "{}"))

    async def _list(self, call: Open, kind: Kind) -> None:
        try:
            text = await self._catalogue.page(kind, call.message)
        except ListFailed as failed:
            if isinstance(failed.reply, Lost):
                self._lost(call, failed.reply)
            elif not call.closed:
                self._client.answer(call, failed.reply.with_id(call.id_text))
            return
        if not call.closed:
            self._client.answer(call, jsonrpc.result(call.id_text, text))

    def _resource(self, call: Open) -> None:
        self._client.spawn(self._resource_read(call))

    async def _resource_read(self, call: Open) -> None:
        uri = call.message.params.get("uri")
        candidates = await self._resource_upstreams(uri)
        if not call.closed:
            self._guarded(call, candidates, "resources/read", {"uri": uri})

    async def _resource_upstreams(self, uri: Any) -> list[Upstream]:
        """The upstream of a URI; if none is known to have it, all that have resources."""
        every = list(self._upstreams.values())
        if len(every) == 1 or not isinstance(uri, str):
            return every
        known = self._catalogue.resource(uri)
        if not known:
            await asyncio.gather(self._catalogue.ready(RESOURCES), self._catalogue.ready(TEMPLATES))
            known = self._catalogue.resource(uri)
        if known:
            return [self._upstreams[known]]
        return [u for u in every if offers(u, RESOURCES)]

    def _subscribe(self, call: Open) -> None:
        self._client.spawn(self._subscribed(call))

    async def _subscribed(self, call: Open) -> None:
        uri = call.message.params.get("uri")
        candidates = await self._resource_upstreams(uri)
        if candidates and call.message.method == "resources/subscribe":
            candidates[0].remember(f"subscribe {uri}", call.message.text)
        elif candidates:
            candidates[0].remember(f"subscribe {uri}", "")
        if not call.closed:
            self.forward(call, candidates)

    def _prompt(self, call: Open) -> None:
        self._client.spawn(self._prompt_got(call))

    async def _prompt_got(self, call: Open) -> None:
        name = call.message.params.get("name")
        found = await self._prompt_target(name)
        if call.closed:
            return
        if found is None:
            self._error(call, jsonrpc.INVALID_PARAMS, f"Unknown prompt: {name}")
            return
        upstream, own = found
        edit = (call.message.inner("params")["name"], jsonrpc.dumps(own))
        args = {"name": own, "arguments": call.message.params.get("arguments", {})}
        self._guarded(call, [upstream], "prompts/get", args, edit)

    async def _prompt_target(self, name: Any) -> tuple[Upstream, str] | None:
        if not isinstance(name, str):
            return None
        target = self._catalogue.prompt(name)
        if target is None:
            await self._catalogue.ready(PROMPTS)
            target = self._catalogue.prompt(name)
        return (self._upstreams[target.upstream], target.name) if target else None

    def _completion(self, call: Open) -> None:
        self._client.spawn(self._completed(call))

    async def _completed(self, call: Open) -> None:
        ref = call.message.params.get("ref")
        every = list(self._upstreams.values())
        if isinstance(ref, dict) and ref.get("type") == "ref/prompt":
            found = await self._prompt_target(ref.get("name"))
            if found is not None and not call.closed:
                place = call.message.inner("params", "ref")["name"]
                self.forward(call, [found[0]], (place, jsonrpc.dumps(found[1])))
                return
        elif isinstance(ref, dict) and ref.get("type") == "ref/resource":
            every = await self._resource_upstreams(ref.get("uri"))
        if not call.closed:
            self.forward(call, every)

    def _level(self, call: Open) -> None:
        every = list(self._upstreams.values())
        for upstream in every:
            upstream.remember("level", call.message.text)
        willing = [u for u in every if u.up and offers(u, LOGGING)]
        for upstream in willing[1:]:
            upstream.send_request(call.message, lambda _: None)
        self.forward(call, willing[:1] or every[:1])

    # ── guarded reads ────────────────────────────────────────────────────────────────────────

    def _guarded(
        self,
        call: Open,
        candidates: Sequence[Upstream],
        name: str,
        args: dict[str, Any],
        *edits: Edit,
    ) -> None:
        call.is_tool = False
        up = [u for u in candidates if u.up]
        if not candidates:
            self._no_method(call)
        elif not up:
            self._lost(call, candidates[0].down())
        else:
            self._calls.read(call, up[0], name, args, *edits)

    def _task_result(self, call: Open) -> None:
        task = call.message.params.get("taskId")
        self._guarded(call, self._task_upstreams(call), "tasks/result", {"taskId": task})

    def _task_upstreams(self, call: Open) -> list[Upstream]:
        owner = self._task_owners.get(str(call.message.params.get("taskId")))
        return [owner] if owner else list(self._upstreams.values())

    def remember_task(self, upstream: Upstream, reply: Message) -> None:
        """Note whose task a result has created, so that its later requests find the way."""
        self._remember_task(upstream, reply)

    def _remember_task(self, upstream: Upstream, reply: Message) -> None:
        value = reply.get("result")
        task = value.get("task") if isinstance(value, dict) else None
        if isinstance(task, dict) and isinstance(task.get("taskId"), str):
            self._task_owners[task["taskId"]] = upstream
            if len(self._task_owners) > MOST_TASKS:
                del self._task_owners[next(iter(self._task_owners))]


def _code(reply: Message) -> int:
    fault = reply.get("error")
    code = fault.get("code") if isinstance(fault, dict) else None
    return code if isinstance(code, int) else 0
