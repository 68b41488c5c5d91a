"""What was done: successful calls, for the check against doing one twice (gateway.md C-8).

Does not tell payments from other calls: the policy's guards do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from tripwire.model.event import ToolResult
from tripwire.text import values
from tripwire.text.paths import opened_json

MAX_COMPARED = 32
"""Latest calls with one value that are compared."""

MAX_TEXT = 256


@dataclass(frozen=True, slots=True)
class Deed:
    """One successful call."""

    args: Mapping[str, object]
    receipt: int


@dataclass(slots=True)
class Deeds:
    """Successful calls by exposed tool name and by each value of their arguments.

    Which values those are is looked at once somebody asks about the tool: most are never asked for.
    """

    done: dict[tuple[str, str], list[Deed]] = field(default_factory=dict)
    fresh: dict[str, list[Deed]] = field(default_factory=dict)
    """By tool, what was not looked at yet."""

    def learn_result(self, event: ToolResult, receipt: int) -> None:
        """Remember a call that succeeded."""
        failed = isinstance(event.result, dict) and event.result.get("isError") is True
        if event.is_error or failed or not event.args:
            return
        self.fresh.setdefault(event.exposed, []).append(Deed(event.args, receipt))

    def with_value(self, exposed: str, key: str) -> list[Deed]:
        """The latest successful calls of a tool that were given this value, oldest first."""
        self._look_at(exposed)
        return self.done.get((exposed, key), [])[-MAX_COMPARED:]

    def snapshot(self) -> object:
        """A comparable copy."""
        for exposed in list(self.fresh):
            self._look_at(exposed)
        return {place: tuple(deed.receipt for deed in held) for place, held in self.done.items()}

    def _look_at(self, exposed: str) -> None:
        for deed in self.fresh.pop(exposed, ()):
            for key in set(_keys(deed.args, 32)):
                self.done.setdefault((exposed, key), []).append(deed)


def _keys(value: object, depth: int) -> Iterator[str]:
    opened = opened_json(value)
    if depth <= 0:
        return
    if isinstance(opened, Mapping):
        for item in opened.values():
            yield from _keys(item, depth - 1)
    elif isinstance(opened, list | tuple):
        for item in opened:
            yield from _keys(item, depth - 1)
    elif isinstance(opened, str):
        if len(opened) <= MAX_TEXT:
            yield from (found.key for found in values.leaf(opened))
    elif isinstance(opened, int | float | Decimal) and not isinstance(opened, bool):
        number = values.number(opened)
        if number is not None:
            yield number.key
            if isinstance(opened, int):  # an account given as a number
                yield f"id:{opened}"
