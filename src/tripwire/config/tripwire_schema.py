"""One tripwire file → Tripwire, or why not (read.md §2.1). Opens nothing, never raises.

What only lint minds (a bad tag, no creator, an unknown key) loads; lint looks at it in `read/`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tripwire.config import tripwire_quick, tripwire_yaml
from tripwire.config.node import Node, Place
from tripwire.config.problems import printable
from tripwire.model.tripwire import ContentCondition, Problem, Repeat, Severity, Tripwire
from tripwire.read.content import regex_fault
from tripwire.read.lint_tripwire import KEYS
from tripwire.read.render import trimmed
from tripwire.text.expiry import dead_from
from tripwire.text.path_glob import pattern_faults
from tripwire.text.tripwire_name import normalise

EXTENSION = ".yml"
CONDITION_KEYS = ("regex", "keywords", "semantic", "mode")
_SAFE = r"(?:[A-Za-z0-9_./*@-]|\[[A-Za-z0-9-]{1,20}\]){0,100}"
_PLAIN = re.compile(rf"!?(?=.){_SAFE}(?:\{{[A-Za-z0-9_/*@,-]{{1,60}}\}}{_SAFE})?")
"""Triggers that need no closer look: not empty, one choice in braces at most, no groups."""
_FATAL_PATTERNS = ("TW008", "TW035")
_LEVELS = {str(level): level for level in Severity}
_REPEATS = {str(repeat): repeat for repeat in Repeat}
_KINDS: Mapping[str, type] = {
    **dict.fromkeys(("triggers", "tags", "depends_on"), tuple),
    **dict.fromkeys(("context", "severity", "created_by", "learned_from", "expires"), str),
    **dict.fromkeys(("repeat", "source"), str),
    "active": bool,
}


def parse_tripwire(raw: bytes, file: str) -> tuple[Tripwire | None, tuple[Problem, ...]]:
    """The tripwire of a file's bytes, or None and every problem, in the order of the key table.

    `file` is the path relative to the project root; it gives the name (CTX-3).
    """
    if (quick := _common(raw, file)) is not None:
        return quick, ()
    document = tripwire_yaml.read(raw)
    root = document.root
    if document.faults:
        return None, _unreadable(document, file)
    if root is None or not isinstance(root.value, Mapping):
        what = "the file is empty" if root is None else f"must be a mapping, not {root.kind}"
        line = root.place.line if root else 1
        problem = Problem("TW003", file, what, line, 1, fix="write triggers: and context:")
        return None, (problem,)
    reading = _Reading(root, file)
    tripwire = _tripwire(reading, raw)
    if not tripwire.name:
        fix = "rename it: letters a-z, digits and -"
        reading.problems.append(
            Problem("TW004", file, "its name holds no letter or digit", fix=fix)
        )
    if reading.problems:
        bounds = _readable_triggers(root)
        return None, tuple(_bounded(problem, bounds) for problem in reading.problems)
    return tripwire, ()


def _common(raw: bytes, file: str) -> Tripwire | None:
    """The tripwire of a file of the common form that is right in everything; else None."""
    found = tripwire_quick.read(raw)
    name = name_of(file)
    if found is None or not name or not all(key in found.values for key in ("triggers", "context")):
        return None
    values: dict[str, Any] = found.values
    for key, kind in _KINDS.items():
        if key in values and type(values[key]) is not kind:
            return None
    severity, repeat = values.get("severity", "warning"), values.get("repeat", "")
    depends_on = tuple(map(normalise, values.get("depends_on", ())))
    triggers, context = values["triggers"], values["context"]
    sound = triggers and trimmed(context) and all(depends_on) and severity in _LEVELS
    if not sound or (repeat and repeat not in _REPEATS) or any(map(_is_fatal, triggers)):
        return None
    expires = values.get("expires", "")
    try:
        dead = dead_from(expires) if "expires" in values else None
    except ValueError:
        return None
    return Tripwire(
        name=name,
        file=file,
        triggers=triggers,
        context=context,
        severity=_LEVELS[severity],
        created_by=values.get("created_by", ""),
        learned_from=values.get("learned_from", ""),
        tags=values.get("tags", ()),
        expires=expires,
        dead_from=dead,
        depends_on=depends_on,
        active=values.get("active", True),
        repeat=_REPEATS[repeat] if repeat else None,
        source=values.get("source", ""),
        digest=hashlib.sha256(raw).hexdigest(),
        lines=found.lines,
    )


def name_of(file: str) -> str:
    """The name that a file's path gives (CTX-3), "" if nothing is left of it."""
    return normalise(file.rpartition("/")[2].removesuffix(EXTENSION))


