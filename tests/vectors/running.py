"""Runs files of the vector format: one module per area, each with `check(case) -> why it fails`.

Every case is run. Those named in known_failures.yaml may fail, and must: one that passes is an error.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
KNOWN = HERE / "known_failures.yaml"
AREAS = ("provenance", "flow", "canonical", "read", "say")


@dataclass(slots=True)
class Outcome:
    """What came of one case; `why` is empty if it passed."""

    id: str
    topic: str
    why: str
    known: str = ""

    @property
    def state(self) -> str:
        """passed, failed, known (fails as listed) or fixed (listed, but passes)."""
        if self.known:
            return "known" if self.why else "fixed"
        return "failed" if self.why else "passed"


@dataclass(slots=True)
class Report:
    """Outcomes of one or more files."""

    outcomes: list[Outcome] = field(default_factory=list)
    unknown_ids: list[str] = field(default_factory=list)

    def count(self, *states: str) -> int:
        """How many outcomes are in one of these states."""
        return sum(outcome.state in states for outcome in self.outcomes)

    @property
    def good(self) -> bool:
        """Whether nothing failed that is not listed, and nothing listed passes."""
        return not self.count("failed", "fixed") and not self.unknown_ids

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "passed": self.count("passed"),
            "failed": self.count("failed", "known", "fixed"),
            "topics": self.topics(),
            "failing": {o.id: o.why for o in self.outcomes if o.state == "failed"},
            "known": {o.id: o.known for o in self.outcomes if o.state == "known"},
            "fixed": [o.id for o in self.outcomes if o.state == "fixed"],
            "unknown_ids": self.unknown_ids,
        }

    def topics(self) -> dict[str, dict[str, int]]:
        """Topic → state → number of cases."""
        found: dict[str, dict[str, int]] = {}
        for outcome in self.outcomes:
            row = found.setdefault(outcome.topic, {})
            row[outcome.state] = row.get(outcome.state, 0) + 1
        return found

    def as_text(self) -> str:
        """For people."""
        lines = []
        for topic, row in self.topics().items():
            lines.append(
                f"{topic:<14} " + ", ".join(f"{n} {state}" for state, n in sorted(row.items()))
            )
        for outcome in self.outcomes:
            if outcome.state == "failed":
                lines.append(f"FAILED {outcome.id}: {outcome.why}")
            elif outcome.state == "known":
                lines.append(f"KNOWN FAILURE {outcome.id}: {outcome.known}")
            elif outcome.state == "fixed":
                lines.append(f"LISTED BUT PASSES {outcome.id}: take it out of {KNOWN.name}")
        lines += [f"LISTED BUT NO SUCH CASE {name}" for name in self.unknown_ids]
        failed = self.count("failed", "known", "fixed")
        lines.append(f"{self.count('passed')} passed, {failed} failed")
        return "\n".join(lines)


def run(files: Iterable[Path]) -> Report:
    """Run every case of these files."""
    known = known_failures()
    report = Report()
    for file in files:
        data = json.loads(file.read_text(encoding="utf-8"))
        names = {case["id"] for case in data["cases"]}
        listed = known.get(data["area"], {})
        if len(names) == len(data["cases"]) and _is_ours(file):
            report.unknown_ids += sorted(set(listed) - names)
        check = checker(data["area"])
        for case in data["cases"]:
            why = _guarded(check, case)
            report.outcomes.append(
                Outcome(case["id"], case.get("topic", ""), why, listed.get(case["id"], ""))
            )
    return report


def known_failures() -> dict[str, dict[str, str]]:
    """Area → case id → reason."""
    return yaml.safe_load(KNOWN.read_text(encoding="utf-8")) or {}


def checker(area: str) -> Any:
    """The `check` of the area's module."""
    if area not in AREAS:
        return lambda case: f"no runner for area {area!r}"
    return importlib.import_module(f"tests.vectors.{area}").check


def _guarded(check: Any, case: Mapping[str, Any]) -> str:
    try:
        return check(case)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _is_ours(file: Path) -> bool:
    return file.resolve().parent == HERE
