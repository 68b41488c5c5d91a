"""What upstreams said of their tools when they listed them: annotations, input schemas.

Does not judge a listing; a pin (gateway.md §3.2) does. The first listing of a tool holds for the
session: annotations that change later could loosen a rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tripwire.model.event import ToolsListed
from tripwire.text.canonical import any_digest


@dataclass(slots=True)
class Listings:
    """(source, tool) → the tool object as first listed."""

    tools: dict[tuple[str, str], Mapping[str, object]] = field(default_factory=dict)

    quarantined: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """Source → tool → why it waits for a person; "" stands for every tool."""

    def learn(self, event: ToolsListed) -> None:
        """Remember the tools of a listing. What a person accepted since takes its pin's place."""
        before = self.quarantined.get(event.source, {})
        self.quarantined[event.source] = event.quarantined
        for tool in event.tools:
            name = tool.get("name")
            if not isinstance(name, str) or name in event.quarantined:
                continue
            if name in before:
                self.tools[event.source, name] = tool
            else:
                self.tools.setdefault((event.source, name), tool)

    def quarantine(self, source: str, tool: str) -> str:
        """Why a tool waits for a person; "" if it does not."""
        held = self.quarantined.get(source, {})
        return held.get(tool, "") or held.get("", "")

    def annotation(self, source: str, tool: str, name: str) -> bool | None:
        """One annotation of a tool; None if it was not listed or does not say."""
        notes = self.tools.get((source, tool), {}).get("annotations")
        value = notes.get(name) if isinstance(notes, Mapping) else None
        return value if isinstance(value, bool) else None

    def property_type(self, source: str, tool: str, name: str) -> str:
        """The JSON Schema type of a top-level parameter, "" if unknown."""
        schema = self.tools.get((source, tool), {}).get("inputSchema")
        held = schema.get("properties") if isinstance(schema, Mapping) else None
        entry = held.get(name) if isinstance(held, Mapping) else None
        kind = entry.get("type") if isinstance(entry, Mapping) else None
        return kind if isinstance(kind, str) else ""

    def fingerprint(self, source: str, tool: str) -> str:
        """SHA-256 hex of the tool object as first listed, "" if it was not (A-2: the pin)."""
        listed = self.tools.get((source, tool))
        return any_digest(listed) if listed is not None else ""

    def snapshot(self) -> object:
        """A comparable copy."""
        tools = {key: repr(tool) for key, tool in self.tools.items()}
        return tools, {key: dict(held) for key, held in self.quarantined.items()}
