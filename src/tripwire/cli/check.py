"""`tripwire check`: a sound configuration, servers that start, evidence that can be written."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from tripwire.cli import check_path, policy_file, show, soundness
from tripwire.cli.probe import Probed, probe
from tripwire.errors import TripwireError, UsageError
from tripwire.io.home import state_home
from tripwire.io.keys import BESIDE, KeyStore, from_environment
from tripwire.model.policy import Policy

LONGEST_START = 30.0
"""Seconds that a server may take to start and list its tools, whatever its own timeout."""


@dataclass(frozen=True, slots=True)
class Line:
    """One fact that was looked at."""

    check: str
    ok: bool
    detail: str
    fix: str = ""


def check(
    path: str | None = None,
    /,
    *,
    config: Annotated[Path | None, Parameter(name=["--config", "-c"])] = None,
    project: str | None = None,
    accept: Annotated[bool, Parameter(negative="")] = False,
    yes: Annotated[bool, Parameter(name=["--yes", "-y"], negative="")] = False,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Look at the configuration, start each server once, and say what does not fit.

    What a project's configuration loosens counts only once a person has accepted it.

    Exit code 0 if all is well, 1 on a ✘, 2 if the configuration cannot be read.

    Args:
        path: With a path: which tripwires it would fire, and nothing else.
        config: The configuration; without it, `tripwire.yaml` here or above, and the user's.
        project: For a path: its project, if not the nearest one around this directory.
        accept: Show what the project's configuration loosens, and accept it. For people only.
        yes: With --accept: accept without asking.
        json: Print one JSON object instead of text.

    """
    if path is not None:
        return check_path.check_path(path, project, as_json=json)
    if accept:
        return policy_file.accept(config, asked=yes, as_json=json)
    if yes:
        raise UsageError("--yes goes with --accept", where="check")
    return _look(policy_file.read(config), as_json=json)


def _look(policy: Policy, *, as_json: bool) -> int:
    """Look at everything, and report."""
    if policy.upstreams and not as_json and sys.stderr.isatty():
        show.say(f"starting {_count(len(policy.upstreams), 'server')} to see what they offer…")
    probed = _probed(policy)
    tools = tuple(
        soundness.tool_of(upstream, listed)
        for upstream, answer in zip(policy.upstreams, probed, strict=True)
        for listed in answer.tools
    )
    lines = [_config_line(policy), *_server_lines(probed), *_collision_lines(tools)]
    lines += [_state_line(policy), _key_line(policy), _exposure_line()]
    answered = frozenset(answer.name for answer in probed if not answer.error)
    noted = list(policy.notices) + soundness.warnings(policy, tools, answered) + _notes(policy)
    return _report(policy, lines, noted, probed, as_json=as_json)


def _probed(policy: Policy) -> list[Probed]:
    if not policy.upstreams:
        return []
    with ThreadPoolExecutor(max_workers=min(8, len(policy.upstreams))) as pool:
        waiting = [
            pool.submit(probe, upstream, seconds=min(LONGEST_START, upstream.timeout_ms / 1000))
            for upstream in policy.upstreams
        ]
        return [one.result() for one in waiting]


def _config_line(policy: Policy) -> Line:
    if policy.unaccepted:
        return Line("config", ok=False, detail=policy.unaccepted)
    rules, rows = _count(len(policy.call_rules), "rule"), _count(len(policy.flow.rows), "flow row")
    watching = "" if policy.flow.mode == "enforce" else "; MONITOR: flow rules stop nothing"
    where = policy.path or "user-level file"
    return Line("config", ok=True, detail=f"{where}: {rules}, {rows}{watching}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _server_lines(probed: list[Probed]) -> list[Line]:
    return [
        Line(f"upstream {one.name}", ok=False, detail=one.error, fix=one.fix)
        if one.error
        else Line(
            f"upstream {one.name}",
            ok=True,
            detail=f"{one.server}, {_count(len(one.tools), 'tool')}",
        )
        for one in probed
    ]


def _collision_lines(tools: tuple[soundness.Tool, ...]) -> list[Line]:
    return [
        Line("names", ok=False, detail=found, fix="set prefix: true on one of them")
        for found in soundness.collisions(tools)
    ]


def _state_line(policy: Policy) -> Line:
    directory = Path(policy.state_dir) if policy.upstreams else state_home()
    return Line("state", *_writable(directory))


def _writable(directory: Path) -> tuple[bool, str, str]:
    """Whether files can be written there, or in the nearest directory that exists."""
    nearest = directory
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    if not nearest.is_dir():
        return False, f"{nearest} is no directory", "move it away, or change state_dir"
    if not os.access(nearest, os.W_OK | os.X_OK):
        return False, f"{nearest} cannot be written", "make it writable, or change state_dir"
    if nearest == directory and directory.stat().st_mode & 0o077:
        return False, f"others can read {directory}", f"chmod 700 {directory}"
    return True, f"{directory} can be written", ""


def _key_line(policy: Policy) -> Line:
    try:
        store = KeyStore(policy.keys_dir or None)
        found = from_environment() is not None
        stored = store.installation(create=False) is not None
    except TripwireError as error:
        return Line("keys", ok=False, detail=f"{error.where}: {error.what}", fix=error.fix)
    if policy.keys_dir == BESIDE:
        return Line("keys", ok=True, detail="in each session's directory")
    ok, detail, fix = _writable(store.directory)
    if found:
        detail = "the session key comes from the environment"
    elif stored:
        detail = f"{store.directory} is readable"
    return Line("keys", ok, detail, fix.replace("state_dir", "keys_dir"))


def _exposure_line() -> Line:
    return Line("exposure", ok=True, detail="stdio only: nothing listens on the network")


def _notes(policy: Policy) -> list[str]:
    found = []
    if policy.keys_dir == BESIDE:
        found.append("keys_dir: beside: whoever can change a session's log can also read its key")
    if policy.flow.unsafe_allow_unanswered:
        found.append(
            "flow.ask_fallback: unsafe_allow has no effect yet; unanswered questions are refused"
        )
    names = {upstream.name for upstream in policy.upstreams}
    for source, roles in policy.flow.tools.items():
        if names and source not in names and not roles.preset:
            found.append(f'flow.policies: "{source}" is no upstream here')
    return found


def _report(
    policy: Policy, lines: list[Line], noted: list[str], probed: list[Probed], *, as_json: bool
) -> int:
    good = all(line.ok for line in lines)
    if as_json:
        show.data(
            {
                "ok": good,
                "config": policy.path,
                "checks": [_plain(line) for line in lines],
                "warnings": noted,
                "upstreams": [
                    {
                        "name": one.name,
                        "ok": not one.error,
                        "server": one.server,
                        "tools": [tool["name"] for tool in one.tools],
                    }
                    for one in probed
                ],
            }
        )
        return 0 if good else 1
    for line in lines:
        advice = f"; {line.fix}" if line.fix else ""
        show.mark(good=line.ok, words=f"{line.check}: {line.detail}{advice}")
    for words in noted:
        show.warning(words)
    return 0 if good else 1


def _plain(line: Line) -> dict[str, Any]:
    return {"check": line.check, "ok": line.ok, "detail": line.detail, "fix": line.fix}
