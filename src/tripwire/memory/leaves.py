"""Walks a result down to its leaves, each with the record it stands in (gateway.md P-1, P-10).

A record is the innermost object with the value, and what encloses it up to its list item.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from tripwire.text.paths import JsonPath, opened_json

MAX_DEPTH = 128
_OPENING = frozenset("{[")
_ID_FIELDS = ("id", "_id", "uuid", "key")


@dataclass(slots=True)
class Record:
    """The string fields around a value, innermost object first."""

    chain: tuple[dict[str, object], ...]
    identity: str = ""
    under: str = ""
    """The field that leads to the innermost object: a name where objects are keyed by names."""

    def fields(self) -> Iterator[tuple[str, str]]:
        """Field names with their strings; lists of strings count item by item."""
        for level in self.chain:
            for key, value in level.items():
                if isinstance(value, str):
                    yield key, value
                elif isinstance(value, list):
                    yield from ((key, item) for item in value if isinstance(item, str))

    def sibling(self, names: frozenset[str]) -> str:
        """The string of the nearest field of one of these names."""
        for level in self.chain:
            for key, value in level.items():
                if isinstance(value, str) and key.casefold() in names:
                    return value
        return ""


class Leaf(NamedTuple):
    """One scalar of a document. `field` is its path with `[*]` for items; `trusted` its label."""

    value: object
    field: str
    name: str
    record: Record | None
    marked: bool | None
    is_key: bool = False


@dataclass(frozen=True, slots=True)
class Marks:
    """`trusted_fields`, `untrusted_fields` and `record_key` of a tool, parsed."""

    trusted: tuple[JsonPath, ...] = ()
    untrusted: tuple[JsonPath, ...] = ()
    key: JsonPath | None = None

    @property
    def paths(self) -> tuple[JsonPath, ...]:
        """Those of fields, untrusted ones first."""
        return (*self.untrusted, *self.trusted)

    def of(self, paths: tuple[JsonPath, ...], states: tuple[frozenset[int], ...]) -> bool | None:
        """The label of a field, where `paths` (as `self.paths`) have come to these states."""
        ends = [path.done(held) for path, held in zip(paths, states, strict=True)]
        count = len(self.untrusted)
        if any(ends[:count]):
            return False
        if any(ends[count:]):
            return True
        return False if self.trusted else None


NO_MARKS = Marks()


def _plain(value: object) -> bool:
    """Whether a value is a leaf that holds no JSON, told by a quick look."""
    if isinstance(value, str):
        first = value[:1]
        return first not in _OPENING and not first.isspace()
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


class Walk:
    """One pass over one document."""

    def __init__(self, marks: Marks = NO_MARKS) -> None:
        self.marks = marks
        self.paths = marks.paths

    def leaves(self, document: object) -> Iterator[Leaf]:
        """Every scalar and every key of the document."""
        states = tuple(path.starts() for path in self.paths)
        yield from self._walk(document, "$", "", None, states, MAX_DEPTH)

    def _walk(
        self,
        value: object,
        field: str,
        name: str,
        record: Record | None,
        states: tuple[frozenset[int], ...],
        depth: int,
    ) -> Iterator[Leaf]:
        opened = opened_json(value)
        if depth <= 0:
            return
        if isinstance(opened, dict):
            yield from self._object(opened, field, name, record, states, depth)
        elif isinstance(opened, list | tuple):
            for item in opened:
                inner = None if isinstance(item, dict) else record
                after = self._after(states, 0) if states else states
                yield from self._walk(item, f"{field}[*]", name, inner, after, depth - 1)
        elif isinstance(opened, str | int | float | Decimal) and not isinstance(opened, bool):
            yield Leaf(opened, field, name, record, self._mark(states))

    def _object(
        self,
        value: dict[str, object],
        field: str,
        name: str,
        record: Record | None,
        states: tuple[frozenset[int], ...],
        depth: int,
    ) -> Iterator[Leaf]:
        outer = record.chain if record is not None else ()
        inner = Record((self._vouching(value, states), *outer), under=name)
        inner.identity = self._identity(value) or (record.identity if record is not None else "")
        for key, item in value.items():
            after = self._after(states, key) if states else states
            if not key.isalpha():
                # An object keyed by a value is evidence of the key (P-1).
                held = inner
                if isinstance(item, dict):
                    held = Record((self._vouching(item, after), *inner.chain), key, key)
                yield Leaf(key, f"{field}.*", name, held, self._mark(after), is_key=True)
            if _plain(item):
                if depth > 1:
                    yield Leaf(item, f"{field}.{key}", key, inner, self._mark(after))
            elif item is not None:
                yield from self._walk(item, f"{field}.{key}", key, inner, after, depth - 1)

    def _vouching(
        self, value: dict[str, object], states: tuple[frozenset[int], ...]
    ) -> dict[str, object]:
        """The fields that may name their record: untrusted ones may not (P-10)."""
        if not states:
            return value
        kept: dict[str, object] = {}
        for key, item in value.items():
            after = self._after(states, key)
            if isinstance(item, list):
                after = self._after(after, 0)
            if self._mark(after) is not False:
                kept[key] = item
        return kept

    def _after(
        self, states: tuple[frozenset[int], ...], key: str | int
    ) -> tuple[frozenset[int], ...]:
        # A path that has ended covers everything below it.
        return tuple(
            held if path.done(held) else path.after(held, key)
            for path, held in zip(self.paths, states, strict=True)
        )

    def _mark(self, states: tuple[frozenset[int], ...]) -> bool | None:
        """True: a trusted field; False: an untrusted one, which wins; None: neither."""
        if not states:
            return None
        return self.marks.of(self.paths, states)

    def _identity(self, value: dict[str, object]) -> str:
        if self.marks.key is not None:
            name = self.marks.key.steps[-1]
            return next((f"{k}={v}" for k, v in value.items() if k.casefold() == name), "")
        for name in _ID_FIELDS:
            found = value.get(name)
            if isinstance(found, str | int) and not isinstance(found, bool) and found != "":
                return f"{name}={found}"
        return ""


def without_untrusted(document: object, marks: Marks) -> object:
    """A document without the fields that are not to be trusted; itself if all may be."""
    if not marks.paths:
        return document
    states = tuple(path.starts() for path in marks.paths)
    return _pruned(document, marks, states, MAX_DEPTH)


def _pruned(value: object, marks: Marks, states: tuple[frozenset[int], ...], depth: int) -> object:
    opened = opened_json(value)

    def below(key: str | int, item: object) -> object:
        # A path that has ended covers everything below it.
        after = tuple(
            held if path.done(held) else path.after(held, key)
            for path, held in zip(marks.paths, states, strict=True)
        )
        return _pruned(item, marks, after, depth - 1)

    if depth <= 0:
        return None
    if isinstance(opened, dict):
        return {key: below(key, item) for key, item in opened.items()}
    if isinstance(opened, list | tuple):
        return [below(0, item) for item in opened]
    return opened if marks.of(marks.paths, states) is not False else None
