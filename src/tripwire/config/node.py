"""A configuration as read: values that know their file, line and column.

Made by `load.py` from YAML, or by `plain_node` from a mapping that has no file. Pure data; what
the values mean is `schema.py`'s affair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Scalar = str | int | float | bool | None

MAX_DEPTH = 64
"""Deepest nesting of a configuration; the deepest key of the specs is at 9."""

PACKAGED = " (packaged)"
"""How the names of Tripwire's own files end in messages."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in which file; line 0 = not from a file. `shown` is the file's name in messages."""

    shown: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.shown}:{self.line}:{self.column}" if self.line else self.shown

    @property
    def position(self) -> tuple[int, int]:
        """Line and column, for sorting."""
        return self.line, self.column

    @property
    def packaged(self) -> bool:
        """Whether it stands in a file that is part of Tripwire."""
        return self.shown.endswith(PACKAGED)

    @property
    def file_line(self) -> str:
        """`tripwire.yaml:14`, as findings name the setting that governs a decision."""
        return f"{self.shown}:{self.line}" if self.line else self.shown


@dataclass(frozen=True, slots=True)
class Node:
    """One value. `value` is a scalar, a tuple of nodes, or a mapping from key to node."""

    value: Scalar | tuple[Node, ...] | Mapping[str, Node]
    place: Place = Place()
    keys: Mapping[str, Place] = field(default_factory=dict)
    """For a mapping: where each key stands."""
    base: str = ""
    """Directory that relative paths in this value are taken from."""
    interpolated: bool = False
    """A `${VAR}` was replaced in it: its text may be a secret and is not shown."""
    plain: bool = False
    """Written without quotes: an interpolated one may still mean a number or a boolean."""

    @property
    def items(self) -> Mapping[str, Node]:
        """The entries of a mapping; of anything else, none."""
        return self.value if isinstance(self.value, Mapping) else {}

    @property
    def kind(self) -> str:
        """What the value is, in the words of messages."""
        return kind_of(self.value)


def kind_of(value: object) -> str:
    """`text`, `a number`, … for messages."""
    if isinstance(value, str):
        return "text"
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return "a mapping" if isinstance(value, Mapping) else "a list"


def plain_node(value: Any, *, base: str = "", depth: int = 0) -> Node:
    """The node of a plain Python value; raises TypeError for what a configuration cannot hold."""
    if depth > MAX_DEPTH:
        raise TypeError(f"nested deeper than {MAX_DEPTH}")
    if value is None or isinstance(value, str | int | float):
        return Node(value, base=base)
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("a key is not text")
        children = {k: plain_node(v, base=base, depth=depth + 1) for k, v in value.items()}
        return Node(children, base=base)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return Node(tuple(plain_node(v, base=base, depth=depth + 1) for v in value), base=base)
    raise TypeError(f"{type(value).__name__} is not a configuration value")


def plain_value(node: Node) -> Any:
    """A node as plain dicts, lists and scalars."""
    if isinstance(node.value, Mapping):
        return {key: plain_value(child) for key, child in node.value.items()}
    if isinstance(node.value, tuple):
        return [plain_value(child) for child in node.value]
    return node.value
