"""`tripwire scan`: agent clients and MCP servers that are set up here, and what guards them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.cli.scan_files import Scanned, scanned
from tripwire.errors import UsageError
from tripwire.workbench.scan import App, Finding, findings

_FLAG = Parameter(negative="")
_LEVELS = {"HIGH": "error", "MED": "warning", "LOW": "note", "INFO": "note"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def scan(
    *projects: Path,
    json: Annotated[bool, _FLAG] = False,
    sarif: Annotated[bool, _FLAG] = False,
) -> int:
    """Find agent clients and MCP servers, and the ways in which a stranger's words could harm.

    Reads the configurations of your home and of each project. Starts no server, opens no
    credential file, and prints no argument of a server. Exit code 1 if something grave is
    unguarded, 2 if a configuration cannot be read.

    Args:
        projects: Project directories; without one, this directory.
        json: Print one JSON object instead of text.
        sarif: Print SARIF 2.1.0 for a code scanning service.

    """
    if json and sarif:
        raise UsageError("--json and --sarif exclude each other", fix="Give one of them.")
    roots = [path.absolute() for path in projects] or [Path.cwd()]
    for root in roots:
        if not root.is_dir():
            raise UsageError("no such directory", where=str(root), fix="Name a project directory.")
    all_of = [scanned(root, Path.home()) for root in roots]
    apps = tuple({(a.app, a.path): a for one in all_of for a in one.apps}.values())
    skipped = tuple({s.path: s for one in all_of for s in one.skipped}.values())
    found = tuple(finding for app in apps for finding in findings(app))
    if json:
        show.data(_data(apps, found, skipped))
    elif sarif:
        show.data(_sarif(found, skipped))
    else:
        _print(apps, found, Scanned(apps, skipped))
    if any(finding.severity == "HIGH" for finding in found):
        return 1
    return 2 if skipped else 0


def _print(apps: Sequence[App], found: Sequence[Finding], all_of: Scanned) -> None:
    if not apps:
        show.line("No agent client is set up here.")
    for app in apps:
        door = f"protected by {app.guarded}" if app.guarded else "not guarded"
        show.line(f"{app.app}  {app.path}  ({door})", style="bold")
        for server in app.servers:
            behind = app.guarded or server.guarded
            show.mark(good=bool(behind), words=f"{server.name}: {behind or 'unguarded'}")
        for finding in (f for f in found if (f.app, f.path) == (app.app, app.path)):
            chain = " → ".join(finding.chain)
            show.line(f"  {finding.severity} {finding.id}: {chain}; {finding.fix}")
    for skipped in all_of.skipped:
        show.warning(f"INFO {skipped.path}: {skipped.why}")


def _data(apps: Sequence[App], found: Sequence[Finding], skipped: Sequence[Any]) -> dict[str, Any]:
    return {
        "apps": [
            {
                "app": app.app,
                "path": app.path,
                "servers": [
                    {"name": s.name, "remote": s.remote, "protected": app.guarded or s.guarded}
                    for s in app.servers
                ],
                "protected": app.guarded,
            }
            for app in apps
        ],
        "findings": [
            {
                "id": f.id,
                "severity": f.severity,
                "app": f.app,
                "path": f.path,
                "line": f.line,
                "chain": list(f.chain),
                "fix": f.fix,
            }
            for f in found
        ],
        "skipped": [{"path": s.path, "why": s.why} for s in skipped],
    }


def _sarif(found: Sequence[Finding], skipped: Sequence[Any]) -> dict[str, Any]:
    rows = [
        (f.id, _LEVELS[f.severity], f"{' → '.join(f.chain)}: {f.fix}", f.path, f.line or 1)
        for f in found
    ]
    rows += [("scan/unparsable", "note", s.why, s.path, 1) for s in skipped]
    rules = [{"id": name} for name in sorted({row[0] for row in rows})]
    results = [
        {
            "ruleId": rule,
            "level": level,
            "message": {"text": text},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": Path(path).as_uri()},
                        "region": {"startLine": line},
                    }
                }
            ],
        }
        for rule, level, text, path, line in rows
    ]
    tool = {"driver": {"name": "tripwire", "rules": rules}}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [{"tool": tool, "results": results}]}
