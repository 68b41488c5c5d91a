"""Lines that one author after another rewrites: a fold over the hunks of one file's commits."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, islice

LOG_FORMAT = "%x01%H%x02%ct%x02%aE"
"""What `git log -p -U0` is asked to print of a commit; no line of a patch begins like that."""
MAX_REGION = 40
"""Lines of a hunk that still is a change of one place, and no reformatting."""
MAX_PATCHES = 500
"""Commits of one file that are looked at."""
MAX_COMMITS = 20
"""Commits that a place remembers."""
MAX_REGIONS = 5_000
"""Places of one file; with more of them, it is no text that people write."""

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
    """The newest MAX_COMMITS, oldest first."""


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
    for patch in reversed(list(islice(patches, MAX_PATCHES))):
        found = sorted(_after(found, patch), key=lambda region: (region.start, region.end))
        if len(found) > MAX_REGIONS:
            found = []
    return tuple(found)


def _after(before: list[Region], patch: Patch) -> Iterator[Region]:
    """The regions once a commit has been made; those before it are in order, as its hunks are."""
    hunks = patch.hunks
    starts = [_first(hunk) for hunk in hunks]
    shifts = [0, *accumulate(hunk.size - hunk.old_size for hunk in hunks)]
    met: dict[int, list[Region]] = {}
    for region in before:
        # Regions and hunks do not overlap among themselves, so each meets few of the other.
        low, high = bisect_left(starts, region.start), bisect_left(starts, region.end - 0.75)
        low -= low > 0 and starts[low - 1] + hunks[low - 1].old_size > region.start
        if low == high:
            shift = shifts[low]
            yield Region(region.start + shift, region.end + shift, region.authors, region.commits)
        for at in range(low, high):
            met.setdefault(at, []).append(region)
    for at, hunk in enumerate(hunks):
        if 0 < hunk.size <= MAX_REGION:
            yield _rewritten(hunk, patch, met.get(at, []) if hunk.old_size else [])


def _rewritten(hunk: Hunk, patch: Patch, met: list[Region]) -> Region:
    """The region that a hunk makes out of those it met."""
    authors = frozenset({patch.author}).union(*(region.authors for region in met))
    known = [commit for region in met for commit in region.commits]
    commits = tuple(dict.fromkeys([*known, patch.commit]))[-MAX_COMMITS:]
    return Region(hunk.start, hunk.start + hunk.size, authors, commits)


def _first(hunk: Hunk) -> float:
    """The first line that a hunk changes; an insertion is between two lines."""
    return hunk.old_start if hunk.old_size else hunk.old_start + 0.5
