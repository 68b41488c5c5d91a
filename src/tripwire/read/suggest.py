"""Drafts of tripwires out of a project's history, for a person to finish (read.md §4.2, `suggest`).

What history says is quoted briefly, as anybody may have written it: on one line, without secrets
and without text that could begin a block. A draft names its evidence and is never loaded.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from tripwire.read.churn import Region
from tripwire.read.history import Commit
from tripwire.read.importing import escaped
from tripwire.read.render import one_line
from tripwire.text.secrets import redact
from tripwire.text.tripwire_name import normalise

CREATOR = "tool:suggest"
TAG = "suggested"
WINDOW = 90 * 86_400.0
"""Seconds before now in which fixes and rewritten lines count."""
LEAST = 3
"""Fixes of one path, authors of one region, comments on one path."""
MAX_QUOTE = 120
"""Code points of one quotation."""
MAX_FILES = 20
"""Files of a revert that still speaks of a place; a larger one undoes a release."""
MAX_EACH = 20
"""Drafts of each kind."""
_MAX_QUOTES = 3
_SHORT = 12

_FIX = re.compile(r"\b(?:fix(?:es|ed)?|bug(?:fix)?s?|hotfix|regression)\b", re.IGNORECASE)
_REVERT = re.compile(r"^Revert \"|^This reverts commit [0-9a-f]{7,64}", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One draft; `evidence` are commit ids, or links of comments."""

    name: str
    kind: str
    """`revert`, `fixes`, `churn` or `review`."""
    paths: tuple[str, ...]
    context: str
    evidence: tuple[str, ...]

    def values(self) -> dict[str, str | list[str]]:
        """The keys of its file."""
        noun = "comments" if self.kind == "review" else "commits"
        return {
            "triggers": [escaped(path) for path in self.paths],
            "context": self.context,
            "created_by": CREATOR,
            "learned_from": f"{noun} {', '.join(self.evidence)}",
            "tags": [TAG],
        }


@dataclass(frozen=True, slots=True)
class Comment:
    """One review comment on a file."""

    path: str
    text: str
    link: str = ""


def suggestions(
    commits: Sequence[Commit],
    churn: Mapping[str, Sequence[Region]],
    comments: Iterable[Comment],
    *,
    files: Collection[str],
    now: float,
) -> tuple[Suggestion, ...]:
    """Every draft, each name once. `files` are the paths that a tripwire could speak of."""
    drafts: list[Suggestion] = []
    drafts += _few(_reverts(commits, files))
    drafts += _few(_fixes(commits, files, now))
    drafts += _few(_churned(churn, files))
    drafts += _few(_reviewed(comments, files))
    return tuple(drafts)


def contested(commits: Iterable[Commit], *, files: Collection[str], now: float) -> tuple[str, ...]:
    """The paths whose lines are worth a look: changed by LEAST authors in the window."""
    authors: dict[str, set[str]] = defaultdict(set)
    for commit in commits:
        if commit.at >= now - WINDOW:
            for change in commit.changes:
                authors[change.path].add(commit.author)
    found = (path for path, who in authors.items() if len(who) >= LEAST and path in files)
    return tuple(sorted(found, key=lambda path: (-len(authors[path]), path))[:MAX_EACH])


def quote(text: str) -> str:
    """A short quotation that forges and reveals nothing."""
    line = " ".join(one_line(redact(text[: 20 * MAX_QUOTE])).split())
    return f"“{line if len(line) <= MAX_QUOTE else line[: MAX_QUOTE - 1] + '…'}”"


def _few(found: Iterable[Suggestion]) -> list[Suggestion]:
    return list(found)[:MAX_EACH]


def _reverts(commits: Iterable[Commit], files: Collection[str]) -> Iterator[Suggestion]:
    for commit in commits:
        if not _REVERT.search(commit.message):
            continue
        paths = tuple(dict.fromkeys(c.path for c in commit.changes if c.path in files))
        if not 0 < len(paths) <= MAX_FILES:
            continue
        name = commit.id[:_SHORT]
        text = f"A change of {_listed(paths)} was reverted on {_day(commit.at)} ({name}): "
        text += f"{quote(commit.subject)}.\nWhy it failed belongs here."
        yield Suggestion(f"revert-{name}", "revert", paths, text, (name,))


def _fixes(commits: Iterable[Commit], files: Collection[str], now: float) -> Iterator[Suggestion]:
    fixes: dict[str, list[Commit]] = defaultdict(list)
    for commit in commits:
        if commit.at >= now - WINDOW and _FIX.search(commit.subject):
            for path in dict.fromkeys(change.path for change in commit.changes):
                fixes[path].append(commit)
    for path in sorted(fixes, key=lambda p: (-len(fixes[p]), p)):
        found = fixes[path]
        if len(found) < LEAST or path not in files:
            continue
        ids = tuple(commit.id[:_SHORT] for commit in found[:MAX_EACH])
        said = "\n".join(f"- {quote(commit.subject)}" for commit in found[:_MAX_QUOTES])
        text = f"{_listed([path])} was fixed {len(found)} times in 90 days:\n{said}\n"
        yield Suggestion(
            _name("fixes", path), "fixes", (path,), f"{text}What they share belongs here.", ids
        )


def _churned(churn: Mapping[str, Sequence[Region]], files: Collection[str]) -> Iterator[Suggestion]:
    for path in sorted(churn):
        worst = max(churn[path], key=lambda region: len(region.authors), default=None)
        if worst is None or len(worst.authors) < LEAST or path not in files:
            continue
        ids = tuple(commit[:_SHORT] for commit in worst.commits[-MAX_EACH:])
        lines = f"Lines {worst.start} to {worst.end - 1} of {_listed([path])}"
        text = f"{lines} were rewritten by {len(worst.authors)} authors in 90 days.\n"
        text += "What they disagree about belongs here."
        yield Suggestion(_name("churn", path), "churn", (path,), text, ids)


def _reviewed(comments: Iterable[Comment], files: Collection[str]) -> Iterator[Suggestion]:
    by_path: dict[str, list[Comment]] = defaultdict(list)
    for comment in comments:
        if comment.path in files:
            by_path[comment.path].append(comment)
    for path in sorted(by_path, key=lambda p: (-len(by_path[p]), p)):
        found = by_path[path]
        if len(found) < LEAST:
            continue
        said = "\n".join(f"- {quote(comment.text)}" for comment in found[:_MAX_QUOTES])
        text = f"Reviewers commented on {_listed([path])} {len(found)} times:\n{said}\n"
        links = tuple(quote(c.link).strip("“”") for c in found[:MAX_EACH] if c.link)
        evidence = links or (f"{len(found)} without a link",)
        yield Suggestion(
            _name("review", path), "review", (path,), f"{text}What they ask belongs here.", evidence
        )


def _listed(paths: Sequence[str]) -> str:
    shown = ", ".join(one_line(path) for path in paths[:_MAX_QUOTES])
    return f"{shown} and {len(paths) - 3} more" if len(paths) > _MAX_QUOTES else shown


def _day(at: float) -> str:
    try:
        return datetime.fromtimestamp(at, UTC).date().isoformat()
    except (OverflowError, ValueError, OSError):
        return "an unknown day"


def _name(kind: str, path: str) -> str:
    """A name for a path, made so that no two paths share it."""
    plain = normalise(re.sub(r"[/.]", "-", f"{kind}-{path}"))[:80].rstrip("-")
    return f"{plain}-{sha256(path.encode('utf-8', 'replace')).hexdigest()[:6]}"
