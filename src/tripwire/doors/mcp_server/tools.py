"""What each tool of the file server does, once its call has passed (read.md §4.1).

A tool gives text blocks and the same as data; it refuses with FileRefused, MalformedInput,
AuthoringRefused or NeedsPerson, in words that name the path or the name as given.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tripwire.doors.mcp_server.arguments import (
    Arguments,
    CreateTripwire,
    EditTripwire,
    ListTripwires,
    NamedTripwire,
    OnePath,
    ReadFile,
    SearchFiles,
)
from tripwire.errors import FileRefused, PolicyError
from tripwire.io import authoring, project_files
from tripwire.io.project import file_access
from tripwire.model.tripwire import ContentCondition, FileAccess, ReadPlan, Severity
from tripwire.read.explain import explain
from tripwire.read.listing import as_data, checked, line_of, listed
from tripwire.read.render import file_result, one_line
from tripwire.read.tripwire_set import TripwireSet
from tripwire.text.path_glob import compile_pattern


@dataclass(frozen=True, slots=True)
class Work:
    """What a tool may use: the project, its tripwires now, and what was decided about the call."""

    root: Path
    rules: TripwireSet
    now: float
    told: str = ""
    """The injection that belongs to this call."""
    approved: str = ""
    """The diff that a person said yes to."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a tool gives back."""

    blocks: tuple[str, ...]
    data: Mapping[str, object] | None = None


def run(tool: str, args: Arguments, work: Work) -> Made:
    """Do it. Raises TripwireError or OSError."""
    return _TOOLS[tool](args, work)


def _read_file(args: ReadFile, work: Work) -> Made:
    config = work.rules.config
    found = project_files.read_file(
        work.root,
        args.path,
        offset=args.offset,
        limit=args.limit,
        max_bytes=config.max_file_bytes,
    )
    return Made(tuple(file_result(work.told, found.text, config, first_line=found.first_line)))


def _create(args: CreateTripwire, work: Work) -> Made:
    request = authoring.CreateRequest(
        name=args.name,
        triggers=tuple(args.triggers),
        context=args.context,
        severity=Severity(args.severity) if args.severity else None,
        learned_from=args.learned_from,
        tags=tuple(args.tags or ()),
        depends_on=tuple(args.depends_on or ()),
        expires=args.expires,
        match_content=_condition(args),
        force=args.force,
    )
    made = authoring.create(work.root, work.rules, request, now=work.now, approved=work.approved)
    tripwire = made.tripwire
    lines = [
        f'Tripwire "{tripwire.name}" created at {tripwire.file}',
        f"Triggers: {one_line(', '.join(tripwire.triggers))}",
        f"Severity: {tripwire.severity.value}",
    ]
    if tripwire.expires:
        lines.append(f"Expires: {tripwire.expires}")
    return Made(("\n".join(lines),), as_data(tripwire))


def _edit(args: EditTripwire, work: Work) -> Made:
    changes = args.model_dump(exclude={"name"}, exclude_none=True)
    made = authoring.edit(
        work.root, work.rules, args.name, changes, now=work.now, approved=work.approved
    )
    return Made((f'Tripwire "{made.name}" changed.',), as_data(made))


def _deactivate(args: NamedTripwire, work: Work) -> Made:
    made = authoring.deactivate(work.root, work.rules, args.name, approved=work.approved)
    return Made((f'Tripwire "{made.name}" deactivated.',), as_data(made))


def _reactivate(args: NamedTripwire, work: Work) -> Made:
    made = authoring.reactivate(work.root, work.rules, args.name, approved=work.approved)
    return Made((f'Tripwire "{made.name}" active again.',), as_data(made))


