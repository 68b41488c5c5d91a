"""Lists of tools, prompts, resources and templates: all upstream pages, one stable answer (G-5).

Items keep their text; only names are replaced. What an upstream listed stays known while it is
down. Does not decide which tools are allowed to run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tripwire.doors.gateway import jsonrpc
from tripwire.doors.gateway.jsonrpc import Member, Message
from tripwire.doors.gateway.names import INTENT_TOOL
from tripwire.doors.gateway.notes import note
from tripwire.doors.gateway.upstream import Lost, Upstream

PAGE_CHARS: Final = 1_000_000
"""An answer beyond this is given to the client in pages (G-5: 1 MiB)."""
MOST_PAGES: Final = 10_000
SNAPSHOTS: Final = 8


@dataclass(frozen=True, slots=True)
class Kind:
    """One sort of list: its method, the member that holds the items, the capability it needs."""

    method: str
    key: str
    capability: str


TOOLS: Final = Kind("tools/list", "tools", "tools")
PROMPTS: Final = Kind("prompts/list", "prompts", "prompts")
RESOURCES: Final = Kind("resources/list", "resources", "resources")
TEMPLATES: Final = Kind("resources/templates/list", "resourceTemplates", "resources")
KINDS: Final = {kind.method: kind for kind in (TOOLS, PROMPTS, RESOURCES, TEMPLATES)}
CHANGES: Final = {
    "notifications/tools/list_changed": (TOOLS,),
    "notifications/prompts/list_changed": (PROMPTS,),
    "notifications/resources/list_changed": (RESOURCES, TEMPLATES),
}
"""Which lists a notification makes stale."""


@dataclass(frozen=True, slots=True)
class Item:
    """One listed object: its text and its parsed form."""

    text: str
    value: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The item's own name; "" if it has none."""
        name = self.value.get("name")
        return name if isinstance(name, str) else ""

    def renamed(self, name: str) -> str:
        """The text with another name."""
        place = jsonrpc.members(self.text).get("name")
        if place is None or place.value == name:
            return self.text
        return self.text[: place.start] + jsonrpc.dumps(name) + self.text[place.end :]


@dataclass(slots=True)
class Listed:
    """Everything one upstream listed of one kind; `others` are the result's other members."""

    items: tuple[Item, ...] = ()
    others: dict[str, str] = field(default_factory=dict)
    fault: Message | Lost | None = None


def offers(upstream: Upstream, kind: Kind) -> bool:
    """Whether the upstream has declared the capability."""
    if upstream.initialized is None:
        return False
    capabilities = upstream.initialized.get("result").get("capabilities")
    return isinstance(capabilities, dict) and kind.capability in capabilities


async def read_all(upstream: Upstream, kind: Kind, params: str) -> Listed:
    """Every page, in the upstream's order."""
    found: list[Item] = []
    others: dict[str, str] = {}
    seen: set[str] = set()
    cursor = ""
    for _ in range(MOST_PAGES):
        reply = await upstream.ask(kind.method, with_cursor(params, cursor))
        if isinstance(reply, Lost) or not isinstance(reply.get("result"), dict):
            return Listed(fault=reply)
        parts = reply.inner("result")
        found += _items(reply, parts.get(kind.key))
        for key, part in parts.items():
            if key not in (kind.key, "nextCursor"):
                others.setdefault(key, reply.text[part.start : part.end])
        following = parts.get("nextCursor")
        if following is None or following.value is None:
            return Listed(tuple(found), others)
        cursor = reply.text[following.start : following.end]
        if cursor in seen:
            break
        seen.add(cursor)
    note(f"upstream {upstream.name}: {kind.method} never ends; the pages read so far are used")
    return Listed(tuple(found), others)


def _items(reply: Message, part: Member | None) -> list[Item]:
    if part is None or not isinstance(part.value, list):
        return []
    return [
        Item(reply.text[e.start : e.end], e.value)
        for e in jsonrpc.elements(reply.text, part.start)
        if isinstance(e.value, dict)
    ]


def with_cursor(params: str, cursor: str) -> str:
    """List params with this cursor (JSON text); "" removes it."""
    parts = jsonrpc.members(params) if params else {}
    kept = {k: params[p.start : p.end] for k, p in parts.items() if k != "cursor"}
    if cursor:
        kept["cursor"] = cursor
    if not kept and not params:
        return ""
    return "{" + ",".join(f"{jsonrpc.dumps(k)}:{v}" for k, v in kept.items()) + "}"


class Pages:
    """Answers that are given out in pages: the cursors of the last few lists."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[str, str, list[str]]] = {}
        self._serial = 0

    def first(self, kind: Kind, texts: Sequence[str], others: Mapping[str, str]) -> str:
        """The result text of the first page."""
        rest = "".join(f",{jsonrpc.dumps(k)}:{v}" for k, v in others.items())
        return self._page(kind.key, rest, list(texts))

    def next(self, kind: Kind, cursor: object) -> str | None:
        """The page of a cursor that was given out; None if there is none."""
        kept = self._kept.get(cursor) if isinstance(cursor, str) else None
        if kept is None or kept[0] != kind.key:
            return None
        return self._page(*kept)

    def _page(self, key: str, rest: str, texts: list[str]) -> str:
        size = count = 0
        while count < len(texts) and (count == 0 or size + len(texts[count]) <= PAGE_CHARS):
            size += len(texts[count])
            count += 1
        more = ""
        if count < len(texts):
            self._serial += 1
            cursor = f"tripwire-{self._serial}"
            self._kept[cursor] = (key, rest, texts[count:])
            if len(self._kept) > SNAPSHOTS * 8:
                del self._kept[next(iter(self._kept))]
            more = f',"nextCursor":"{cursor}"'
        return f'{{"{key}":[{",".join(texts[:count])}]{rest}{more}}}'


INTENT_TEXT: Final = jsonrpc.dumps(
    {
        "name": INTENT_TOOL,
        "title": "Declare intent",
        "description": (
            "Tell Tripwire, which guards these tools, what the user asked for. Call it once, "
            "before reading any document, with the user's goal in the user's own words: names, "
            "amounts and references included. Consequential calls are checked against it."
        ),
        "inputSchema": {
            "type": "object",
            "properties": {
                "goal": {"type": "string", "minLength": 1, "maxLength": 2000},
                "plan_summary": {"type": "string", "maxLength": 4000},
            },
            "required": ["goal"],
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }
)
"""The gateway's one tool of its own (gateway.md §4)."""
