"""Cases of area `read` about what is shown: inject, check, explain, list, stats, lint."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.vectors.read_project import differs, moment, project

from tripwire.errors import TripwireError
from tripwire.io import authoring
from tripwire.io.project import file_access, path_forms
from tripwire.io.project_files import every_file, read_file
from tripwire.io.tripwires import load
from tripwire.model.tripwire import ReadPlan
from tripwire.read import listing
from tripwire.read.explain import explain
from tripwire.read.lint import failed, lint
from tripwire.read.lint_codes import LintFinding
from tripwire.read.lint_files import ProjectFiles
from tripwire.read.render import file_result, injection, severity_of
from tripwire.read.tripwire_set import TripwireSet

ABOUT = {
    "yaml": {"TW002"},
    "schema": {"TW003", "TW009"},
    "created_by_missing": {"TW010"},
    "created_by_format": {"TW014"},
    "learned_from_missing": {"TW011"},
    "expires_missing": {"TW012"},
    "tag": {"TW013"},
    "expired": {"TW020"},
    "duplicate_name": {"TW005"},
    "identical_triggers": {"TW021"},
    "critical_overlap": {"TW022"},
    "critical_over_budget": {"TW025"},
    "context_long": {"TW023"},
    "aggregate_long": {"TW024"},
    "missing_dependency": {"TW016"},
    "dependency_cycle": {"TW017"},
    "unknown_key": {"TW007", "TW042"},
    "empty_pattern": {"TW008"},
    "delimiter": {"TW027"},
}


def plan_of(root: Path, rules: TripwireSet, given: Mapping[str, Any]) -> ReadPlan:
    """The plan of a read of the case's path. Raises TripwireError."""
    path = given["path"].replace("{ROOT}", str(root))
    access = file_access(root, rules, path, route="read_file")
    if access is None:
        raise TripwireError("outside the project")
    return rules.plan(access, now=moment(given))


def inject(case: Mapping[str, Any]) -> str:
    """What a read of the path gives."""
    given, expect = case["given"], case["expect"]
    with project(given) as root:
        rules = load(root)
        try:
            path = given["path"].replace("{ROOT}", str(root))
            text = read_file(root, path, offset=None, limit=None, max_bytes=1 << 24).text
            plan = plan_of(root, rules, given)
        except TripwireError as error:
            return "" if expect.get("error") else f"refused: {error}"
        return differs(_wanted(expect), _injected(plan, text, rules))


def _wanted(expect: Mapping[str, Any]) -> dict[str, Any]:
    wanted = dict(expect)
    if "suppressed" in wanted:
        wanted["suppressed"] = [(s["name"], s["severity"]) for s in wanted["suppressed"]]
    if "load_errors" in wanted:
        wanted["load_errors"] = {e["file"] for e in wanted["load_errors"]}
    if "warnings" in wanted:
        missing = {tuple(pair) for pair in wanted["warnings"]["missing"]}
        wanted["warnings"] = (missing, wanted["warnings"]["cycle"])
    return wanted


def _injected(plan: ReadPlan, text: str, rules: TripwireSet) -> dict[str, Any]:
    prepended = replace(rules.config, inject_mode="prepend")
    missing = {(w.name, w.other) for w in plan.warnings if w.code in ("TW016", "TW018")}
    return {
        "matched": [match.tripwire.name for match in plan.matches],
        "injected": injection(plan),
        "injected_blocks": injection(replace(plan, notices=())),
        "text": "".join(file_result(injection(plan), text, prepended)),
        "suppressed": [
            (g.root.tripwire.name, g.root.tripwire.severity.value) for g in plan.suppressed
        ],
        "warnings": (missing, any(w.code == "TW017" for w in plan.warnings)),
        "load_errors": {Path(p.file).name for p in rules.broken},
    }


def check(case: Mapping[str, Any]) -> str:
    """Which tripwires would fire."""
    given = case["given"]
    with project(given) as root:
        found = listing.checked(plan_of(root, load(root), given))
        matches = [
            {
                "name": one.tripwire.name,
                "severity": one.tripwire.severity.value,
                "matched_triggers": list(one.globs),
                "dependencies": list(one.dependencies),
            }
            for one in found
        ]
    return differs(case["expect"], {"matches": matches})


