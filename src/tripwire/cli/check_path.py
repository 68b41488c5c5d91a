"""`tripwire check PATH` and `tripwire explain PATH`: what a path would fire, and what is shown."""

from __future__ import annotations

from tripwire.cli import show
from tripwire.cli.read_project import plan_of, sound, tripwires_of
from tripwire.model.tripwire import Severity
from tripwire.read import explain as plain
from tripwire.read.listing import checked
from tripwire.read.render import good_tags, one_line, trimmed

_ICONS = {
    Severity.CRITICAL: "[!!]",
    Severity.HIGH: "[! ]",
    Severity.WARNING: "[* ]",
    Severity.INFO: "[i ]",
}


def check_path(path: str, project: str | None, *, as_json: bool) -> int:
    """Print which tripwires a path fires. Raises UsageError or PolicyErrors."""
    root, rules = tripwires_of(project)
    found = checked(plan_of(root, sound(rules), path))
    if as_json:
        rows = [
            {
                "name": c.tripwire.name,
                "severity": c.tripwire.severity.value,
                "tags": list(good_tags(c.tripwire.tags)),
                "matched": list(c.globs),
                "dependencies": list(c.dependencies),
            }
            for c in found
        ]
        show.data({"path": path, "matches": rows})
        return 0
    if not found:
        show.line(f"No tripwires match: {one_line(path)}")
    for each in found:
        tripwire = each.tripwire
        tags = f" [{', '.join(good_tags(tripwire.tags))}]" if good_tags(tripwire.tags) else ""
        icon = _ICONS[tripwire.severity]
        show.line(f"  {icon} {tripwire.name} ({tripwire.severity.value}){tags}")
        show.line(f"Triggers: {one_line(', '.join(tripwire.triggers))}")
        for row in trimmed(tripwire.context).splitlines():
            show.line(f"    {row}")
        if each.dependencies:
            show.line(f"Dependencies: {', '.join(each.dependencies)}")
    return 0


def explain_path(path: str, project: str | None, *, as_json: bool) -> int:
    """Print what would be shown for a path, and why. Raises UsageError or PolicyErrors."""
    root, rules = tripwires_of(project)
    plan = plan_of(root, sound(rules), path)
    if as_json:
        show.data(plain.explain(plan))
    else:
        show.text(plain.as_text(plan) + "\n")
    return 0
