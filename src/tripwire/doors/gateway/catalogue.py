"""What all upstreams offer, as the agent sees it: lists, names, and where each thing lives.

Fills the lists on demand, remembers them until they change, and finds the upstream of a name, a
resource URI or a prompt. Does not run anything.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import re2

from tripwire.doors.gateway import jsonrpc, names
from tripwire.doors.gateway.jsonrpc import Message
from tripwire.doors.gateway.listing import (
    CHANGES,
    INTENT_TEXT,
    PROMPTS,
    RESOURCES,
    TEMPLATES,
    TOOLS,
    Item,
    Kind,
    Listed,
    Pages,
    offers,
    read_all,
)
from tripwire.doors.gateway.names import Names, Target
from tripwire.doors.gateway.notes import note
from tripwire.doors.gateway.record import Record
from tripwire.doors.gateway.upstream import Lost, Upstream
from tripwire.errors import TripwireError
from tripwire.io.pins import Pins, identity_of
from tripwire.model.event import ToolsListed
from tripwire.model.policy import Policy
from tripwire.text.well_formed import well_formed

MAX_TEMPLATE: Final = 2000
"""Characters of a URI template that are looked at."""
_EXPRESSION = re.compile(r"\{([^{}]*)\}")
_WIDE = ("+", "#", "/", "?", "&", ";", ".")
Shape = Any
"""A compiled RE2 pattern (the binding has no types)."""


class ListFailed(Exception):
    """No upstream could answer; holds the only upstream's own reply."""

    def __init__(self, reply: Message | Lost) -> None:
        self.reply = reply
        super().__init__("the list could not be read")