def _unreadable(document: tripwire_yaml.Document, file: str) -> tuple[Problem, ...]:
    """What is wrong with the YAML; triggers bound it only if the reading came to the end."""
    twice = any(fault.key == "triggers" for fault in document.faults)
    bounds = None if document.root is None or twice else _readable_triggers(document.root)
    return tuple(
        Problem(
            "TW032" if fault.unquoted else "TW002",
            file,
            fault.what,
            fault.line,
            fault.column,
            fix=fault.fix,
            triggers=bounds,
        )
        for fault in document.faults
    )


def _readable_triggers(root: Node) -> tuple[str, ...] | None:
    """The triggers of a file that does not load, None unless every one of them is sound."""
    node = root.items.get("triggers")
    if node is None or not isinstance(node.value, tuple) or not node.value:
        return None
    found = []
    for entry in node.value:
        if not isinstance(entry.value, str) or next(_fatal(entry.value), None):
            return None
        found.append(entry.value)
    return tuple(found)


def _bounded(problem: Problem, bounds: tuple[str, ...] | None) -> Problem:
    return Problem(
        problem.code,
        problem.file,
        problem.message,
        problem.line,
        problem.column,
        problem.key,
        problem.fix,
        bounds,
    )


def _fatal(pattern: str) -> Iterator[tuple[str, str]]:
    """Code and message of what keeps a trigger from being used at all."""
    if _PLAIN.fullmatch(pattern):
        return iter(())
    negated = pattern.startswith("!")
    faults = pattern_faults(pattern[1:] if negated else pattern, in_negation=negated)
    return (fault for fault in faults if fault[0] in _FATAL_PATTERNS)


def _is_fatal(pattern: str) -> bool:
    return next(_fatal(pattern), None) is not None


@dataclass(slots=True)
class _Reading:
    """The values of one mapping by key; what is wrong with them is collected."""

    node: Node
    file: str
    prefix: str = ""
    problems: list[Problem] = field(default_factory=list)

    def fail(self, key: str, what: str, fix: str = "", *, code: str = "", at: Place | None) -> None:
        """Record a problem at a dotted key path; without a place, at the mapping itself."""
        place = at or self.node.place
        path = f"{self.prefix}{key}"
        self.problems.append(
            Problem(
                code or "TW003",
                self.file,
                printable(what),
                place.line,
                place.column,
                path,
                printable(fix),
            )
        )

    def text(self, key: str, *, code: str = "") -> str:
        """The string under a key, "" if there is none."""
        node = self.node.items.get(key)
        if node is None:
            return ""
        if isinstance(node.value, str):
            return node.value
        self.fail(key, f"must be text, not {node.kind}", _quoted(node), code=code, at=node.place)
        return ""

    def word(self, key: str, words: tuple[str, ...]) -> str:
        """One of some words, "" if the key is not set."""
        node = self.node.items.get(key)
        if node is None or (isinstance(node.value, str) and node.value in words):
            return "" if node is None else str(node.value)
        self.fail(key, f"must be one of {', '.join(words)}", at=node.place)
        return ""

    def texts(self, key: str) -> tuple[tuple[int, str, Place], ...]:
        """The strings of a list with their positions, those that are none left out."""
        node = self.node.items.get(key)
        if node is None:
            return ()
        if not isinstance(node.value, tuple):
            self.fail(key, f"must be a list, not {node.kind}", "write [a, b]", at=node.place)
            return ()
        found = []
        for number, entry in enumerate(node.value):
            if isinstance(entry.value, str):
                found.append((number, entry.value, entry.place))
            else:
                what = f"must be text, not {entry.kind}"
                self.fail(f"{key}.{number}", what, _quoted(entry), at=entry.place)
        return tuple(found)


def _tripwire(reading: _Reading, raw: bytes) -> Tripwire:
    """Every key in the order of the table of §2.1, so that problems come in that order."""
    triggers, context = _triggers(reading), _context(reading)
    created_by = reading.text("created_by")
    severity = reading.word("severity", tuple(Severity)) or Severity.WARNING
    learned_from = reading.text("learned_from")
    tags = tuple(tag for _, tag, _ in reading.texts("tags"))
    expires, dead = _expires(reading)
    depends_on = _depends_on(reading)
    active = _active(reading)
    repeat = reading.word("repeat", tuple(Repeat))
    condition, unknown = _condition(reading)
    items = reading.node.items
    return Tripwire(
        name=name_of(reading.file),
        file=reading.file,
        triggers=triggers,
        context=context,
        severity=Severity(severity),
        created_by=created_by,
        learned_from=learned_from,
        tags=tags,
        expires=expires,
        dead_from=dead,
        depends_on=depends_on,
        active=active,
        repeat=Repeat(repeat) if repeat else None,
        match_content=condition,
        source=reading.text("source"),
        digest=hashlib.sha256(raw).hexdigest(),
        lines=dict(_lines(reading.node)),
        unknown_keys=(*(printable(key) for key in items if key not in KEYS), *unknown),
    )


