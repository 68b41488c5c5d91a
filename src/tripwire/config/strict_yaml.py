"""Strict YAML with positions: the only place that imports `yaml` for configurations.

YAML 1.2 core words, JSON included. Refused, with line and column: duplicate keys, anchors and
aliases (so no bombs), tags, several documents, deep nesting, anything that is not UTF-8.
Works on parser events without recursion, so no input can exhaust the stack.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import yaml

from tripwire.config.node import MAX_DEPTH, PACKAGED, Node, Place, plain_value
from tripwire.config.problems import Problems
from tripwire.config.scalars import resolve

MAX_BYTES = 4 << 20
"""A configuration larger than 4 MiB is not one."""

PRESETS = Path(__file__).with_name("presets")


def read_file(path: Path, shown: str, problems: Problems) -> tuple[Node | None, bytes]:
    """The file's root node and its bytes; None after a fault, which is then in `problems`."""
    place = Place(shown)
    try:
        seen = path.stat()
        if not stat.S_ISREG(seen.st_mode):
            problems.add(place, "", "is no regular file", "name a file")
            return None, b""
        if seen.st_size > MAX_BYTES:
            problems.add(place, "", f"larger than {MAX_BYTES >> 20} MiB", "split it")
            return None, b""
        raw = path.read_bytes()
    except FileNotFoundError:
        problems.add(place, "", "no such file", "check the path, or run `tripwire init`")
        return None, b""
    except OSError as error:
        problems.add(place, "", f"cannot be read ({error.strerror})", "check its permissions")
        return None, b""
    text = _decoded(raw, shown, problems)
    return (None if text is None else parse(text, shown, str(path.parent), problems)), raw


def parse(text: str, shown: str, base: str, problems: Problems) -> Node | None:
    """The root node of a YAML or JSON text; None after a fault that ends the reading."""
    builder = _Builder(shown, base, problems)
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            builder.take(event)
    except _Refused:
        return None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = Place(shown, mark.line + 1, mark.column + 1) if mark else Place(shown)
        what = " ".join(part for part in (error.context, error.problem) if part)
        problems.add(
            place, "", f"not valid YAML: {what}", _yaml_fix(text, place, str(error.problem))
        )
        return None
    except yaml.YAMLError as error:
        what = str(error).splitlines()[0] if str(error) else "unreadable"
        place = _place_of_control_character(text, shown)
        problems.add(place, "", f"not valid YAML: {what}", "remove the character")
        return None
    if builder.root is None:
        problems.add(Place(shown), "", "the file is empty", "run `tripwire init` to write one")
    return builder.root


@cache
def packaged(name: str) -> tuple[Node, bytes]:
    """A packaged preset's root node and bytes. A broken one is a bug and raises PolicyErrors."""
    problems = Problems()
    node, raw = read_file(PRESETS / f"{name}.yaml", f"{name}.yaml{PACKAGED}", problems)
    problems.raise_if_any()
    return node or Node({}), raw


def packaged_mapping(name: str) -> object:
    """A packaged preset as plain dicts, lists and scalars."""
    return plain_value(packaged(name)[0])


def preset_names() -> tuple[str, ...]:
    """The packaged files, without suffix."""
    return tuple(sorted(path.stem for path in PRESETS.glob("*.yaml")))


class _Refused(Exception):  # control flow of this module, never seen outside
    """A fault that makes the rest of the text meaningless."""


@dataclass(slots=True)
class _Open:
    """A list or mapping that has begun and not ended."""

    place: Place
    mapping: dict[str, Node] | None
    entries: list[Node] = field(default_factory=list)
    keys: dict[str, Place] = field(default_factory=dict)
    key: str | None = None


