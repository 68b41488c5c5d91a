"""Tripwire files as text: a new one, and an existing one with some keys changed (CTX-41, CTX-42).

An edit cuts and pastes at the places that the parser names, so comments, order, quoting and layout
of everything else stay. Whoever calls checks that the result says what it should.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

import yaml

from tripwire.config.tripwire_yaml import events

ORDER = (
    "triggers",
    "context",
    "severity",
    "created_by",
    "learned_from",
    "tags",
    "expires",
    "depends_on",
    "match_content",
    "repeat",
    "source",
)
"""Keys of a new file, in this order."""

Value = str | bool | Sequence[str] | Mapping[str, object]

_BOM = "\ufeff"
_PLAIN = re.compile(r"[a-z]+(?::[a-z0-9-]+)?|\d{4}-\d{2}-\d{2}", re.ASCII)
_WORDS = frozenset({"true", "false", "null"})
_ITEM = re.compile(r"[ \t]*-[ \t]+")
_SHORT = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}

_Cut = tuple[int, int, str]
"""Start, end, and what takes the place of the characters between."""


def new_text(values: Mapping[str, Value]) -> str:
    """A new file with these keys."""
    return "".join(_entry(key, values[key], "\n") for key in ORDER if key in values)


def edited(raw: bytes, changes: Mapping[str, Value | None]) -> bytes:
    """The file with some keys set, added or (None) removed.

    `raw` is a file that loads. Raises ValueError if it is not laid out so that it could be edited.
    """
    text = raw.decode("utf-8")
    bom = _BOM if text.startswith(_BOM) else ""
    text = text.removeprefix(_BOM)
    newline = "\r\n" if "\r\n" in text else "\n"
    if not text.endswith("\n"):
        text += newline
    layout = _layout(text)
    cuts: list[_Cut] = []
    for key, value in changes.items():
        cuts += (
            _flow_cuts(layout, key, value)
            if layout.flow
            else _block_cuts(text, layout, key, value, newline)
        )
    added = [
        _added(text, layout, key, value, newline)
        for key, value in changes.items()
        if value is not None and key not in layout.entries
    ]
    if added:
        cuts.append((layout.end, layout.end, "".join(added)))
    for start, end, instead in sorted(cuts, key=lambda cut: cut[:2], reverse=True):
        text = text[:start] + instead + text[end:]
    return (bom + text).encode("utf-8")


# ── writing values ───────────────────────────────────────────────────────────────────────────


def quoted(text: str) -> str:
    """A double-quoted scalar on one line; whatever is not printable is spelt out."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if char.isprintable():
        return char
    code = ord(char)
    return (
        f"\\x{code:02x}"
        if code < 0x100
        else (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
    )


def _inline(value: object) -> str:
    """A value on one line, as it may stand in any context."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) and value not in _WORDS else quoted(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k}: {_inline(v)}" for k, v in value.items()) + "}"
    return "[" + ", ".join(quoted(str(each)) for each in _items(value)) + "]"


def _items(value: object) -> Iterable[object]:
    return value if isinstance(value, Iterable) else ()


def _entry(key: str, value: Value, newline: str) -> str:
    """A key of a block mapping with its value and line end."""
    if isinstance(value, str):
        return f"{key}: {_block_text(value, newline) or _inline(value)}{newline}"
    if isinstance(value, Sequence) and value and key == "triggers":
        return f"{key}:{newline}" + "".join(f"  - {quoted(each)}{newline}" for each in value)
    return f"{key}: {_inline(value)}{newline}"


def _block_text(text: str, newline: str) -> str:
    """A literal block scalar without its last line end, "" for text that needs quotes."""
    body = text.removesuffix("\n")
    lines = body.split("\n")
    if len(lines) < 2 or lines[0][:1] in ("", " ") or not lines[-1]:
        return ""
    if not all(line.isprintable() and line == line.rstrip(" ") for line in lines):
        return ""
    head = "|" if text != body else "|-"
    return newline.join([head, *(f"  {line}" if line else "" for line in lines)])


# ── finding places ───────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class _Place:
    """Where an entry of the root stands. `end` is behind its last character that is no space."""

    start: int
    value: int = 0
    end: int = 0
    items: list[tuple[int, int, str]] | None = None
    """Start, end and text of the items of a block list of words; None for any other value."""


@dataclass(slots=True)
class _Layout:
    """The root mapping: how it is written, its entries, and where a further one goes."""

    flow: bool = False
    entries: dict[str, _Place] = field(default_factory=dict)
    end: int = 0


def _layout(text: str) -> _Layout:
    layout, depth, place = _Layout(), 0, None
    for event in events(text):
        if isinstance(event, yaml.MappingStartEvent) and depth == 0:
            layout.flow = bool(event.flow_style)
            depth = 1
        elif isinstance(event, yaml.MappingEndEvent) and depth == 1:
            layout.end = _span(event)[0]
            break
        elif isinstance(event, yaml.NodeEvent | yaml.CollectionEndEvent) and depth:
            if place is None:
                if not isinstance(event, yaml.ScalarEvent):
                    raise ValueError("a key is no word")
                place = layout.entries[str(event.value)] = _Place(_span(event)[0])
                continue
            depth = _take(text, place, event, depth)
            if depth == 1:
                place = None
    if not layout.entries:
        raise ValueError("the file holds no mapping")
    if not layout.flow:
        layout.end = _after_last(text, layout)
    return layout


def _take(text: str, place: _Place, event: yaml.Event, depth: int) -> int:
    """Note an event of an entry's value; the depth afterwards."""
    start, end = _span(event)
    if isinstance(event, yaml.CollectionStartEvent):
        if depth == 1:
            place.value = place.end = start
            is_block_list = isinstance(event, yaml.SequenceStartEvent) and not event.flow_style
            place.items = [] if is_block_list else None
        else:
            place.items = None
        return depth + 1
    if isinstance(event, yaml.CollectionEndEvent):
        place.end = max(place.end, end if end > start else 0)
        return depth - 1
    if depth == 1:
        place.value, place.items = start, None
    place.end = max(place.end, start + len(text[start:end].rstrip()))
    if depth == 2 and place.items is not None:
        if isinstance(event, yaml.ScalarEvent) and event.style not in ("|", ">"):
            place.items.append((start, end, str(event.value)))
        else:
            place.items = None
    return depth


def _span(event: yaml.Event) -> tuple[int, int]:
    """Where it begins and ends, in code points. Raises ValueError if the parser does not say."""
    if event.start_mark is None or event.end_mark is None:
        raise ValueError("the parser names no place")
    return event.start_mark.index, event.end_mark.index


def _after_last(text: str, layout: _Layout) -> int:
    """The beginning of the line after the last entry, blank lines of a block scalar included."""
    last = max(layout.entries.values(), key=lambda place: place.start)
    at = _line_end(text, last.end)
    if text[last.value : last.value + 1] in ("|", ">"):
        while at < len(text) and not text[at : _line_end(text, at)].strip():
            at = _line_end(text, at)
    return at


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


# ── cutting ──────────────────────────────────────────────────────────────────────────────────


def _added(text: str, layout: _Layout, key: str, value: Value, newline: str) -> str:
    if not layout.flow:
        return _entry(key, value, newline)
    bare = text[: layout.end].rstrip().endswith((",", "{"))
    return f"{'' if bare else ', '}{key}: {_inline(value)}"


def _block_cuts(
    text: str, layout: _Layout, key: str, value: Value | None, newline: str
) -> Iterator[_Cut]:
    place = layout.entries.get(key)
    if place is None:
        return
    if value is None:
        yield _line_start(text, place.start), _line_end(text, place.end), ""
        return
    if isinstance(value, Sequence) and not isinstance(value, str) and value and place.items:
        cuts = _item_cuts(text, place.items, list(value), newline)
        if cuts is not None:
            yield from cuts
            return
    alone = not text[place.end : _line_end(text, place.end)].strip()
    block = _block_text(value, newline) if isinstance(value, str) and alone else ""
    lead = " " if text[place.value - 1 : place.value] == "\n" else ""
    if place.items is not None or lead:  # a value on lines of its own moves up to its key
        start = place.start + text[place.start : place.value].index(":") + 1
        yield start, place.end, f" {block or _inline(value)}"
        return
    yield place.value, place.end, block or _inline(value)


def _item_cuts(
    text: str, items: Sequence[tuple[int, int, str]], wanted: list[str], newline: str
) -> list[_Cut] | None:
    """Lines of a block list to take out and to put in; None if items share lines."""
    lines = [(_line_start(text, start), _line_end(text, end)) for start, end, _ in items]
    heads = [text[line[0] : item[0]] for line, item in zip(lines, items, strict=True)]
    if not all(map(_ITEM.fullmatch, heads)):
        return None
    cuts: list[_Cut] = []
    before = [word for _, _, word in items]
    for kind, i, j, k, m in SequenceMatcher(None, before, wanted, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        cuts += [(start, end, "") for start, end in lines[i:j]]
        at = lines[i][0] if i < len(lines) else lines[-1][1]
        cuts.append((at, at, "".join(f"{heads[0]}{quoted(w)}{newline}" for w in wanted[k:m])))
    return cuts


def _flow_cuts(layout: _Layout, key: str, value: Value | None) -> Iterator[_Cut]:
    place = layout.entries.get(key)
    if place is None:
        return
    if value is not None:
        yield place.value, place.end, _inline(value)
        return
    places = sorted(layout.entries.values(), key=lambda each: each.start)
    at = places.index(place)
    if at + 1 < len(places):
        yield place.start, places[at + 1].start, ""
    else:
        yield (places[at - 1].end if at else place.start), place.end, ""
