"""The audit entry `read.fired`: what READ showed at one event, to whom (read.md CTX-37).

Names, paths and globs are the repository's; one that holds a secret is a keyed hash. Nothing of a
tripwire's text is recorded, only its digest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tripwire.ledger.entry import Links, Redactor
from tripwire.memory.shown import settled
from tripwire.model.tripwire import Firing, Shown
from tripwire.model.verdict import Verdict

KIND = "read.fired"


def fired(verdict: Verdict, links: Links, red: Redactor) -> Iterator[tuple[str, dict[str, object]]]:
    """Type and data of one entry per firing of the verdict, as the agent met it."""
    for finding in verdict.findings:
        firing = settled(finding.firing, verdict) if finding.firing else None
        if firing is None:
            continue
        data = _data(firing, red)
        data["session"] = links.session
        data["client"] = red.name(links.door)
        data["decision_id"] = links.decision_id
        yield KIND, data


def firing_of(data: Mapping[str, Any]) -> Firing:
    """The firing of an entry's data. Raises KeyError, TypeError or ValueError."""
    return Firing(
        route=str(data["route"]),
        path=str(data["path"]),
        real_path=str(data["real_path"]),
        tool=str(data["tool"]),
        call=str(data["call"]),
        agent=str(data["agent"]),
        opaque=bool(data["opaque"]),
        content=str(data["content"]),
        tripwires=tuple(_shown_of(each) for each in data["tripwires"]),
        problems=str(data.get("problems", "")),
        files=tuple(str(file) for file in data.get("files", ())),
        denied_by=str(data.get("denied_by", "")),
        observed=bool(data.get("observed", False)),
        probe=bool(data.get("probe", False)),
        project=str(data.get("project", "")),
    )


def _data(firing: Firing, red: Redactor) -> dict[str, object]:
    data: dict[str, object] = {
        "agent": firing.agent,
        "route": firing.route,
        "tool": red.name(firing.tool),
        "call": firing.call,
        "path": red.words(firing.path),
        "real_path": red.words(firing.real_path),
        "opaque": firing.opaque,
        "content": firing.content,
        "tripwires": [
            {
                "name": red.words(shown.name),
                "severity": shown.severity,
                "digest": shown.digest,
                "globs": [red.words(glob) for glob in shown.globs],
                "origin": shown.origin,
                "originator": red.words(shown.originator),
                "outcome": shown.outcome,
            }
            for shown in firing.tripwires
        ],
    }
    if firing.problems:
        data["problems"] = firing.problems
        data["files"] = [red.words(file) for file in firing.files]
    if firing.project:
        data["project"] = firing.project
    if firing.denied_by:
        data["denied_by"] = firing.denied_by
    for key, value in (("observed", firing.observed), ("probe", firing.probe)):
        if value:
            data[key] = True
    return data


def _shown_of(data: Mapping[str, Any]) -> Shown:
    return Shown(
        name=str(data["name"]),
        severity=str(data["severity"]),
        digest=str(data["digest"]),
        globs=tuple(str(glob) for glob in data["globs"]),
        origin=str(data["origin"]),
        originator=str(data["originator"]),
        outcome=str(data["outcome"]),
    )
