"""Any Python value as JSON, so that rules can look into it (flow.md LIB-2).

Opens pydantic models, dataclasses, attrs and msgspec objects, bytes, paths, enums and containers.
What cannot be opened is named, never guessed at.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Iterable, Mapping
from datetime import date, time
from decimal import Decimal
from pathlib import PurePath
from uuid import UUID

MAX_DEPTH = 64
"""Levels of nesting that are opened; deeper values are named as unopened."""


@dataclasses.dataclass(slots=True)
class Opened:
    """A JSON value, and the type names of what could not be opened."""

    value: object = None
    unopened: list[str] = dataclasses.field(default_factory=list)


def opened_args(args: Mapping[str, object]) -> tuple[dict[str, object], tuple[str, ...]]:
    """A call's arguments as JSON by name, and the type names of what could not be opened."""
    unopened: list[str] = []
    return {str(k): _open(v, unopened, MAX_DEPTH) for k, v in args.items()}, tuple(unopened)


def opened(value: object) -> Opened:
    """`value` as JSON; never raises."""
    answer = Opened()
    answer.value = _open(value, answer.unopened, MAX_DEPTH)
    return answer


def _open(value: object, unopened: list[str], depth: int) -> object:
    if value is None or (isinstance(value, bool | str) and not isinstance(value, enum.Enum)):
        return value
    if depth <= 0:
        return _unopened(value, unopened)
    try:
        return _opened_by_type(value, unopened, depth)
    except Exception:  # noqa: BLE001  (an object's own code may raise anything; it is then named)
        return _unopened(value, unopened)


def _opened_by_type(value: object, unopened: list[str], depth: int) -> object:
    if isinstance(value, enum.Enum):
        return _open(value.value, unopened, depth - 1)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).decode("utf-8", "backslashreplace")
    if isinstance(value, PurePath | Decimal | UUID | date | time):
        return str(value)
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    if isinstance(value, Mapping):
        return {
            str(_open(k, unopened, depth - 1)): _open(v, unopened, depth - 1)
            for k, v in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [_open(item, unopened, depth - 1) for item in value]
    fields = _fields(value)
    if fields is None:
        return _unopened(value, unopened)
    return {name: _open(item, unopened, depth - 1) for name, item in fields}


def _fields(value: object) -> Iterable[tuple[str, object]] | None:
    """The attributes of a record-like object, None if it is not one."""
    kind = type(value)
    for listing in ("model_fields", "__dataclass_fields__", "__struct_fields__"):
        names = getattr(kind, listing, None)
        if names is not None:
            extra = getattr(value, "model_extra", None) or {}
            return [*((str(name), getattr(value, name)) for name in names), *extra.items()]
    attrs_fields = getattr(kind, "__attrs_attrs__", None)
    if attrs_fields is not None:
        return [(field.name, getattr(value, field.name)) for field in attrs_fields]
    attributes = getattr(value, "__dict__", None)
    if isinstance(attributes, dict) and attributes and kind.__module__ != "builtins":
        return [(name, item) for name, item in attributes.items() if not callable(item)]
    return None


def _unopened(value: object, unopened: list[str]) -> str:
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    unopened.append(name)
    return f"<{name}>"
