"""Every fault of a project's tripwires and their configuration, as values (§4.3)."""

from __future__ import annotations

from collections.abc import Iterable

from tripwire.model.tripwire import Problem
from tripwire.read.lint_codes import CODES, ERROR, LintFinding
from tripwire.read.lint_files import ProjectFiles, of_files
from tripwire.read.lint_groups import of_groups
from tripwire.read.lint_tripwire import agent_critical, of_tripwire
from tripwire.read.render import in_order
from tripwire.read.tripwire_set import TripwireSet


def lint(
    rules: TripwireSet,
    files: ProjectFiles | None = None,
    *,
    now: float,
    strict: bool = False,
    more: Iterable[LintFinding] = (),
    forbid_agent_critical: bool = False,
) -> tuple[LintFinding, ...]:
    """What is wrong, broken files first, then by severity and name of the tripwire (CTX-18).

    Without `files` nothing is said about what the triggers match. `more` are findings of others,
    put in order with the rest.
    """
    findings = [_of_problem(problem) for problem in rules.problems]
    for tripwire in rules.tripwires:
        findings += of_tripwire(tripwire, rules, now)
    findings += of_groups(rules, now)
    if files is not None:
        findings += of_files(rules, files, now)
    findings += more
    if forbid_agent_critical:
        refused = {finding.file: finding for finding in agent_critical(rules)}
        findings = [f for f in findings if f.code != "TW015" or f.file not in refused]
        findings += refused.values()
    kept = (f for f in findings if strict or not _strict_only(f))
    return _ordered(kept, rules)


def failed(findings: Iterable[LintFinding], *, strict: bool = False) -> bool:
    """Whether lint exits with 1: an error, under `strict` a warning as well."""
    return any(strict or finding.level == ERROR for finding in findings)


def _of_problem(problem: Problem) -> LintFinding:
    code = CODES.get(problem.code)
    return LintFinding(
        problem.code,
        code.level if code else ERROR,
        problem.file,
        f"{problem.key}: {problem.message}" if problem.key else problem.message,
        problem.line,
        problem.column or (1 if problem.line else 0),
        problem.fix,
    )


def _strict_only(finding: LintFinding) -> bool:
    return finding.code in CODES and CODES[finding.code].strict


def _ordered(findings: Iterable[LintFinding], rules: TripwireSet) -> tuple[LintFinding, ...]:
    order = {tripwire.file: in_order(tripwire) for tripwire in rules.tripwires}

    def place(finding: LintFinding) -> tuple[int, str, str, int, int, str, str]:
        rank, name = order.get(finding.file, (-1, ""))
        return (
            rank,
            name,
            finding.file,
            finding.line,
            finding.column,
            finding.code,
            finding.message,
        )

    return tuple(sorted(dict.fromkeys(findings), key=place))
