"""Lint findings as text, JSON and SARIF 2.1.0 (§4.2, §4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tripwire.read.lint_codes import CODES, ERROR, WARNING, LintFinding
from tripwire.read.render import one_line

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_text(findings: Sequence[LintFinding]) -> str:
    """One line a finding; `All tripwires valid.` if there is none."""
    if not findings:
        return "All tripwires valid."
    return "\n".join(_line(finding) for finding in findings)


def as_json(findings: Sequence[LintFinding], *, failed: bool) -> dict[str, Any]:
    """`{ok, findings, counts}`."""
    return {
        "ok": not failed,
        "findings": [
            {
                "code": finding.code,
                "level": finding.level,
                "file": finding.file,
                "line": finding.line or None,
                "column": finding.column or None,
                "message": finding.message,
                "fix": finding.fix,
            }
            for finding in findings
        ],
        "counts": {
            level: sum(finding.level == level for finding in findings) for level in (ERROR, WARNING)
        },
    }


def as_sarif(findings: Sequence[LintFinding], *, version: str) -> dict[str, Any]:
    """A SARIF log with one rule per code."""
    rules = [
        {
            "id": code.id,
            "shortDescription": {"text": code.title},
            "defaultConfiguration": {"level": code.level},
        }
        for code in CODES.values()
    ]
    places = {code: number for number, code in enumerate(CODES)}
    driver = {"name": "tripwire", "version": version, "rules": rules}
    results = [_result(finding, places) for finding in findings]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: LintFinding, places: dict[str, int]) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.file)}}
    if finding.line:
        physical["region"] = {"startLine": finding.line, "startColumn": max(finding.column, 1)}
    fix = f" Fix: {finding.fix}." if finding.fix else ""
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "level": finding.level,
        "message": {"text": f"{finding.message}.{fix}"},
        "locations": [{"physicalLocation": physical}],
    }
    if finding.code in places:
        result["ruleIndex"] = places[finding.code]
    return result


def _line(finding: LintFinding) -> str:
    level = "ERROR" if finding.level == ERROR else "WARN"
    fix = f" ({finding.fix})" if finding.fix else ""
    return f"  {level} {one_line(f'{finding.where}: {finding.code} {finding.message}{fix}')}"


def _uri(path: str) -> str:
    """A relative URI reference: every byte but unreserved ones and `/` as %XX."""
    plain = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
    raw = path.encode("utf-8", "surrogateescape")
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in raw)
