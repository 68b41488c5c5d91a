"""Lines that one author after another rewrites: a fold over the hunks of one file's commits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

LOG_FORMAT = "%x01%H%x02%ct%x02%aE"
"""What `git log -p -U0` is asked to print of a commit; no line of a patch begins like that."""
MAX_REGION = 40
"""Lines of a hunk that still is a change of one place, and no reformatting."""

_HUNK = re.compile(r"@@ -([0-9]{1,9})(?:,([0-9]{1,9}))? \+([0-9]{1,9})(?:,([0-9]{1,9}))? @@")


@dataclass(frozen=True, slots=True)
class Hunk:
    """`size` lines from `start` (1-based) take the place of `old_size` lines from `old_start`."""

    old_start: int
    old_size: int
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class Patch:
    """What one commit did to the file."""

    commit: str
    at: float
    author: str
    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, slots=True)
class Region:
    """Lines of the file as it is now, and who has rewritten them, by which commits."""

    start: int
    end: int
    """The first line behind it."""
    authors: frozenset[str]
    commits: tuple[str, ...]
    """Oldest first."""


def patches_of(output: str) -> Iterator[Patch]:
    """The commits of `git log -p -U0 --format=LOG_FORMAT` of one file, newest first."""
    head: list[str] = []
    hunks: list[Hunk] = []
    for line in output.split("\n"):
        if line.startswith("\x01"):
            if head:
                yield _patch(head, hunks)
            head, hunks = line[1:].split("\x02", 2), []
        elif head and (found := _HUNK.match(line)):
            old, old_size, new, size = found.groups()
            hunks.append(Hunk(int(old), int(old_size or 1), int(new), int(size or 1)))
    if head:
        yield _patch(head, hunks)


def _patch(head: list[str], hunks: list[Hunk]) -> Patch:
    commit, at, author = (*head, "", "")[:3]
    return Patch(commit, float(at) if at.isdigit() else 0.0, author.casefold(), tuple(hunks))


def regions(patches: Iterable[Patch]) -> tuple[Region, ...]:
    """Every place that was changed, in the order of lines; `patches` are newest first."""
    found: list[Region] = []
    for patch in reversed(list(patches)):
        found = _after(found, patch)
    return tuple(sorted(found, key=lambda region: (region.start, region.end)))


def _after(before: list[Region], patch: Patch) -> list[Region]:
    """The regions once a commit has been made."""
    after = [moved for region in before if (moved := _moved(region, patch.hunks)) is not None]
    for hunk in patch.hunks:
        if not 0 < hunk.size <= MAX_REGION:
            continue
        met = [region for region in before if _overlap(region, hunk)] if hunk.old_size else []
        authors = frozenset({patch.author}).union(*(region.authors for region in met))
        known = [commit for region in met for commit in region.commits]
        commits = tuple(dict.fromkeys([*known, patch.commit]))
        after.append(Region(hunk.start, hunk.start + hunk.size, authors, commits))
    return after


def _overlap(region: Region, hunk: Hunk) -> bool:
    return region.start < hunk.old_start + hunk.old_size and hunk.old_start < region.end


def _moved(region: Region, hunks: Iterable[Hunk]) -> Region | None:
    """The region in the new numbering; None if a hunk took its place."""
    shift = 0
    for hunk in hunks:
        if hunk.old_size and _overlap(region, hunk):
            return None
        # An insertion names the line that it comes after.
        first = hunk.old_start if hunk.old_size else hunk.old_start + 1
        if first <= region.start:
            shift += hunk.size - hunk.old_size
        elif not hunk.old_size and first < region.end:
            return None
    return Region(region.start + shift, region.end + shift, region.authors, region.commits)
