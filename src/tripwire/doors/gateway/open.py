"""A request of the client that is being worked on, and the batch it may belong to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from tripwire.doors.gateway.jsonrpc import Member, Message
from tripwire.doors.gateway.upstream import Upstream, Waiting
from tripwire.model.event import ToolCall

NOTHING: Final = ToolCall("", "", "", {})
"""The event of a request that is not guarded."""


@dataclass(slots=True, eq=False)
class Batch:
    """Requests that came in one array: their answers go back in one array."""

    open: int = 0
    answers: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Open:
    """One request. `event` is its call where it is guarded; `closed` once it needs no answer."""

    message: Message
    id_text: str
    key: tuple[str, Any]
    batch: Batch | None = None
    upstream: Upstream | None = None
    event: ToolCall = NOTHING
    is_tool: bool = True
    edits: tuple[tuple[Member, str], ...] = ()
    waiting: Waiting | None = None
    closed: bool = False
    attempted: bool = False
    on_cancel: list[Callable[[], None]] = field(default_factory=list)
