"""What was done: successful calls, for the check against doing one twice (gateway.md C-8).

Does not tell payments from other calls: the policy's guards do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tripwire.model.event import ToolResult

MAX_DEEDS = 512
"""Latest calls of one tool that are compared."""


@dataclass(frozen=True, slots=True)
class Deed:
    """One successful call."""

    args: Mapping[str, object]
    receipt: int


@dataclass(slots=True)
class Deeds:
    """Successful calls by exposed tool name."""

    done: dict[str, list[Deed]] = field(default_factory=dict)

    def learn_result(self, event: ToolResult, receipt: int) -> None:
        """Remember a call that succeeded."""
        failed = isinstance(event.result, dict) and event.result.get("isError") is True
        if event.is_error or failed or not event.args:
            return
        held = self.done.setdefault(event.exposed, [])
        held.append(Deed(event.args, receipt))

    def of(self, exposed: str) -> list[Deed]:
        """The latest successful calls of a tool, oldest first."""
        return self.done.get(exposed, [])[-MAX_DEEDS:]

    def snapshot(self) -> object:
        """A comparable copy."""
        return {
            name: tuple((repr(d.args), d.receipt) for d in held) for name, held in self.done.items()
        }
