"""One rule file of another client → ForeignRule, or why not. Opens nothing, never raises."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tripwire.config import tripwire_yaml
from tripwire.config.node import Node
from tripwire.config.problems import printable
from tripwire.read.foreign import (
    SCOPES,
    ForeignPattern,
    ForeignRule,
    Format,
    UnreadableRule,
    split_patterns,
)

MAX_BYTES = tripwire_yaml.MAX_BYTES
_FENCE = "---"
_CURSOR_LINE = re.compile(r"(globs|description):[ \t]+([^\s'\"\[|>#].*)")
"""What Cursor takes as it stands, and YAML would not: `globs: *.ts`."""


def parse_rule(raw: bytes, file: str, kind: Format) -> ForeignRule | UnreadableRule:
    """The rule in a file's bytes."""
    if len(raw) > MAX_BYTES:
        return UnreadableRule(file, kind, f"larger than {MAX_BYTES >> 10} KiB")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        return UnreadableRule(file, kind, "not UTF-8", line)
    lines = text.replace("\r\n", "\n").split("\n")
    if kind not in SCOPES or lines[0].rstrip() != _FENCE:
        return ForeignRule(file, kind, "\n".join(lines))
    end = next((n for n, line in enumerate(lines) if n and line.rstrip() == _FENCE), 0)
    if not end:
        return UnreadableRule(file, kind, "its front matter is not closed by a line ---")
    head = [_quoted(line) if kind is Format.CURSOR else line for line in lines[1:end]]
    document = tripwire_yaml.read("\n".join(["", *head, ""]).encode())
    if document.faults:
        fault = document.faults[0]
        return UnreadableRule(file, kind, fault.what, fault.line, fault.column)
    root = document.root or Node({})
    body = "\n".join(lines[end + 1 :])
    if root.value is not None and not isinstance(root.value, Mapping):
        return UnreadableRule(file, kind, "its front matter is no mapping", 2)
    return _rule(root, file, kind, (body, end + 2))


def _quoted(line: str) -> str:
    """A line of Cursor's front matter as YAML; line and column of the value stay."""
    found = _CURSOR_LINE.fullmatch(line.rstrip())
    if found is None:
        return line
    value = found[2].replace("'", "''")
    return f"{found[1]}: '{value}'"


def _rule(
    root: Node, file: str, kind: Format, text: tuple[str, int]
) -> ForeignRule | UnreadableRule:
    key = SCOPES[kind]
    scope = root.items.get(key)
    patterns = _patterns(scope)
    if patterns is None:
        place = root.items[key].place
        why = f"{key}: must be text or a list of text"
        return UnreadableRule(file, kind, why, place.line, place.column)
    always, about = root.items.get("alwaysApply"), root.items.get("description")
    known = {key, "description", *(("alwaysApply",) if kind is Format.CURSOR else ())}
    return ForeignRule(
        file,
        kind,
        text[0],
        text[1],
        patterns,
        root.keys[key].line if scope is not None else 0,
        is_list=scope is not None and isinstance(scope.value, tuple),
        written=scope.value if scope is not None and isinstance(scope.value, str) else "",
        always=always is not None and always.value is True,
        described=about is not None and bool(about.value),
        others=tuple((printable(k), p.line) for k, p in root.keys.items() if k not in known),
    )


def _patterns(scope: Node | None) -> tuple[ForeignPattern, ...] | None:
    """The patterns under a key, without empty ones; None if they are no text."""
    if scope is None or scope.value is None:
        return ()
    if isinstance(scope.value, str):
        line, quoted = scope.place.line, not scope.plain
        found = [ForeignPattern(each, line, quoted) for each in split_patterns(scope.value)]
    elif isinstance(scope.value, tuple):
        if not all(isinstance(node.value, str) for node in scope.value):
            return None
        found = [
            ForeignPattern(str(node.value).strip(), node.place.line, not node.plain)
            for node in scope.value
        ]
    else:
        return None
    return tuple(pattern for pattern in found if pattern.text)