def explained(case: Mapping[str, Any]) -> str:
    """The JSON of explain, under the neutral names of its keys."""
    given = case["given"]
    with project(given) as root:
        found = _neutral(explain(plan_of(root, load(root), given)))
    return _partial(case["expect"], found)


def _neutral(value: Any) -> Any:
    if isinstance(value, dict):
        named = {re.sub(r"[A-Z]", lambda c: f"_{c[0].lower()}", k): v for k, v in value.items()}
        return {key: _neutral(inner) for key, inner in named.items()}
    return [_neutral(each) for each in value] if isinstance(value, list) else value


def _partial(expected: Any, found: Any) -> str:
    """Objects by the keys that are expected, lists in order, the rest equal."""
    if isinstance(expected, dict) and isinstance(found, dict):
        faults = (_partial(value, found.get(key, "—")) for key, value in expected.items())
        return next((fault for fault in faults if fault), "")
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = zip(expected, found, strict=True)
        return next((fault for fault in (_partial(a, b) for a, b in pairs) if fault), "")
    return "" if expected == found else f"{found!r}, expected {expected!r}"


def listed(case: Mapping[str, Any]) -> str:
    """The names of a filtered list."""
    given = case["given"]
    with project(given) as root:
        rules = load(root)
        forms = path_forms(root, given["path"]).forms if "path" in given else None
        found = listing.listed(
            rules,
            now=moment(given),
            forms=forms,
            tag=given.get("tag", ""),
            severity=severity_of(given.get("severity", "")),
        )
    return differs(case["expect"], {"names": [tripwire.name for tripwire in found]})


def stats(case: Mapping[str, Any]) -> str:
    """The counters."""
    with project(case["given"]) as root:
        found = listing.stats(load(root), now=moment(case["given"]))
    return differs(case["expect"], {key: getattr(found, key) for key in case["expect"]})


def linted(case: Mapping[str, Any]) -> str:
    """What lint reports, after pruning if that was asked for."""
    given, expect = case["given"], case["expect"]
    strict, now = bool(given.get("strict")), moment(given)
    with project(given) as root:
        if given.get("prune"):
            authoring.prune(root, load(root), now)
        rules = load(root)
        found = lint(rules, files_of(root, rules), now=now, strict=strict)
        after = {t.file: t for t in rules.tripwires}
    for wanted in expect["findings"]:
        if not any(_is(wanted, finding) for finding in found):
            return f"not reported: {wanted}; reported: {[(f.code, f.where) for f in found]}"
    if expect.get("findings_exact") and (bad := [f for f in found if strict or f.level == "error"]):
        return f"reported too much: {[(f.code, f.where, f.message) for f in bad]}"
    if "exit_code" in expect and int(failed(found, strict=strict)) != expect["exit_code"]:
        return f"exit code is not {expect['exit_code']}"
    return _files_after(expect.get("files_after", {}), after)


def files_of(root: Path, rules: TripwireSet) -> ProjectFiles:
    """The project's files, those behind `exclude_paths` apart."""
    return ProjectFiles(*every_file(root, lambda path: rules.excluded((path,))))


def _is(wanted: Mapping[str, Any], finding: LintFinding) -> bool:
    return (
        finding.code in ABOUT[wanted["about"]]
        and finding.level == wanted["level"]
        and ("file" not in wanted or Path(finding.file).name == wanted["file"])
    )


def _files_after(expected: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    if expected and expected.keys() != found.keys():
        return f"files afterwards: {sorted(found)}"
    for file, keys in expected.items():
        tripwire = found[file]
        for key, value in keys.items():
            if key == "created_by":
                continue
            is_now = getattr(tripwire, key)
            if (list(is_now) if isinstance(is_now, tuple) else is_now) != value:
                return f"{file}: {key} is {is_now!r}"
    return ""


CHECKS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "inject": inject,
    "check": check,
    "explain": explained,
    "list": listed,
    "stats": stats,
    "lint": linted,
}
"""Kind → checker."""
