"""YAML as tripwire files and their configuration are written: 1.2 core, with positions (CTX-5).

Unlike `strict_yaml.py` it takes anchors and aliases (within bounds) and core tags, and `010` is a
number. Works on parser events without recursion; an alias shares its node, so nothing is copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

import yaml

from tripwire.config.node import Node, Place, Scalar
from tripwire.config.problems import printable
from tripwire.config.scalars import resolve

MAX_BYTES = 256 << 10
MAX_DEPTH = 64
MAX_NODES = 10_000
MAX_ALIASES = 100

_CORE = "tag:yaml.org,2002:"
_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "null": (type(None),),
}
_SCALARS = ("str", *_TYPES)
_NO_KEYS: Mapping[str, Place] = MappingProxyType({})
_LEADING_ZERO = re.compile(r"[-+]?[0-9]{1,40}", re.ASCII)
_UNQUOTED = re.compile(r"(?:^\s*-|[\[,])\s*[!*]")
_BREAKS_OF_1_1 = "\u0085\u2028\u2029"
_QUOTE = 'put the pattern in quotes: "!tests/**", "*.sql"'


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a text cannot be relied on. `key` is the key that stands twice, if that is the fault."""

    what: str
    line: int
    column: int
    fix: str = ""
    unquoted: bool = False
    """A pattern that begins with `!` or `*` stands there without quotes (TW032)."""
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """The root (None if there is none, or after a fault that ends the reading) and the faults."""

    root: Node | None
    faults: tuple[Fault, ...] = ()


def read(raw: bytes) -> Document:
    """The one document of a file."""
    if len(raw) > MAX_BYTES:
        fault = Fault(f"larger than {MAX_BYTES >> 10} KiB", 1, 1, "split it")
        return Document(None, (fault,))
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Document(None, (_not_utf8(raw, error.start),))
    builder = _Builder()
    try:
        for event in events(text):
            builder.take(event)
    except _RefusedError as refused:
        return Document(None, (*builder.faults, refused.fault))
    except yaml.MarkedYAMLError as error:
        return Document(None, (*builder.faults, _not_yaml(text, error)))
    except yaml.YAMLError as error:
        what = str(error).splitlines()[0] if str(error) else "unreadable"
        return Document(None, (Fault(printable(f"not valid YAML: {what}"), 1, 1),))
    return Document(builder.root, tuple(builder.faults))


def events(text: str) -> Iterator[yaml.Event]:
    """What the parser sees in a text without byte order mark; marks count its code points.

    The parser is of YAML 1.1, where U+0085, U+2028 and U+2029 end a line. In 1.2 they are
    characters, so it is shown others, which are in no text, in their place.
    """
    there = [char for char in _BREAKS_OF_1_1 if char in text]
    if not there:
        yield from yaml.parse(text, Loader=yaml.CSafeLoader)
        return
    unused = (char for char in map(chr, range(0xE000, 0xF8FF)) if char not in text)
    back = {next(unused): char for char in there}
    table = str.maketrans({char: unlike for unlike, char in back.items()})
    restore = str.maketrans(back)
    for event in yaml.parse(text.translate(table), Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.ScalarEvent):
            event.value = event.value.translate(restore)
        yield event


