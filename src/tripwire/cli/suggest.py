"""`tripwire suggest`: drafts of tripwires out of the git history and review comments."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.cli.read_project import sound, tripwires_of
from tripwire.config.tripwire_schema import EXTENSION
from tripwire.config.tripwire_text import new_text
from tripwire.io.git import repository
from tripwire.io.project import encodable
from tripwire.io.project_files import walk
from tripwire.io.review_comments import comments_of
from tripwire.io.tripwire_files import locked
from tripwire.read.places import inside_config
from tripwire.read.suggest import WINDOW, Suggestion, contested, suggestions
from tripwire.read.tripwire_set import TripwireSet

_FLAG = Parameter(negative="")


def suggest(
    what: Literal["tripwires"] = "tripwires",
    /,
    *,
    comments: Path | None = None,
    write: Annotated[bool, _FLAG] = False,
    project: str | None = None,
    json: Annotated[bool, _FLAG] = False,
) -> int:
    """Draft tripwires where the history shows trouble; nothing is fetched.

    Looks for reverts, for files fixed three times in 90 days, for lines that three authors rewrote
    in 90 days, and for files with three exported review comments. Each draft names its evidence.

    Args:
        what: What to suggest.
        comments: Review comments that were exported as JSON or JSON lines.
        write: Put the drafts into `drafts/` beside the tripwires, where none is ever loaded.
        project: The project directory; without it, the nearest one around this directory.
        json: Print one JSON object instead of text.

    """
    del what  # there is one kind so far
    root, rules = tripwires_of(project)
    found = _found(root, sound(rules), comments)
    place = f"{rules.config.tripwires_dir}/drafts"
    written = _written(root, place, found) if write else []
    if json:
        show.data({"drafts": [_data(each, place) for each in found], "written": written})
        return 0
    _print(found, place)
    for file in written:
        show.mark(good=True, words=f"wrote {file}")
    if found and not write:
        show.line("Nothing was written; --write does.")
    return 0


def _print(found: Sequence[Suggestion], place: str) -> None:
    if not found:
        show.line("Nothing to suggest.")
    for each in found:
        show.line(f"{place}/{each.name}{EXTENSION}", style="bold")
        for row in new_text(each.values()).splitlines():
            show.line(f"    {row}")


def _found(root: Path, rules: TripwireSet, comments: Path | None) -> tuple[Suggestion, ...]:
    now = time.time()
    told = comments_of(comments) if comments is not None else ()
    asked = repository(root)
    commits = asked.history(with_lines=False, with_body=True).commits
    config = rules.config
    files = {
        file
        for file in walk(root, lambda path: rules.excluded((path,)))
        if not inside_config(file, config) and file == encodable(file)
    }
    paths = contested(commits, files=files, now=now)
    churn = {path: asked.regions(path, since=now - WINDOW) for path in paths}
    return suggestions(commits, churn, told, files=files, now=now)


def _written(root: Path, place: str, found: Sequence[Suggestion]) -> list[str]:
    """Write the drafts that are not there yet; the files that were written."""
    if not found:
        return []
    written: list[str] = []
    with locked(root, place) as held:
        there = set(held.names())
        for each in found:
            name = f"{each.name}{EXTENSION}"
            if name not in there:
                held.write(name, new_text(each.values()).encode())
                written.append(f"{place}/{name}")
    return written


def _data(each: Suggestion, place: str) -> dict[str, object]:
    return {
        "name": each.name,
        "file": f"{place}/{each.name}{EXTENSION}",
        "kind": each.kind,
        "triggers": each.values()["triggers"],
        "context": each.context,
        "evidence": list(each.evidence),
    }