class Catalogue:
    """The lists of all upstreams."""

    def __init__(
        self,
        policy: Policy,
        upstreams: Sequence[Upstream],
        record: Record,
        pins: Pins | None = None,
    ) -> None:
        self._pins = pins
        self._waiting: dict[str, Mapping[str, str]] = {}
        self._policy = policy
        self._upstreams = upstreams
        self._record = record
        self._lists: dict[tuple[str, str], Listed] = {}
        self._fresh: set[tuple[str, str]] = set()
        self._changes: Counter[tuple[str, str]] = Counter()
        self._reading: dict[tuple[str, str], asyncio.Future[Listed]] = {}
        self._told: dict[str, tuple[str, ...]] = {}
        self._names = {TOOLS.key: Names(), PROMPTS.key: Names()}
        self._shown: dict[tuple[str, str], dict[str, str]] = {}
        self._pages = Pages()
        self._routes: dict[str, str] = {}
        self._templates: list[tuple[Shape, str]] = []

    # ── lists ────────────────────────────────────────────────────────────────────────────────

    async def page(self, kind: Kind, message: Message) -> str:
        """The result text that answers a client's list request. Raises ListFailed."""
        cursor = message.params.get("cursor")
        if cursor is not None:
            found = self._pages.next(kind, cursor)
            if found is None:
                raise ListFailed(
                    Message.parse(jsonrpc.error("0", jsonrpc.INVALID_PARAMS, "Invalid cursor"))
                )
            return found
        params = message.raw("params")
        await self._refresh(kind, params if isinstance(message.get("params"), dict) else "")
        texts: list[str] = []
        others: dict[str, str] = {}
        for upstream in self._upstreams:
            listed = self._lists.get((upstream.name, kind.key))
            if listed is not None:
                texts += self._texts(upstream, kind, listed)
                for key, value in listed.others.items():
                    others.setdefault(key, value)
        if kind is TOOLS and "declared" in self._policy.intent_sources:
            texts.append(INTENT_TEXT)
        return self._pages.first(kind, texts, others)

    async def ready(self, kind: Kind, upstream: Upstream | None = None) -> None:
        """Make sure that the lists (of one upstream) have been read since they last changed."""
        wanted = [upstream] if upstream else list(self._upstreams)
        stale = [u for u in wanted if u.up and not self.is_fresh(kind, u.name)]
        await asyncio.gather(*(self._shared(u, kind) for u in stale if offers(u, kind)))

    def stale(self, upstream: Upstream, method: str) -> None:
        """A list_changed notification came, or ("") the upstream was started again."""
        kinds = CHANGES.get(method, ()) if method else (TOOLS, PROMPTS, RESOURCES, TEMPLATES)
        for kind in kinds:
            self._fresh.discard((upstream.name, kind.key))
            self._changes[upstream.name, kind.key] += 1

    def is_fresh(self, kind: Kind, upstream: str) -> bool:
        """Whether the list of this upstream is known and has not changed."""
        if kind is TOOLS:
            self._look_again()
        return (upstream, kind.key) in self._fresh

    def _look_again(self) -> None:
        """Once a person accepted something every list is compared again (AP-P4: no restart)."""
        if self._pins is not None and self._pins.changed():
            self._fresh -= {(name, TOOLS.key) for name, _ in self._fresh}
            self._told.clear()

    async def _refresh(self, kind: Kind, params: str) -> None:
        single = len(self._upstreams) == 1
        asked = [u for u in self._upstreams if u.up and (offers(u, kind) or self._lone(kind))]
        results = await asyncio.gather(*(self._read(u, kind, params) for u in asked))
        if single and results and results[0].fault is not None:
            raise ListFailed(results[0].fault)
        if kind is not TOOLS and not any(
            (u.name, kind.key) in self._lists for u in self._upstreams
        ):
            if asked:
                raise ListFailed(results[0].fault or Lost("down", "no upstream answers"))
            down = [u for u in self._upstreams if not u.up]
            if down:
                raise ListFailed(down[0].down())
            why = f"Method not found: {kind.method}"
            raise ListFailed(Message.parse(jsonrpc.error("0", jsonrpc.METHOD_NOT_FOUND, why)))

    def _lone(self, kind: Kind) -> bool:
        # The only upstream answers for itself, its own error included; tools are always offered.
        return len(self._upstreams) == 1 and kind is not TOOLS

    async def _shared(self, upstream: Upstream, kind: Kind) -> None:
        """One reading for all calls that need the list at the same time."""
        key = upstream.name, kind.key
        reading = self._reading.get(key)
        if reading is None:
            reading = asyncio.ensure_future(self._read(upstream, kind, ""))
            self._reading[key] = reading
            reading.add_done_callback(lambda _: self._reading.pop(key, None))
        await asyncio.shield(reading)

    async def _read(self, upstream: Upstream, kind: Kind, params: str) -> Listed:
        key = upstream.name, kind.key
        changes = self._changes[key]
        listed = await read_all(upstream, kind, params)
        if listed.fault is not None:
            return listed
        self._lists[key] = listed
        if kind is TOOLS:
            await self._tell(upstream, listed)
        self._index(upstream, kind, listed)
        if changes == self._changes[key]:  # else it changed while it was read
            self._fresh.add(key)
        return listed

    async def _tell(self, upstream: Upstream, listed: Listed) -> None:
        """Record the tools when they are not what was recorded last."""
        self._look_again()
        now = tuple(item.text for item in listed.items)
        if self._told.get(upstream.name) == now:
            return
        tools = tuple(item.value for item in listed.items)
        waiting = await asyncio.to_thread(self._look, upstream, tools) if self._pins else {}
        self._waiting[upstream.name] = waiting
        event = ToolsListed(upstream.name, tools, waiting)
        if await self._record.verdict(event) is not None:
            self._told[upstream.name] = now

    def _look(self, upstream: Upstream, tools: tuple[Mapping[str, Any], ...]) -> Mapping[str, str]:
        """What waits for a person; all of it if the pins cannot be used."""
        hello = upstream.initialized.get("result") if upstream.initialized else {}
        said = hello.get("serverInfo") if isinstance(hello, dict) else {}
        info = said if isinstance(said, dict) else {}
        try:
            who = identity_of(upstream.policy.command, upstream.policy.cwd, info)
            return self._pins.look(upstream.name, who, tools) if self._pins else {}
        except (TripwireError, OSError) as fault:
            note(f"pins cannot be used ({fault}); the tools of {upstream.name} wait")
            return {"": f"pins cannot be used: {type(fault).__name__}"}

    def _hidden(self, upstream: Upstream, name: str) -> bool:
        waiting = self._waiting.get(upstream.name, {})
        return self._policy.pins.mode == "enforce" and (name in waiting or "" in waiting)

    def _index(self, upstream: Upstream, kind: Kind, listed: Listed) -> None:
        if kind in (TOOLS, PROMPTS):
            items = [i for i in listed.items if i.name and self._offered(upstream, kind, i)]
            self._shown[upstream.name, kind.key] = self._names[kind.key].expose(
                upstream.policy, (item.name for item in items)
            )
        if kind in (RESOURCES, TEMPLATES):
            self._index_resources()

    def _offered(self, upstream: Upstream, kind: Kind, item: Item) -> bool:
        return kind is not TOOLS or names.offered(upstream.policy, item.name)

    def _texts(self, upstream: Upstream, kind: Kind, listed: Listed) -> list[str]:
        if kind not in (TOOLS, PROMPTS):
            return [item.text for item in listed.items]
        shown = self._shown.get((upstream.name, kind.key), {})
        return [
            i.renamed(shown[i.name])
            for i in listed.items
            if i.name in shown and not (kind is TOOLS and self._hidden(upstream, i.name))
        ]

    # ── where things live ────────────────────────────────────────────────────────────────────

    def tool(self, name: str) -> Target | None:
        """The upstream and its own name of an exposed tool."""
        return self._names[TOOLS.key].find(name)

    def prompt(self, name: str) -> Target | None:
        """The upstream and its own name of an exposed prompt."""
        return self._names[PROMPTS.key].find(name)

    def by_prefix(self, name: str) -> Upstream | None:
        """The upstream that an exposed name's prefix means, listed or not."""
        prefix, mark, _ = name.partition("__")
        return next((u for u in self._upstreams if mark and u.name == prefix), None)

    def annotations(self, target: Target) -> Mapping[str, object]:
        """The listed tool object of a target; empty if it is not listed."""
        listed = self._lists.get((target.upstream, TOOLS.key), Listed())
        return next((i.value for i in listed.items if i.name == target.name), {})

    def resource(self, uri: str) -> str:
        """The upstream of a resource URI by list, else by template; "" if neither knows it."""
        if uri in self._routes:
            return self._routes[uri]
        return next(
            (name for shape, name in self._templates if shape.fullmatch(well_formed(uri))), ""
        )

    def _index_resources(self) -> None:
        self._routes = {}
        self._templates = []
        for upstream in self._upstreams:
            for item in self._lists.get((upstream.name, RESOURCES.key), Listed()).items:
                self._routes.setdefault(str(item.value.get("uri")), upstream.name)
            for item in self._lists.get((upstream.name, TEMPLATES.key), Listed()).items:
                shape = template_shape(str(item.value.get("uriTemplate")))
                self._templates.append((shape, upstream.name))


def template_shape(template: str) -> Shape:
    """The URIs of a template, roughly: `{…}` is a segment, `{+…}` and the like any text.

    The template is the upstream's, so it is matched by RE2, whose cost is linear in the URI.
    """
    parts = _EXPRESSION.split(template[:MAX_TEMPLATE])
    return re2.compile(
        "".join(
            re2.escape(part) if n % 2 == 0 else ("(?s:.*)" if part[:1] in _WIDE else "[^/?#]*")
            for n, part in enumerate(parts)
        )
    )
