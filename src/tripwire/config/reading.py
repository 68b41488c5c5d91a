"""Typed reading of nodes: every fault is collected, none stops the reading.

A `Section` is one mapping with the table of keys it may have; a `Value` is one node with its key
path. Readers return a default after a fault, so that all faults of a file are found at once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tripwire.config.keys import Key
from tripwire.config.node import Node, Place
from tripwire.config.problems import Problems
from tripwire.config.scalars import resolve
from tripwire.config.suggest import did_you_mean
from tripwire.errors import PolicyError

_DURATION = re.compile(r"(\d{1,9})(ms|s|m|h|d)?", re.ASCII)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Value:
    """One node at a key path."""

    node: Node
    path: str
    problems: Problems

    def fail(self, what: str, fix: str = "") -> None:
        """Record a fault of this value."""
        self.problems.add(self.node.place, self.path, what, fix)

    def fail_as(self, error: PolicyError) -> None:
        """Record what a parser of this value said, unless its words hold a variable's value."""
        what = f"{self.shown()} cannot be read" if self.node.interpolated else error.what
        self.fail(what, error.fix)

    def shown(self) -> str:
        """The value for a message: cut, and never what an environment variable held."""
        if self.node.interpolated:
            return "the value of a ${VARIABLE}"
        raw = self.node.value
        text = f'"{raw}"' if isinstance(raw, str) else str(raw).lower()
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"

    def text(self, default: str = "", *, empty: bool = False) -> str:
        """A string; numbers and booleans are refused, because they may lose their spelling."""
        raw = self.node.value
        if not isinstance(raw, str):
            fix = "put it in quotes" if isinstance(raw, bool | int | float) else ""
            self.fail(f"must be text, not {self.node.kind}", fix)
            return default
        if not raw.strip() and not empty:
            self.fail("must not be empty")
            return default
        return raw

    def flag(self, *, default: bool = False) -> bool:
        """A boolean."""
        raw = self._soft()
        if isinstance(raw, bool):
            return raw
        yes_no = isinstance(raw, str) and raw.lower() in ("yes", "no", "on", "off")
        self.fail(
            f"must be true or false, not {self.shown()}",
            "write true or false" if yes_no else "",
        )
        return default

    def switch(self, *, default: bool) -> bool:
        """`on` or `off`; true and false are taken as well."""
        raw = self._soft()
        if isinstance(raw, bool):
            return raw
        if isinstance(raw, str) and raw in ("on", "off"):
            return raw == "on"
        self.fail(f"must be on or off, not {self.shown()}")
        return default

    def whole(self, default: int, *, least: int, most: int) -> int:
        """A whole number within bounds."""
        raw = self._soft()
        if isinstance(raw, bool) or not isinstance(raw, int):
            self.fail(f"must be a whole number, not {self.shown()}")
            return default
        if not least <= raw <= most:
            self.fail(f"must be between {least} and {most}, not {self.shown()}")
            return default
        return raw

    def seconds(self, default: float, *, most: float) -> float:
        """A duration (`90s`, `5m`, `8h`, `30d`; a bare number is seconds)."""
        raw = self._soft()
        if isinstance(raw, int) and not isinstance(raw, bool):
            raw = str(raw)
        found = _DURATION.fullmatch(raw) if isinstance(raw, str) else None
        if found is None:
            self.fail(f"must be a duration, not {self.shown()}", "write it like 90s, 5m, 8h or 30d")
            return default
        length = int(found[1]) * _SECONDS[found[2] or "s"]
        if not 0 < length <= most or not math.isfinite(length):
            self.fail(f"must be more than 0 and at most {most / 86400:g}d, not {self.shown()}")
            return default
        return length

    def word(self, words: Iterable[str], default: str = "") -> str:
        """One of a closed set of words."""
        known = tuple(words)
        raw = self.node.value
        if isinstance(raw, str) and raw in known:
            return raw
        fix = (
            did_you_mean(raw, known) if isinstance(raw, str) and not self.node.interpolated else ""
        )
        self.fail(
            f"must be one of {', '.join(known)}, not {self.shown()}"
            if not isinstance(raw, Mapping | tuple)
            else f"must be one of {', '.join(known)}, not {self.node.kind}",
            fix if fix.startswith("did") else "",
        )
        return default

    def words(self, words: Iterable[str]) -> tuple[str, ...]:
        """A list (or one) of a closed set of words, without repetition."""
        known = tuple(words)
        found: list[str] = []
        for value in self.many():
            word = value.word(known)
            if word and word in found:
                value.fail(f"{value.shown()} stands twice")
            elif word:
                found.append(word)
        return tuple(found)

    def texts(self) -> tuple[str, ...]:
        """A list of strings; one string counts as a list of one."""
        return tuple(text for value in self.many() if (text := value.text()))

    def each(self) -> Iterator[Value]:
        """The elements of a list."""
        raw = self.node.value
        if not isinstance(raw, tuple):
            self.fail(f"must be a list, not {self.node.kind}")
            return
        for number, node in enumerate(raw):
            yield Value(node, f"{self.path}[{number}]", self.problems)

    def many(self) -> Iterator[Value]:
        """The elements of a list, or this one value."""
        if isinstance(self.node.value, str):
            yield self
        else:
            yield from self.each()

    def pairs(self) -> Iterator[tuple[str, Place, Value]]:
        """The entries of a mapping with free keys."""
        if not isinstance(self.node.value, Mapping):
            self.fail(f"must be a mapping, not {self.node.kind}")
            return
        for key, node in self.node.value.items():
            path = f"{self.path}.{key}" if self.path else key
            yield key, self.node.keys.get(key, node.place), Value(node, path, self.problems)

    def section(self, keys: Mapping[str, Key]) -> Section:
        """The value as a mapping with the given keys; the unknown ones are faults."""
        return Section.open(self, keys)

    def directory(self) -> Path:
        """Where relative paths in this value start."""
        return Path(self.node.base)

    def _soft(self) -> object:
        node = self.node
        if node.interpolated and node.plain and isinstance(node.value, str):
            return resolve(node.value)
        return node.value


