"""What every READ verb begins with: the project, its tripwires now, and one path of it."""

from __future__ import annotations

import time
from pathlib import Path

from tripwire.errors import PolicyError, PolicyErrors, UsageError
from tripwire.io.project import file_access, find_root
from tripwire.io.tripwires import load
from tripwire.model.tripwire import ReadPlan
from tripwire.read.tripwire_set import TripwireSet

_CONFIG = ("TW040", "TW041", "TW043")
"""Problems of the configuration that a verb cannot work under (read.md §4.2: exit 2)."""


def tripwires_of(project: str | None) -> tuple[Path, TripwireSet]:
    """The project's root and its tripwires. Raises UsageError for a project that is not there."""
    root = find_root(project, str(Path.cwd()))
    return root, load(root)


def sound(rules: TripwireSet) -> TripwireSet:
    """The same tripwires. Raises PolicyErrors if their configuration is bad."""
    faults = tuple(
        PolicyError(p.message, where=p.where, fix=p.fix)
        for p in rules.problems
        if p.code in _CONFIG
    )
    if faults:
        raise PolicyErrors(faults)
    return rules


def plan_of(root: Path, rules: TripwireSet, path: str) -> ReadPlan:
    """What a read of `path`, from the project's root, would show. Raises UsageError."""
    if not path or "\0" in path:
        raise UsageError("the path is empty or holds a NUL character", fix="Name a file.")
    access = file_access(root, rules, path, route="read_file")
    if access is None:
        raise UsageError(f"path is outside the project: {path}", fix="Name a file of the project.")
    return rules.plan(access, now=time.time())
