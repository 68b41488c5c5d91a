"""`tripwire lint`: what is wrong with the project's tripwires and their configuration."""

from __future__ import annotations

import json as codec
import time
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.cli.read_project import tripwires_of
from tripwire.cli.rule_files import foreign
from tripwire.cli.stale import looked_at
from tripwire.errors import UsageError
from tripwire.io.authoring import Pruned
from tripwire.io.authoring import prune as pruned_in
from tripwire.io.git import repository
from tripwire.io.project_files import every_file
from tripwire.io.read_rules import POLICY_FILE
from tripwire.io.tripwires import load
from tripwire.read.lint import failed
from tripwire.read.lint import lint as findings_of
from tripwire.read.lint_codes import LintFinding
from tripwire.read.lint_files import ProjectFiles
from tripwire.read.lint_report import as_json, as_sarif, as_text
from tripwire.read.places import CONFIG_FILE
from tripwire.read.stale import findings as stale_findings
from tripwire.read.tripwire_set import TripwireSet

_FLAG = Parameter(negative="")
_CONFIGS = frozenset({CONFIG_FILE, POLICY_FILE})


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Options:
    """What is looked at, and what is mended first; each docstring is its help text."""

    strict: Annotated[bool, _FLAG] = False
    """Look at more, and fail on a warning as well."""
    stale: Annotated[bool, _FLAG] = False
    """Also report tripwires that the files have moved away from (see `tripwire stale`)."""
    prune: Annotated[bool, _FLAG] = False
    """First switch off what has expired; what that mends does not count."""
    delete: Annotated[bool, _FLAG] = False
    """With --prune: delete the files instead."""
    changed_since: str | None = None
    """Report only files that differ from this git revision; all, if the configuration does."""
    forbid: Literal["agent-critical"] | None = None
    """agent-critical: a critical tripwire that an agent wrote is an error."""


_NOTHING = Options()


def lint(
    *,
    options: Options = _NOTHING,
    project: str | None = None,
    json: Annotated[bool, _FLAG] = False,
    sarif: Path | None = None,
) -> int:
    """Check every tripwire and the configuration; exit code 1 on an error.

    Args:
        options: See below.
        project: The project directory; without it, the nearest one around this directory.
        json: Print one JSON object instead of text.
        sarif: Also write the findings to this file, as SARIF 2.1.0.

    """
    if options.delete and not options.prune:
        raise UsageError("--delete is about --prune", fix="Add --prune.")
    root, rules = tripwires_of(project)
    done = _pruned(root, rules, delete=options.delete) if options.prune else Pruned()
    rules = load(root) if done.tripwires else rules
    found = _findings(root, rules, options)
    if options.changed_since is not None:
        found = _changed(root, found, options.changed_since)
    bad = failed(found, strict=options.strict)
    if sarif is not None:
        log = as_sarif(found, version=version("tripwire"))
        sarif.write_text(codec.dumps(log, indent=2) + "\n", encoding="utf-8")
    if json:
        files = [tripwire.file for tripwire in done.tripwires]
        show.data(as_json(found, failed=bad) | ({"pruned": files} if options.prune else {}))
        return 1 if bad else 0
    for tripwire in done.tripwires:
        show.line(f"  {'DELETED' if options.delete else 'SWITCHED OFF'} {tripwire.file}")
    show.text(as_text(found) + "\n")
    return 1 if bad else 0


def _findings(root: Path, rules: TripwireSet, options: Options) -> tuple[LintFinding, ...]:
    files = ProjectFiles(*every_file(root, lambda path: rules.excluded((path,))))
    now = time.time()
    more = list(foreign(root, rules, files.visible, now))
    if options.stale:
        more += stale_findings(looked_at(root, rules)[0])
    return findings_of(
        rules,
        files,
        now=now,
        strict=options.strict,
        more=more,
        forbid_agent_critical=options.forbid is not None,
    )


def _pruned(root: Path, rules: TripwireSet, *, delete: bool) -> Pruned:
    done = pruned_in(root, rules, time.time(), delete=delete)
    for file, why in done.refused:
        show.say(f"{file} was not pruned: {why}")
    return done


def _changed(root: Path, found: Iterable[LintFinding], revision: str) -> tuple[LintFinding, ...]:
    """The findings in files that differ from a revision; all, if the configuration does."""
    found = tuple(found)
    changed = repository(root).changed({*(f.file for f in found), *_CONFIGS}, revision)
    if changed & _CONFIGS:
        return found
    return tuple(finding for finding in found if finding.file in changed)
