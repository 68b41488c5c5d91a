"""The `read.fired` entries of every session, for the statistics of one project (read.md §4.2).

Verifies nothing, as statistics prove nothing; a line that is no entry is counted, not believed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tripwire.errors import JournalTampered
from tripwire.io.files import read_private
from tripwire.io.home import iso
from tripwire.io.journal import AUDIT
from tripwire.ledger.chain import parse
from tripwire.ledger.fired import KIND
from tripwire.read.places import project_id

_KIND = f'"{KIND}"'.encode()
_NO_TIME = ""


@dataclass(frozen=True, slots=True)
class Firings:
    """(time stamp, data) of every firing; `unreadable` lines and journals could not be counted."""

    entries: tuple[tuple[str, dict[str, Any]], ...] = ()
    unreadable: int = 0


def firings(states: Iterable[Path], root: Path, *, since: float | None = None) -> Firings:
    """The firings in the sessions of these state directories, of the project at `root`.

    `since` leaves out what is older (seconds since the epoch). Never raises for what it finds.
    """
    projects = {project_id(str(root)), project_id(os.path.realpath(root))}
    earliest = iso(since) if since is not None else _NO_TIME
    found: list[tuple[str, dict[str, Any]]] = []
    unreadable = 0
    for audit in _journals(states):
        try:
            lines = read_private(audit).split(b"\n")
        except OSError:
            unreadable += 1
            continue
        for line in lines:
            if _KIND not in line and line[:1] + line[-1:] in (b"", b"{}"):
                continue
            try:
                entry = parse(line)
            except JournalTampered:
                unreadable += 1
                continue
            ours = entry.type == KIND and entry.data.get("project") in projects
            if ours and entry.ts >= earliest:
                found.append((entry.ts, entry.data))
    return Firings(tuple(found), unreadable)


def _journals(states: Iterable[Path]) -> list[Path]:
    """The audit file of every session, each once."""
    found = (audit for state in states for audit in sorted((state / "sessions").glob(f"*/{AUDIT}")))
    return list(dict.fromkeys(Path(os.path.realpath(audit.parent)) / AUDIT for audit in found))
