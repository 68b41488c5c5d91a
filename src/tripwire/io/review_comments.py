"""Exported review comments: GitHub's `pulls/comments` and GitLab's notes, JSON or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tripwire.errors import UsageError
from tripwire.io.project import beginning, encodable
from tripwire.read.suggest import Comment

MAX_BYTES = 16 << 20
"""Bytes of an export."""


def comments_of(file: Path) -> tuple[Comment, ...]:
    """The comments on files in an export. Raises UsageError if it is none."""
    try:
        raw = beginning(file, MAX_BYTES + 1)
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or str(problem)
        raise UsageError(f"cannot be read ({why})", where=str(file)) from None
    if len(raw) > MAX_BYTES:
        raise UsageError(f"larger than {MAX_BYTES >> 20} MiB", where=str(file), fix="Split it.")
    return tuple(c for entry in _entries(raw, file) if (c := _comment(entry)) is not None)


def _entries(raw: bytes, file: Path) -> Iterator[Any]:
    try:
        try:
            found = json.loads(raw)
        except ValueError:
            found = [json.loads(line) for line in raw.split(b"\n") if line.strip()]
    except (ValueError, RecursionError):
        fix = "Export them with `gh api --paginate repos/OWNER/REPO/pulls/comments`."
        raise UsageError("is neither JSON nor JSON lines", where=str(file), fix=fix) from None
    if isinstance(found, Mapping):
        found = found.get("comments", [found])
    pending = list(found) if isinstance(found, list) else []
    for entry in pending:
        yield from entry if isinstance(entry, list) else (entry,)  # pages of an export


def _comment(entry: Any) -> Comment | None:
    if not isinstance(entry, Mapping):
        return None
    position = entry.get("position")
    place = position if isinstance(position, Mapping) else {}
    path = entry.get("path") or place.get("new_path") or entry.get("new_path")
    text = entry.get("body") or entry.get("note")
    if not isinstance(path, str) or not isinstance(text, str):
        return None
    link = entry.get("html_url") or entry.get("web_url") or ""
    return Comment(path, encodable(text), encodable(link) if isinstance(link, str) else "")