@dataclass(frozen=True, slots=True)
class Section:
    """A mapping whose keys are known; ask for them with `get`."""

    value: Value
    keys: Mapping[str, Key]

    @classmethod
    def open(cls, value: Value, keys: Mapping[str, Key]) -> Section:
        """Check the keys of `value` against the table: unknown and not yet available ones fail."""
        section = cls(value, keys)
        for name, place, entry in value.pairs():
            key = keys.get(name)
            if key is None:
                value.problems.add(place, entry.path, "unknown key", did_you_mean(name, keys))
            elif key.later and not key.later_values:
                value.problems.add(
                    place,
                    entry.path,
                    f"not available yet in this version ({key.later})",
                    "remove it",
                )
        return section

    def get(self, name: str) -> Value | None:
        """The value of a key of the table, or None if it is not set (or not available yet)."""
        key = self.keys[name]
        node = self.value.node.items.get(name)
        if node is None or (key.later and not key.later_values):
            return None
        path = f"{self.value.path}.{name}" if self.value.path else name
        return Value(node, path, self.value.problems)

    def fail(self, what: str, fix: str = "") -> None:
        """Record a fault of the section as a whole."""
        self.value.fail(what, fix)

    @property
    def usable(self) -> bool:
        """Whether it is a mapping at all."""
        return isinstance(self.value.node.value, Mapping)

    def text(self, name: str, default: str = "") -> str:
        """The string under a key."""
        value = self.get(name)
        return default if value is None else value.text(default)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """The boolean under a key."""
        value = self.get(name)
        return default if value is None else value.flag(default=default)

    def switch(self, name: str, *, default: bool) -> bool:
        """The on/off under a key."""
        value = self.get(name)
        return default if value is None else value.switch(default=default)

    def whole(self, name: str, default: int, *, least: int, most: int) -> int:
        """The whole number under a key."""
        value = self.get(name)
        return default if value is None else value.whole(default, least=least, most=most)

    def seconds(self, name: str, default: float, *, most: float) -> float:
        """The duration under a key, in seconds."""
        value = self.get(name)
        return default if value is None else value.seconds(default, most=most)

    def word(self, name: str, words: Iterable[str], default: str) -> str:
        """The word of a closed set under a key; a word that comes later is a fault."""
        value = self.get(name)
        if value is None:
            return default
        found = value.word(words, default)
        key = self.keys[name]
        if found in key.later_values:
            value.fail(f'"{found}" is not available yet in this version ({key.later})')
            return default
        return found

    def words(
        self, name: str, words: Iterable[str], default: tuple[str, ...] = ()
    ) -> tuple[str, ...]:
        """The words of a closed set under a key."""
        value = self.get(name)
        return default if value is None else value.words(words)

    def texts(self, name: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The strings under a key."""
        value = self.get(name)
        return default if value is None else value.texts()

    def inner(self, name: str, keys: Mapping[str, Key]) -> Section:
        """The mapping under a key; an absent one is an empty section."""
        value = self.get(name)
        if value is None:
            path = f"{self.value.path}.{name}" if self.value.path else name
            return Section(Value(Node({}), path, self.value.problems), keys)
        return value.section(keys)
