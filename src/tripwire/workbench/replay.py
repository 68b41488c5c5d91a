"""A recorded session through a policy: what would have been asked or stopped (flow.md §4.3).

Reads transcripts of Claude Code (JSON lines). Every call is judged and learnt as if it had been let
through, as the recording shows what followed. Does not see what hooks saw beside the transcript:
links on disk, git remotes, files touched by a mention.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tripwire.engine import Engine
from tripwire.model.event import Event, SessionOpened, ToolCall, ToolResult, UserSaid
from tripwire.model.policy import Policy
from tripwire.model.verdict import ALLOWED, Verdict

CLIENT = "claude-code"


@dataclass(frozen=True, slots=True)
class Recording:
    """The events of a transcript, and its lines that could not be read."""

    events: tuple[Event, ...]
    unread: tuple[tuple[int, str], ...]
    """Line number, and why."""

    @property
    def calls(self) -> int:
        """How many calls it holds."""
        return sum(isinstance(event, ToolCall) for event in self.events)


@dataclass(frozen=True, slots=True)
class Stop:
    """A call that the policy would not simply have let through."""

    call: str
    number: int
    """Of the call in the recording, from 1."""
    tool: str
    verdict: Verdict


@dataclass(slots=True)
class _Parser:
    """Turns lines into events; a result belongs to the call of its id."""

    trusted: bool
    home: str
    events: list[Event] = field(default_factory=list)
    unread: list[tuple[int, str]] = field(default_factory=list)
    calls: dict[str, ToolCall] = field(default_factory=dict)

    def line(self, number: int, text: str) -> None:
        """Take one line in."""
        try:
            self._entry(json.loads(text))
        except (ValueError, RecursionError):
            self.unread.append((number, "not JSON"))
        except (KeyError, TypeError, AttributeError) as problem:
            self.unread.append((number, f"not of a known form ({type(problem).__name__})"))

    def _entry(self, entry: Mapping[str, Any]) -> None:
        kind = entry.get("type")
        if kind not in ("user", "assistant"):
            return  # summaries, snapshots, progress: nothing that a hook is told
        cwd = str(entry.get("cwd") or "/")
        if not self.events:
            self.events.append(SessionOpened(CLIENT, cwd, self.home))
        content = entry["message"]["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in blocks:
            self._block(kind, block, cwd, typed=not entry.get("isMeta"))

    def _block(self, role: str, block: Mapping[str, Any], cwd: str, *, typed: bool) -> None:
        kind = block["type"]
        if kind == "text" and role == "user" and typed and self.trusted:
            self.events.append(UserSaid(str(block["text"])))
        elif kind == "tool_use" and role == "assistant":
            source, tool = split(str(block["name"]))
            call = ToolCall(str(block["id"]), source, tool, dict(block["input"]), cwd)
            self.calls[call.call_id] = call
            self.events.append(call)
        elif kind == "tool_result":
            call = self.calls[str(block["tool_use_id"])]
            error = block.get("is_error") is True
            content = block.get("content")
            self.events.append(
                ToolResult(call.call_id, call.source, call.tool, call.args, content, error, cwd)
            )


def split(name: str) -> tuple[str, str]:
    """Source and tool of a name as Claude Code writes it: `mcp__server__tool` or its own."""
    if name.startswith("mcp__"):
        source, mark, tool = name.removeprefix("mcp__").partition("__")
        if mark and source and tool:
            return source, tool
    return CLIENT, name


def recording(text: str, *, home: str, trusted: bool = True) -> Recording:
    """The events of a transcript; with `trusted` off, nothing counts as the user's words."""
    parser = _Parser(trusted, home)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            parser.line(number, line)
    return Recording(tuple(parser.events), tuple(parser.unread))


def stops(found: Recording, policy: Policy) -> Iterator[Stop]:
    """Every call that the policy would ask about or block, in order."""
    engine, number = Engine(policy), 0
    for event in found.events:
        verdict = engine.judge(event)
        engine.learn(event, ALLOWED)
        if isinstance(event, ToolCall):
            number += 1
            if not verdict.passes:
                yield Stop(event.call_id, number, event.tool, verdict)
