"""What was done: successful writes, for the check against doing it twice (gateway.md C-8)."""

from __future__ import annotations

from dataclasses import dataclass

from tripwire.model.event import ToolResult


@dataclass(slots=True)
class Deeds:
    """Successful calls by tool."""

    def learn_result(self, event: ToolResult, receipt: int) -> None:
        """Remember a call that succeeded."""

    def snapshot(self) -> object:
        """A comparable copy."""
        return ()
