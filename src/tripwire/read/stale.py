"""Which tripwires have been overtaken by what they speak of (read.md §4.2, `stale`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tripwire.model.tripwire import Tripwire
from tripwire.read.history import Commit, History
from tripwire.read.lint_codes import LintFinding, found
from tripwire.read.places import inside_config
from tripwire.read.tripwire_set import TripwireSet

FRESH, STALE, DEAD, UNKNOWN, UNCOMMITTED = "fresh", "stale", "dead", "unknown", "uncommitted"


@dataclass(frozen=True, slots=True)
class Staleness:
    """How far the matched files have moved on since a tripwire was last edited.

    `ratio` is changed lines over the lines that the matched files have now, at most 1.
    """

    tripwire: Tripwire
    state: str
    """`fresh`, `stale`, `dead` (matches no file), `unknown` (the history is cut off) or
    `uncommitted` (the tripwire is in no commit yet)."""
    commits: int = 0
    ratio: float = 0.0
    since: str = ""
    """Id of the last commit that edited it."""


def staleness(
    rules: TripwireSet, history: History, files: Sequence[str], *, now: float
) -> tuple[Staleness, ...]:
    """Every tripwire that can fire, in the order of CTX-18. `files` are those that may match."""
    subject = _Subject(rules, now)
    last = _last_edits(rules, history)
    here = {name for file in files for name in subject.names(file)}
    sizes: dict[str, int] = {}
    for file, size in history.lines.items():
        for name in subject.names(file):
            sizes[name] = sizes.get(name, 0) + size
    moved = _moved(subject, history, last)
    return tuple(
        _judged(tripwire, last.get(tripwire.name), moved, (rules, history, here, sizes))
        for tripwire in rules.tripwires
        if tripwire.alive(now)
    )


def findings(found_stale: Sequence[Staleness]) -> Iterator[LintFinding]:
    """TW050 for what is stale."""
    for each in found_stale:
        if each.state == STALE:
            text = f"stale: {each.commits} commit(s) changed what it matches since it was edited, "
            text += f"{each.ratio:.0%} of the lines"
            fix = "read it again, then correct, renew or retire it"
            yield found("TW050", each.tripwire.file, text, line=1, fix=fix)


def as_json(found_stale: Sequence[Staleness], *, complete: bool) -> dict[str, Any]:
    """For `stale --json`."""
    rows = [
        {
            "name": each.tripwire.name,
            "file": each.tripwire.file,
            "state": each.state,
            "commits": each.commits,
            "ratio": round(each.ratio, 4),
            "since": each.since or None,
        }
        for each in found_stale
    ]
    return {"complete": complete, "tripwires": rows}


@dataclass(slots=True)
class _Subject:
    """Which tripwires speak of a path; each path is asked once."""

    rules: TripwireSet
    now: float
    known: dict[str, tuple[str, ...]] | None = None

    def names(self, path: str) -> tuple[str, ...]:
        """Names of the tripwires that match; none for their own files and excluded paths."""
        if self.known is None:
            self.known = {}
        if path not in self.known:
            own = inside_config(path, self.rules.config) or self.rules.excluded((path,))
            matching = () if own else self.rules.matching((path,))
            self.known[path] = tuple(t.name for t, _ in matching if t.alive(self.now))
        return self.known[path]


def _last_edits(rules: TripwireSet, history: History) -> dict[str, Commit]:
    """Name → the newest commit that changed the tripwire's file."""
    names = {tripwire.file: tripwire.name for tripwire in rules.tripwires}
    last: dict[str, Commit] = {}
    for commit in history.commits:
        for change in commit.changes:
            if (name := names.get(change.path)) is not None:
                last.setdefault(name, commit)
    return last


def _moved(
    subject: _Subject, history: History, last: dict[str, Commit]
) -> dict[str, tuple[int, int]]:
    """Name → commits and changed lines that its last edit did not know of."""
    known = _ancestors(history.commits)
    found = dict.fromkeys(last, (0, 0))
    for number, commit in enumerate(history.commits):
        for name, lines in _touched(subject, commit).items():
            edited = last.get(name)
            if edited is not None and not known[edited.id] >> number & 1:
                commits, changed = found[name]
                found[name] = (commits + 1, changed + lines)
    return found


def _touched(subject: _Subject, commit: Commit) -> dict[str, int]:
    lines: dict[str, int] = {}
    for change in commit.changes:
        for name in subject.names(change.path):
            lines[name] = lines.get(name, 0) + change.lines
    return lines


def _ancestors(commits: Sequence[Commit]) -> dict[str, int]:
    """Id → a commit and all it stands on, as one bit each; parents come after their children."""
    masks: dict[str, int] = {}
    for number in reversed(range(len(commits))):
        mask = 1 << number
        for parent in commits[number].parents:
            mask |= masks.get(parent, 0)
        masks[commits[number].id] = mask
    return masks


def _judged(
    tripwire: Tripwire,
    last: Commit | None,
    moved: dict[str, tuple[int, int]],
    known: tuple[TripwireSet, History, set[str], dict[str, int]],
) -> Staleness:
    rules, history, here, sizes = known
    if tripwire.name not in here:
        return Staleness(tripwire, DEAD, since=last.id if last else "")
    if last is None:
        return Staleness(tripwire, UNCOMMITTED if history.complete else UNKNOWN)
    if last.id in history.edges:
        return Staleness(tripwire, UNKNOWN, since=last.id)
    commits, changed = moved[tripwire.name]
    size = sizes.get(tripwire.name, 0)
    ratio = min(1.0, changed / size) if size else float(changed > 0)
    config = rules.config
    over = commits >= config.stale_commits or (commits > 0 and ratio >= config.stale_ratio)
    return Staleness(tripwire, STALE if over else FRESH, commits, ratio, last.id)