class _Builder:
    """Turns parser events into nodes with a stack of its own."""

    def __init__(self, shown: str, base: str, problems: Problems) -> None:
        self.root: Node | None = None
        self._shown = shown
        self._base = base
        self._problems = problems
        self._stack: list[_Open] = []

    def take(self, event: yaml.Event) -> None:
        """The next event of the parser."""
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._begin(event)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._end()
        elif isinstance(event, yaml.AliasEvent):
            self._refuse(event, "aliases (`*name`) are not allowed", "write the value out")
        elif isinstance(event, yaml.DocumentStartEvent) and self.root is not None:
            self._refuse(event, "a second document (`---`) is not allowed", "use one document")

    def _place(self, event: yaml.Event) -> Place:
        mark = event.start_mark
        return Place(self._shown, mark.line + 1, mark.column + 1) if mark else Place(self._shown)

    def _refuse(self, event: yaml.Event, what: str, fix: str) -> None:
        self._problems.add(self._place(event), "", what, fix)
        raise _Refused

    def _common(self, event: yaml.NodeEvent) -> None:
        if event.anchor is not None:
            self._refuse(event, "anchors (`&name`) are not allowed", "write the value out")
        tag = getattr(event, "tag", None)
        if tag not in (None, "!", "tag:yaml.org,2002:str"):
            self._refuse(event, "tags (`!name`) are not allowed", "remove the tag")

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        self._common(event)
        place = self._place(event)
        if self._stack and self._stack[-1].mapping is not None and self._stack[-1].key is None:
            self._take_key(event, self._stack[-1], place)
            return
        plain = bool(event.implicit[0]) and event.tag is None
        value = resolve(event.value) if plain else event.value
        self._put(Node(value, place, base=self._base, plain=plain))

    def _take_key(self, event: yaml.ScalarEvent, into: _Open, place: Place) -> None:
        key = str(event.value)
        if key in into.keys:
            first = into.keys[key].line
            self._problems.add(
                place, "", f'"{key}" stands twice (first on line {first})', "keep one"
            )
        into.keys.setdefault(key, place)
        into.key = key

    def _begin(self, event: yaml.NodeEvent) -> None:
        self._common(event)
        if self._stack and self._stack[-1].mapping is not None and self._stack[-1].key is None:
            self._refuse(event, "a key must be a word", "write `name: value`")
        if len(self._stack) >= MAX_DEPTH:
            self._refuse(event, f"nested deeper than {MAX_DEPTH}", "flatten it")
        mapping: dict[str, Node] | None = {} if isinstance(event, yaml.MappingStartEvent) else None
        self._stack.append(_Open(self._place(event), mapping))

    def _end(self) -> None:
        done = self._stack.pop()
        if done.mapping is None:
            self._put(Node(tuple(done.entries), done.place, base=self._base))
        else:
            self._put(Node(done.mapping, done.place, keys=done.keys, base=self._base))

    def _put(self, node: Node) -> None:
        if not self._stack:
            self.root = node
            return
        into = self._stack[-1]
        if into.mapping is None:
            into.entries.append(node)
        elif into.key is not None:
            into.mapping.setdefault(into.key, node)
            into.key = None


def _decoded(raw: bytes, shown: str, problems: Problems) -> str | None:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        problems.add(Place(shown, 1, 1), "", "this is UTF-16", "save the file as UTF-8")
        return None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        line = before.count(b"\n") + 1
        column = error.start - (before.rfind(b"\n") + 1) + 1
        what = f"not UTF-8 (byte 0x{raw[error.start]:02x} at offset {error.start})"
        problems.add(Place(shown, line, column), "", what, "save the file as UTF-8")
        return None


def _yaml_fix(text: str, place: Place, problem: str) -> str:
    lines = text.splitlines()
    line = lines[place.line - 1] if 0 < place.line <= len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())] or "tab" in problem:
        return "indent with spaces, not tabs"
    if "mapping values are not allowed" in problem:
        return "put text that holds `: ` in quotes"
    return ""


def _place_of_control_character(text: str, shown: str) -> Place:
    for number, line in enumerate(text.split("\n"), 1):
        for column, char in enumerate(line, 1):
            if (
                (char < " " and char not in "\t\r")
                or "\x7f" <= char < "\x85"
                or char in "\ufffe\uffff"
            ):
                return Place(shown, number, column)
    return Place(shown)
