"""`tripwire import`: rule files of other clients as tripwires."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.cli.read_project import sound, tripwires_of
from tripwire.errors import UsageError
from tripwire.io.foreign_rules import Outcome, imported, rule_files
from tripwire.io.project_files import walk
from tripwire.read.foreign import Format, format_of
from tripwire.read.importing import Skipped, drafts
from tripwire.read.render import one_line

_FLAG = Parameter(negative="")


def import_(
    *,
    from_: Annotated[tuple[str, ...], Parameter(name="--from", consume_multiple=True)] = (),
    write: Annotated[bool, _FLAG] = False,
    update: Annotated[bool, _FLAG] = False,
    include_root: Annotated[bool, _FLAG] = False,
    project: str | None = None,
    json: Annotated[bool, _FLAG] = False,
) -> int:
    """Turn rule files of other clients into tripwires; shows what it would write.

    Exit code 1 if a file cannot be read, or its name is taken.

    Args:
        from_: Formats (claude-md, agents-md, claude-rules, cursor, copilot), files or directories.
            Default: every rule file of the project.
        write: Write the files. None is ever overwritten.
        update: Also refresh what was imported from the same source before.
        include_root: Also import what its client always loads, for every path.
        project: The project directory; without it, the nearest one around this directory.
        json: Print one JSON object instead of text.

    """
    root, rules = tripwires_of(project)
    sound(rules)
    files = list(walk(root, lambda path: rules.excluded((path,))))
    found = rule_files(root, _chosen(files, from_))
    made, skipped = drafts(found, include_root=include_root)
    outcomes = imported(root, rules, made, update=update, really=write)
    good = all(each.good for each in outcomes) and not any(each.failed for each in skipped)
    if json:
        show.data(_data(outcomes, skipped, good=good, written=write))
    else:
        _print(outcomes, skipped)
    return 0 if good else 1


def _chosen(files: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """The files that `--from` names. Raises UsageError for a word that names none."""
    if not wanted:
        return list(files)
    chosen: list[str] = []
    for word in wanted:
        place = word.removeprefix("./").rstrip("/")
        if word in list(Format):
            chosen += [file for file in files if format_of(file) == word]
            continue
        named = [f for f in files if f == place or f.startswith(f"{place}/")]
        if not any(format_of(file) for file in named):
            formats = ", ".join(Format)
            raise UsageError(
                "no rule file that can be imported",
                where=f"--from {word}",
                fix=f"Name a file or directory of the project that holds one, or {formats}.",
            )
        chosen += named
    return list(dict.fromkeys(chosen))


def _data(
    outcomes: Sequence[Outcome], skipped: Sequence[Skipped], *, good: bool, written: bool
) -> dict[str, Any]:
    return {
        "ok": good,
        "dry_run": not written,
        "files": [
            {
                "source": each.draft.source,
                "name": each.draft.name,
                "file": each.file,
                "state": each.state,
                "triggers": list(each.draft.triggers),
                "losses": [{"line": loss.line or None, "what": loss.what} for loss in losses],
                "why": each.why,
            }
            for each in outcomes
            for losses in (each.draft.losses,)
        ],
        "skipped": [
            {"source": s.source, "line": s.line or None, "why": s.why, "failed": s.failed}
            for s in skipped
        ],
    }


def _print(outcomes: Sequence[Outcome], skipped: Sequence[Skipped]) -> None:
    if not outcomes and not skipped:
        show.line("No rule files found.")
    for each in outcomes:
        why = f" ({each.why})" if each.why else ""
        show.mark(
            good=each.good,
            words=f"{one_line(each.draft.source)} → {one_line(each.file)}: {each.state}{why}",
        )
        if each.state not in ("written", "updated"):
            for row in each.text.splitlines():
                show.line(f"    {row}")
        for loss in each.draft.losses:
            place = f"{each.draft.source}:{loss.line}" if loss.line else each.draft.source
            show.warning(one_line(f"{place}: {loss.what}"))
    for left in skipped:
        place = f"{left.source}:{left.line}" if left.line else left.source
        words = one_line(f"{place}: {left.why}")
        if left.failed:
            show.mark(good=False, words=words)
        else:
            show.line(f"- {words}")