def _list(args: ListTripwires, work: Work) -> Made:
    chosen = listed(
        work.rules,
        now=work.now,
        forms=None if args.path is None else _access(args.path, work).forms,
        tag=args.tag or "",
        severity=Severity(args.severity) if args.severity else None,
    )
    data = {"tripwires": [as_data(t) for t in chosen]}
    if not chosen:
        return Made(("No tripwires found.",), data)
    lines = [f"{len(chosen)} tripwire(s):", *map(line_of, chosen)]
    return Made(("\n".join(lines),), data)


def _check(args: OnePath, work: Work) -> Made:
    rows: list[dict[str, object]] = []
    lines = []
    for each in checked(_plan(args.path, work)):
        tripwire, needs = each.tripwire, list(each.dependencies)
        tail = f" (+ deps: {', '.join(needs)})" if needs else ""
        globs = one_line(", ".join(each.globs))
        lines.append(f"- [{tripwire.severity.value}] {tripwire.name}: matched {globs}{tail}")
        rows.append({**as_data(tripwire), "matched": list(each.globs), "deps": needs})
    data = {"path": args.path, "matches": rows}
    if not rows:
        return Made((f"No tripwires match: {args.path}",), data)
    head = f"{len(rows)} tripwire(s) would fire for {args.path}:"
    return Made(("\n".join([head, *lines]),), data)


def _explain(args: OnePath, work: Work) -> Made:
    told = explain(_plan(args.path, work))
    return Made((json.dumps(told, indent=2, ensure_ascii=False),), told)


def _list_directory(args: OnePath, work: Work) -> Made:
    names = project_files.list_directory(work.root, args.path)
    return Made(("\n".join(names),), {"entries": names})


def _file_stat(args: OnePath, work: Work) -> Made:
    found = project_files.file_stat(work.root, args.path)
    return Made((json.dumps(found, indent=2, ensure_ascii=False),), found)


def _search(args: SearchFiles, work: Work) -> Made:
    if not args.pattern:
        raise FileRefused('argument "pattern" is empty')
    try:
        pattern = compile_pattern(args.pattern, match_case=work.rules.config.match_case)
    except PolicyError as problem:
        raise FileRefused(f'argument "pattern": {problem.what}') from None
    every = project_files.walk(work.root, lambda path: work.rules.excluded((path,)))
    found = sorted(path for path in every if pattern.matches(path))
    shown = found[: project_files.MAX_FOUND]
    data = {"files": shown, "total": len(found)}
    if not found:
        return Made((f"No files match: {args.pattern}",), data)
    more = [f"… and {len(found) - len(shown):,} more"] if len(found) > len(shown) else []
    return Made(("\n".join([*shown, *more]),), data)


def _plan(path: str, work: Work) -> ReadPlan:
    """The plan for a path as `read_file` would meet it. Raises FileRefused."""
    return work.rules.plan(_access(path, work), now=work.now)


def _access(path: str, work: Work) -> FileAccess:
    """The facts of a path. Raises FileRefused."""
    if not path:
        raise FileRefused("Path is empty")
    try:
        access = file_access(work.root, work.rules, path, route="read_file")
    except (OSError, ValueError) as problem:
        raise project_files.refused(path, problem) from None
    if access is None:
        raise FileRefused(f"Path is outside the project: {path}")
    return access


def _condition(args: CreateTripwire) -> ContentCondition | None:
    given = args.match_content
    if given is None:
        return None
    return ContentCondition(
        regex=tuple(given.regex or ()),
        keywords=tuple(given.keywords or ()),
        semantic=given.semantic or "",
        mode=given.mode or "any",
    )


_TOOLS: Mapping[str, Callable[[Any, Work], Made]] = {
    "read_file": _read_file,
    "create_tripwire": _create,
    "edit_tripwire": _edit,
    "deactivate_tripwire": _deactivate,
    "reactivate_tripwire": _reactivate,
    "list_tripwires": _list,
    "check_tripwires": _check,
    "explain": _explain,
    "list_directory": _list_directory,
    "file_stat": _file_stat,
    "search_files": _search,
}
