"""A project's history as values: commits, what they changed, and how git's output says so.

Reads text that git printed; runs nothing. Paths are relative to the project, as bytes allow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

LOG_FORMAT = "%x01%H%x02%P%x02%ct%x02%aE%x02%s"
"""What `git log -z --numstat` is asked to print of a commit."""
LOG_FORMAT_WITH_BODY = f"{LOG_FORMAT}%n%b"

_ENTRY = re.compile(r"\n?([0-9]+|-)\t([0-9]+|-)\t(.*)", re.DOTALL)
_HEAD = "\x01"


@dataclass(frozen=True, slots=True)
class Change:
    """One file in one commit; lines of a binary file count 0."""

    path: str
    added: int = 0
    deleted: int = 0

    @property
    def lines(self) -> int:
        """How many lines it changed: the larger of added and deleted."""
        return max(self.added, self.deleted)


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit; `at` is when it was committed, in seconds since the epoch."""

    id: str
    parents: tuple[str, ...] = ()
    at: float = 0.0
    author: str = ""
    message: str = ""
    changes: tuple[Change, ...] = ()

    @property
    def subject(self) -> str:
        """The first line of the message."""
        return self.message.partition("\n")[0]


@dataclass(frozen=True, slots=True)
class History:
    """Commits, each before its parents, and the lines that each file has in the newest."""

    commits: tuple[Commit, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict)
    complete: bool = True
    """Whether these are all there ever were; False for a shallow clone or a very long history."""
    edges: frozenset[str] = frozenset()
    """Commits whose parents are cut off: everything in them only looks new."""


def commits_of(output: str) -> Iterator[Commit]:
    """The commits of `git log -z --numstat --format=LOG_FORMAT`; what is cut short is left out."""
    head: tuple[str, ...] | None = None
    entries: list[str] = []
    tokens = output.split("\0")
    if tokens and tokens[-1]:
        tokens.pop()
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.startswith(_HEAD):
            if head is not None:
                yield _commit(head, entries)
            head, entries = tuple(token[1:].split("\x02", 4)), []
        elif (entry := _ENTRY.fullmatch(token)) is not None:
            entries.append(token)
            if not entry[3]:  # renamed: the old and the new path follow
                entries += tokens[at + 1 : at + 3]
                at += 2
        at += 1
    if head is not None:
        yield _commit(head, entries)


def changes_of(tokens: Iterable[str]) -> Iterator[Change]:
    """The entries of `--numstat -z`, of a renamed file the new path."""
    left = iter(tokens)
    for token in left:
        found = _ENTRY.fullmatch(token)
        if found is None:
            continue
        path = found[3]
        if not path:
            next(left, "")
            path = next(left, "")
        if path:
            yield Change(path, _number(found[1]), _number(found[2]))


def _commit(head: tuple[str, ...], entries: list[str]) -> Commit:
    name, parents, at, author, message = (*head, "", "", "", "")[:5]
    return Commit(
        name.strip(),
        tuple(parents.split()),
        float(at) if at.isdigit() else 0.0,
        author.casefold(),
        message,
        tuple(changes_of(entries)),
    )


def _number(text: str) -> int:
    return int(text[:12]) if text.isdigit() else 0