class _RefusedError(Exception):
    """A fault that makes the rest of the text meaningless."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__()


@dataclass(slots=True)
class _Open:
    """A list or mapping that has begun and not ended; `nodes` counts it as if expanded."""

    place: Place
    anchor: str | None
    mapping: dict[str, Node] | None
    entries: list[Node] = field(default_factory=list)
    keys: dict[str, Place] = field(default_factory=dict)
    key: str | None = None
    nodes: int = 1


class _Builder:
    """Turns parser events into nodes with a stack of its own."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.faults: list[Fault] = []
        self._documents = 0
        self._aliases = 0
        self._anchors: dict[str, tuple[Node, int]] = {}
        self._stack: list[_Open] = []

    def take(self, event: yaml.Event) -> None:
        """The next event of the parser."""
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._begin(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._end()
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._document(event)

    def _document(self, event: yaml.DocumentStartEvent) -> None:
        self._documents += 1
        if self._documents > 1:
            self._refuse(event, "a second document (`---`)", "keep one document in a file")
        if event.version not in (None, (1, 2)):
            self._refuse(event, "a %YAML version other than 1.2", "remove the %YAML line")

    def _refuse(
        self, event: yaml.Event, what: str, fix: str = "", *, unquoted: bool = False
    ) -> None:
        place = _place(event)
        raise _RefusedError(Fault(printable(what), place.line, place.column, fix, unquoted))

    def _at_key(self) -> bool:
        return (
            bool(self._stack)
            and self._stack[-1].mapping is not None
            and (self._stack[-1].key is None)
        )

    def _kind(self, event: yaml.NodeEvent, own: tuple[str, ...]) -> str:
        """The core type that a tag names, "" without a tag; other tags are refused."""
        tag = getattr(event, "tag", None)
        if tag is None:
            return ""
        if tag == "!":
            return own[0]
        kind = tag.removeprefix(_CORE) if tag.startswith(_CORE) else ""
        if kind not in own:
            local = tag.startswith("!")
            what = f'the tag "{tag}"' + (
                ", from an unquoted `!`" if local else " is not of YAML 1.2 core"
            )
            self._refuse(event, what, _QUOTE if local else "remove it", unquoted=local)
        return kind

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        kind = self._kind(event, _SCALARS)
        if self._at_key():
            if event.anchor is not None:
                self._refuse(event, "an anchor on a key", "write the key without `&`")
            self._take_key(str(event.value), _place(event))
            return
        plain = kind == "" and bool(event.implicit[0])
        value: Scalar = event.value
        if plain or kind in _TYPES:
            value = _core(event.value)
        if kind in _TYPES and not isinstance(value, _TYPES[kind]):
            self._refuse(event, f'"{event.value}" is not of the type !!{kind}', "remove the tag")
        node = Node(value, _place(event), _NO_KEYS, plain=plain)
        self._keep(event.anchor, node, 1)
        self._put(node, 1)

    def _take_key(self, key: str, place: Place) -> None:
        into = self._stack[-1]
        if key in into.keys:
            what = printable(f'duplicate key "{key}"')
            fix = f"keep one (the first is on line {into.keys[key].line})"
            self.faults.append(Fault(what, place.line, place.column, fix, key=key))
        into.keys.setdefault(key, place)
        into.key = key
        self._count(1)

    def _begin(self, event: yaml.NodeEvent) -> None:
        is_map = isinstance(event, yaml.MappingStartEvent)
        self._kind(event, ("map",) if is_map else ("seq",))
        if self._at_key():
            self._refuse(event, "a key that is a list or mapping", "write `name: value`")
        if len(self._stack) >= MAX_DEPTH:
            self._refuse(event, f"nested deeper than {MAX_DEPTH}", "flatten it")
        self._stack.append(_Open(_place(event), event.anchor, {} if is_map else None))

    def _end(self) -> None:
        done = self._stack.pop()
        value = tuple(done.entries) if done.mapping is None else done.mapping
        node = Node(value, done.place, keys=done.keys)
        self._keep(done.anchor, node, done.nodes)
        self._put(node, done.nodes)

    def _alias(self, event: yaml.AliasEvent) -> None:
        name = str(event.anchor)
        if name not in self._anchors:
            what = f'"*{name}" refers to no anchor before it'
            self._refuse(event, what, _QUOTE, unquoted=True)
        if self._at_key():
            self._refuse(event, "a key that is an alias", "write the key out")
        self._aliases += 1
        if self._aliases > MAX_ALIASES:
            self._refuse(event, f"more than {MAX_ALIASES} aliases", "write the values out")
        node, nodes = self._anchors[name]
        self._put(node, nodes, at=event)

    def _keep(self, anchor: str | None, node: Node, nodes: int) -> None:
        if anchor is not None:
            self._anchors[anchor] = (node, nodes)

    def _count(self, nodes: int) -> None:
        if self._stack:
            self._stack[-1].nodes += nodes

    def _put(self, node: Node, nodes: int, at: yaml.Event | None = None) -> None:
        if not self._stack:
            self.root = node
            return
        into = self._stack[-1]
        self._count(nodes)
        if into.nodes > MAX_NODES:
            place = _place(at) if at is not None else node.place
            what = f"more than {MAX_NODES:,} values, aliases expanded"
            raise _RefusedError(Fault(what, place.line, place.column, "split the file"))
        if into.mapping is None:
            into.entries.append(node)
        elif into.key is not None:
            into.mapping.setdefault(into.key, node)
            into.key = None


def _place(event: yaml.Event) -> Place:
    mark = event.start_mark
    return _at(mark.line, mark.column) if mark else Place()


@lru_cache(maxsize=4096)
def _at(line: int, column: int) -> Place:
    """The same places occur in every file, so they are made once. Zero-based."""
    return Place("", line + 1, column + 1)


def _core(text: str) -> Scalar:
    """The value of a plain scalar: as `resolve`, but digits are always a decimal number."""
    return int(text) if _LEADING_ZERO.fullmatch(text) else resolve(text)


def _not_utf8(raw: bytes, at: int) -> Fault:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Fault("this is UTF-16", 1, 1, "save the file as UTF-8")
    before = raw[:at]
    what = f"not UTF-8 (byte 0x{raw[at]:02x} at offset {at})"
    column = at - (before.rfind(b"\n") + 1) + 1
    return Fault(what, before.count(b"\n") + 1, column, "save the file as UTF-8")


def _not_yaml(text: str, error: yaml.MarkedYAMLError) -> Fault:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    lines = text.split("\n")
    written = lines[line - 1] if line <= len(lines) else ""
    words = " ".join(part for part in (error.context, error.problem) if part)
    what = printable(f"not valid YAML: {words}")
    if ("alias" in words or "tag" in words) and _UNQUOTED.search(written):
        return Fault(what, line, column, _QUOTE, unquoted=True)
    if "\t" in written[: len(written) - len(written.lstrip())] or "tab" in words:
        return Fault(what, line, column, "indent with spaces, not tabs")
    if "mapping values are not allowed" in words:
        return Fault(what, line, column, "put text that holds `: ` in quotes")
    return Fault(what, line, column)
