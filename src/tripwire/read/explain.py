"""What would be shown for a path, and why: the JSON of `explain` and its text form (§4.1, CTX-27).

Reads the plan, never the rendered text.
"""

from __future__ import annotations

from typing import Any

from tripwire.model.tripwire import ReadPlan
from tripwire.read.render import body_of, good_tags, in_order, injection, one_line

PREVIEW = 120
"""Code points of a context in `contextPreview`."""


def explain(plan: ReadPlan) -> dict[str, Any]:
    """The answer as JSON, keys in the order of §4.1. The plan must be of one path."""
    access = plan.accesses[0] if plan.accesses else None
    dependencies = sorted(
        (block for block in plan.emitted if block.originator),
        key=lambda block: in_order(block.tripwire),
    )
    return {
        "filePath": (access.forms[0] if access.forms else access.path) if access else "",
        "realPath": (access.real or None) if access else None,
        "excluded": plan.excluded,
        "config": {
            "inject_mode": plan.config.inject_mode,
            "max_context_length": plan.config.max_context_length,
            "enforcement_mode": plan.config.enforcement_mode.value,
        },
        "directMatches": _matches(plan),
        "resolvedDependencies": [
            {
                "name": block.tripwire.name,
                "severity": block.tripwire.severity.value,
                "resolvedVia": block.originator,
            }
            for block in dependencies
        ],
        "suppressed": _suppressed(plan),
        "warnings": [{"code": w.code, "message": w.message} for w in plan.warnings],
        "problems": [
            {"code": p.code, "file": p.file, "line": p.line or None, "message": p.message}
            for p in plan.problems
        ],
        "renderedInjection": injection(plan),
        "totalContextLength": plan.cost,
    }


def _suppressed(plan: ReadPlan) -> list[dict[str, Any]]:
    return [
        {
            "name": group.root.tripwire.name,
            "severity": group.root.tripwire.severity.value,
            "reason": group.outcome,
            "cost": group.cost,
        }
        for group in plan.suppressed
    ]


def _matches(plan: ReadPlan) -> list[dict[str, Any]]:
    return [
        {
            "name": group.root.tripwire.name,
            "severity": group.root.tripwire.severity.value,
            "matchedGlobs": list(group.root.globs),
            "tags": list(good_tags(group.root.tripwire.tags)),
            "content": group.root.content or None,
            "contextPreview": body_of(group.root.tripwire, plan.config.separator)[:PREVIEW],
        }
        for group in plan.groups
    ]


def as_text(plan: ReadPlan) -> str:
    """The same for people."""
    told = explain(plan)
    lines = [f"{one_line(told['filePath'])}"]
    if told["realPath"] not in (None, told["filePath"]):
        lines.append(f"  really {one_line(told['realPath'])}")
    if told["excluded"]:
        lines.append("  excluded by exclude_paths: nothing can fire here")
    for match in told["directMatches"]:
        tags = f" [{', '.join(match['tags'])}]" if match["tags"] else ""
        lines.append(f"  {match['severity']} {match['name']}{tags}")
        lines.append(f"    matched: {one_line(', '.join(match['matchedGlobs']))}")
        if match["content"]:
            lines.append(f"    content: {match['content'].replace('_', ' ')}")
    lines += [
        f"  {found['severity']} {found['name']}, needed by {found['resolvedVia']}"
        for found in told["resolvedDependencies"]
    ]
    for over in told["suppressed"]:
        reason = over["reason"].replace("_", " ")
        lines.append(f"  not shown: {over['severity']} {over['name']} ({reason}: {over['cost']})")
    lines += [f"  {w['code']} {one_line(w['message'])}" for w in told["warnings"]]
    lines += [f"  {p.code} {one_line(p.where)}: {one_line(p.message)}" for p in plan.problems]
    if not (told["directMatches"] or plan.problems):
        lines.append("  nothing fires here")
    lines.append(f"  {told['totalContextLength']} code points of context")
    return "\n".join(lines)