def _triggers(reading: _Reading) -> tuple[str, ...]:
    node = reading.node.items.get("triggers")
    if node is None:
        reading.fail("triggers", "is missing", 'write triggers: ["src/**"]', at=None)
        return ()
    if node.value == ():
        reading.fail("triggers", "is empty", "name at least one pattern", at=node.place)
    found = reading.texts("triggers")
    for number, pattern, place in found:
        for code, message in _fatal(pattern):
            reading.fail(f"triggers.{number}", message, code=code, at=place)
    return tuple(pattern for _, pattern, _ in found)


def _context(reading: _Reading) -> str:
    node = reading.node.items.get("context")
    if node is None:
        reading.fail("context", "is missing", "say what to know about these files", at=None)
        return ""
    text = reading.text("context")
    if isinstance(node.value, str) and not trimmed(text):
        reading.fail("context", "is empty", "say what to know about these files", at=node.place)
    return text


def _expires(reading: _Reading) -> tuple[str, float | None]:
    node = reading.node.items.get("expires")
    text = reading.text("expires", code="TW009")
    if node is None or not isinstance(node.value, str):
        return text, None
    try:
        return text, dead_from(text)
    except ValueError as error:
        reading.fail("expires", f'"{text}": {error}', "2027-12-31", code="TW009", at=node.place)
        return text, None


def _depends_on(reading: _Reading) -> tuple[str, ...]:
    found = []
    for number, written, place in reading.texts("depends_on"):
        name = normalise(written)
        if not name:
            what = f'"{written}" is no name of a tripwire'
            reading.fail(f"depends_on.{number}", what, "letters a-z, digits and -", at=place)
        found.append(name)
    return tuple(found)


def _active(reading: _Reading) -> bool:
    node = reading.node.items.get("active")
    if node is None:
        return True
    if isinstance(node.value, bool):
        return node.value
    what = f"must be true or false, not {node.kind}"
    reading.fail("active", what, "write true or false, without quotes", at=node.place)
    return True


def _condition(reading: _Reading) -> tuple[ContentCondition | None, tuple[str, ...]]:
    """`match_content`, and the keys in it that nobody reads."""
    node = reading.node.items.get("match_content")
    if node is None:
        return None, ()
    if not isinstance(node.value, Mapping):
        what = f"must be a mapping, not {node.kind}"
        reading.fail("match_content", what, "match_content: {keywords: [a]}", at=node.place)
        return None, ()
    inner = _Reading(node, reading.file, "match_content.", reading.problems)
    patterns = inner.texts("regex")
    for number, pattern, place in patterns:
        if fault := regex_fault(pattern):
            what, fix = f"RE2 refuses it: {fault}", "RE2 knows no look-around or back-reference"
            inner.fail(f"regex.{number}", what, fix, code="TW033", at=place)
    keywords = tuple(keyword for _, keyword, _ in inner.texts("keywords"))
    semantic = inner.text("semantic")
    mode = inner.word("mode", ("any", "all"))
    if not any(node.items.get(key, Node(())).value for key in CONDITION_KEYS[:3]):
        what = "holds no condition"
        reading.fail("match_content", what, "give regex, keywords or semantic", at=node.place)
    unknown = tuple(f"match_content.{printable(k)}" for k in node.items if k not in CONDITION_KEYS)
    regex = tuple(pattern for _, pattern, _ in patterns)
    return ContentCondition(regex, keywords, semantic, mode or "any"), unknown


def _lines(root: Node) -> Iterator[tuple[str, int]]:
    """Dotted key path → line, two levels deep: no value of a tripwire is deeper but one list."""
    for key, node in root.items.items():
        place = root.keys.get(key, node.place)
        yield printable(key), place.line
        if isinstance(node.value, tuple):
            yield from ((f"{key}.{at}", e.place.line) for at, e in enumerate(node.value))
        elif isinstance(node.value, Mapping):
            for inner, child in node.items.items():
                yield f"{key}.{inner}", node.keys.get(inner, child.place).line


def _quoted(node: Node) -> str:
    return "put it in quotes" if isinstance(node.value, bool | int | float) else ""
