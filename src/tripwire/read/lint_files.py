"""Lint of tripwires against the project's files: what they match, what hides it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tripwire.model.tripwire import Severity
from tripwire.read.lint_codes import WARNING, LintFinding, found
from tripwire.read.lint_groups import line_of
from tripwire.read.places import CONFIG_FILE
from tripwire.read.tripwire_set import TripwireSet

MAX_FILES = 5_000
"""Files that are looked at (TW022)."""


@dataclass(frozen=True, slots=True)
class ProjectFiles:
    """Files of a project, relative to its root, as far as they were listed."""

    visible: Sequence[str] = ()
    """Not excluded, and not below an excluded directory."""
    hidden: Sequence[str] = ()
    """Some that `exclude_paths` hides."""


def of_files(rules: TripwireSet, files: ProjectFiles, now: float) -> Iterator[LintFinding]:
    """What is wrong between the tripwires and the files."""
    visible = sorted(files.visible)[:MAX_FILES]
    yield from _nested(rules, visible)
    matched: set[str] = set()
    overlaps: dict[tuple[str, ...], str] = {}
    for file in visible:
        names = [t for t, _ in rules.matching([file]) if t.alive(now)]
        matched.update(tripwire.name for tripwire in names)
        critical = tuple(t.name for t in names if t.severity is Severity.CRITICAL)
        if len(critical) > 1:
            overlaps.setdefault(critical, file)
    for critical, file in overlaps.items():
        first = rules.by_name[critical[0]]
        text = f"{file} is under {len(critical)} criticals: {', '.join(critical)}"
        yield found("TW022", first.file, text, line=line_of(first, "severity"), fix="keep one")
    behind = {t.name for file in files.hidden for t, _ in rules.matching([file])}
    yield from _idle(rules, matched | behind, now)
    if not matched and behind and not _any_open(rules, visible):
        text = "exclude_paths hides every file of the project, so nothing fires"
        yield found("TW044", CONFIG_FILE, text, fix="narrow exclude_paths")


def _idle(rules: TripwireSet, matched: set[str], now: float) -> Iterator[LintFinding]:
    """Tripwires that nothing can bring: no file, and no other tripwire that depends on them."""
    matched = matched.union(*(t.depends_on for t in rules.tripwires if t.alive(now)))
    for tripwire in rules.tripwires:
        if tripwire.alive(now) and tripwire.name not in matched:
            text = f"its triggers match no project file: {', '.join(tripwire.triggers[:3])}"
            line = line_of(tripwire, "triggers")
            yield found("TW030", tripwire.file, text, line=line, fix="correct or retire it")


def _any_open(rules: TripwireSet, visible: Sequence[str]) -> bool:
    """Whether any path of the project is open: a listed one, or a tripwire's own file."""
    return bool(visible) or any(not rules.excluded((t.file,)) for t in rules.tripwires)


def _nested(rules: TripwireSet, visible: Sequence[str]) -> Iterator[LintFinding]:
    """Tripwires in sub-directories, which nobody loads (CTX-2)."""
    place = f"{rules.config.tripwires_dir.strip('/')}/"
    for file in visible:
        inner = file.removeprefix(place)
        folder, slash, _ = inner.partition("/")
        if inner != file and slash and folder != "drafts" and file.endswith(".yml"):
            text = "a tripwire in a sub-directory is never loaded"
            yield found("TW006", file, text, fix=f"move it to {place}", level=WARNING)
