"""Hook: one event of an agent client, whichever it is; and what an adapter is.

Decides nothing and does no I/O. An adapter (`claude_code.py`, …) types what its client sends once;
what is not of the expected shape raises MalformedInput, and whoever asked is refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tripwire.errors import MalformedInput
from tripwire.model.verdict import Verdict

WHERE = "hook event"
JsonObject = Mapping[str, Any]


class Phase(StrEnum):
    """What an event is to us, whatever its client calls it."""

    STARTED = "started"
    ENDED = "ended"
    PROMPT = "prompt"
    BEFORE = "before"
    AFTER = "after"
    INSTRUCTIONS = "instructions"
    """An instruction file was loaded."""
    COMPACTED = "compacted"
    """The agent forgot what it was shown."""
    QUIET = "quiet"
    """Understood, and nothing to say to it."""


@dataclass(frozen=True, slots=True)
class Hook:
    """One event as the client sent it; absent texts are empty.

    Built-in tools bear the names of Claude Code's (`Read`, `Edit`, `Bash` …), which the shipped
    policy knows; adapters translate (flow.md §3.8).
    """

    name: str
    """The client's own name of the event."""
    session: str
    """"" if the client named none: such an event is on its own (CTX-34)."""
    phase: Phase = Phase.QUIET
    cwd: str = ""
    transcript: str = ""
    mode: str = ""
    agent: str = ""
    source: str = ""
    prompt: str = ""
    tool: str = ""
    args: Mapping[str, object] = field(default_factory=dict)
    call_id: str = ""
    response: object = None
    failed: bool = False
    path: str = ""
    server: str = ""
    """The MCP server of the call, where the client names it apart from the tool."""
    generation: str = ""
    """Cursor's id of one turn, for events without a call id."""


@dataclass(frozen=True, slots=True)
class Client:
    """One agent client: how its events are read and how it is answered."""

    name: str
    read: Callable[[JsonObject], Hook]
    render: Callable[[Hook, Verdict], str]
    tells_before: bool = True
    """Context added before a call reaches the model; if not, it is added after (CTX-35)."""
    tells_prompts: bool = True
    """Context added to a prompt reaches the model."""
    asks: bool = True
    """The client can put a question to the person."""

    def parse(self, raw: bytes) -> Hook:
        """Read one event. Raises MalformedInput with the position, never with the content."""
        return self.read(decoded(raw))


def decoded(raw: bytes) -> JsonObject:
    """The event as a JSON object. Raises MalformedInput."""
    try:
        value = json.loads(raw.decode("utf-8"))
    except json.JSONDecodeError as problem:
        raise MalformedInput(f"not JSON at byte {problem.pos}", where=WHERE) from None
    except UnicodeDecodeError as problem:
        raise MalformedInput(f"not UTF-8 at byte {problem.start}", where=WHERE) from None
    except RecursionError:
        raise MalformedInput("nested too deeply", where=WHERE) from None
    if not isinstance(value, dict):
        raise MalformedInput("not a JSON object", where=WHERE)
    return value


def text(value: JsonObject, key: str, *, needed: bool = False) -> str:
    """A string member, "" if it is absent. Raises MalformedInput."""
    found = value.get(key)
    if found is None and not needed:
        return ""
    if not isinstance(found, str):
        raise MalformedInput(f'"{key}" is not a string', where=WHERE)
    if needed and not found and key != "prompt":
        raise MalformedInput(f'"{key}" is empty', where=WHERE)
    return found


def arguments(value: JsonObject, key: str = "tool_input") -> dict[str, Any]:
    """The arguments of a call. Raises MalformedInput."""
    found = value.get(key)
    if isinstance(found, str):  # Cursor sends those of MCP tools as text
        found = embedded(found)
    if not isinstance(found, dict):
        raise MalformedInput(f'"{key}" is not an object', where=WHERE)
    return found


def embedded(found: str) -> object:
    """The value of a text that is JSON; another text as it is."""
    try:
        return json.loads(found)
    except (ValueError, RecursionError):
        return found


def stand_in(*parts: object) -> str:
    """A call id for a client that gives none: the same call before and after has the same one."""
    told = json.dumps(parts, sort_keys=True, default=repr)
    return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:24]


def phase_of(name: str, phases: Mapping[str, Phase]) -> Phase:
    """The phase of an event. Raises MalformedInput for one that nobody knows."""
    found = phases.get(name)
    if found is None:
        raise MalformedInput(f"unknown event {name[:40]!r}", where=WHERE)
    return found
