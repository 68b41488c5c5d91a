"""Paths into JSON values: `recipient` at any depth, `$.recipient` at the top (gateway.md §2).

Names compare without case; `*` is one step, `**` any number, `[*]` any item, `["a.b"]` a name with
a dot. A name also looks through the items of a list. Strings that parse as JSON objects or arrays
are descended into.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from tripwire.errors import PolicyError

MAX_DEPTH = 128
_KEPT_KEY = 64
"""Characters of a name whose steps are kept."""

_STEP = re.compile(
    r"""\.?(?P<any>\*\*?)(?=[.\[]|$)|\.?(?P<name>[^.\[\]"'*$][^.\[\]]*)|\[(?P<item>\*|\d+)\]"""
    r"""|\.?\[(?P<quote>["'])(?P<quoted>(?:(?!(?P=quote)).)*)(?P=quote)\]"""
)


@dataclass(frozen=True, slots=True)
class JsonPath:
    """Steps of a path: a folded name, `*`, `**`, or `[n]`."""

    steps: tuple[str, ...]

    def starts(self) -> frozenset[int]:
        """The positions before the first step."""
        return _starts(self.steps)

    def after(self, states: frozenset[int], key: str | int) -> frozenset[int]:
        """The positions after going through one key or item."""
        if isinstance(key, str) and len(key) <= _KEPT_KEY:
            return _known_after(self.steps, states, key)
        return _after(self.steps, states, key)

    def done(self, states: frozenset[int]) -> bool:
        """Whether the path ends here."""
        return len(self.steps) in states


def _after(steps: tuple[str, ...], states: frozenset[int], key: str | int) -> frozenset[int]:
    reached = set()
    for at in states:
        if at == len(steps):
            continue
        step = steps[at]
        if step == "**":
            reached.add(at)
        elif isinstance(key, int):
            if step in ("*", "[*]", f"[{key}]"):
                reached.add(at + 1)
            elif not step.startswith("["):
                reached.add(at)
        elif step == "*" or step == key.casefold():
            reached.add(at + 1)
    return _closed(steps, reached)


_known_after = functools.lru_cache(maxsize=4096)(_after)


def _closed(steps: tuple[str, ...], states: set[int]) -> frozenset[int]:
    """With the positions behind each `**`, which may stand for no step at all."""
    if "**" not in steps:
        return frozenset(states)
    for at in sorted(states):
        step = at
        while step < len(steps) and steps[step] == "**":
            step += 1
            states.add(step)
    return frozenset(states)


@functools.lru_cache(maxsize=1024)
def _starts(steps: tuple[str, ...]) -> frozenset[int]:
    return _closed(steps, {0})


@functools.lru_cache(maxsize=1024)
def parse(text: str) -> JsonPath:
    """The path that `text` writes. Raises PolicyError for a path nothing could match."""
    body, anchored = (text[1:], True) if text.startswith("$") else (text, False)
    steps: list[str] = [] if anchored else ["**"]
    at = 0
    while at < len(body):
        found = _STEP.match(body, at)
        if found is None:
            raise PolicyError(
                f"{text!r} is no argument path", fix='Write `name`, `$.a.b`, `a[*].b` or `["a.b"]`.'
            )
        steps.append(_step(found))
        at = found.end()
    if steps in ([], ["**"]):
        raise PolicyError(f"{text!r} names no argument", fix="Write the name of an argument.")
    return JsonPath(tuple(steps))


def _step(found: re.Match[str]) -> str:
    if found["any"]:
        return found["any"]
    if found["name"] is not None:
        return found["name"].strip().casefold()
    if found["item"]:
        return f"[{found['item']}]"
    return found["quoted"].casefold()


def find(path: JsonPath, value: object) -> Iterator[tuple[str, object]]:
    """Every place of `value` that the path names, with how it is written.

    Where `value` is deeper than `MAX_DEPTH`, the place it was left at stands with None.
    """
    yield from _find(path, path.starts(), value, "", MAX_DEPTH)


def _find(
    path: JsonPath, states: frozenset[int], value: object, at: str, depth: int
) -> Iterator[tuple[str, object]]:
    if path.done(states) and at:
        yield at, value
        return
    if not states:
        return
    opened = opened_json(value)
    if depth <= 0:
        # What was not looked at may hold the argument: no value, which nothing can vouch for.
        if isinstance(opened, dict | list | tuple):
            yield at, None
        return
    if isinstance(opened, dict):
        for key, item in opened.items():
            name = f"{at}.{key}" if at else str(key)
            yield from _find(path, path.after(states, str(key)), item, name, depth - 1)
    elif isinstance(opened, list | tuple):
        for index, item in enumerate(opened):
            yield from _find(path, path.after(states, index), item, f"{at}[{index}]", depth - 1)


def opened_json(value: object) -> object:
    """A string that holds a JSON object or array, parsed; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value, parse_float=Decimal)
        except (ValueError, RecursionError):
            return value
    return value
