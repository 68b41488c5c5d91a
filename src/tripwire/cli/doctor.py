"""`tripwire doctor`: does what the team knows really reach each agent? Proved by running it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.cli.doctor_clients import Version, versions
from tripwire.cli.doctor_hooks import hook_checks, settings_of
from tripwire.cli.doctor_server import Servers, server_checks, server_entries
from tripwire.cli.read_project import tripwires_of
from tripwire.doors.hooks import settings
from tripwire.doors.hooks.canary import EVENTS, canary
from tripwire.errors import SettingsUnreadable
from tripwire.read.doctor import (
    FAIL,
    LEFT_OPEN,
    OFF,
    PARTIAL,
    PASS,
    SKIP,
    Check,
    Diagnosis,
    as_json,
    diagnosis,
)
from tripwire.read.render import one_line
from tripwire.read.tripwire_set import TripwireSet

_FLAG = Parameter(negative="")
_FOLDERS = {"claude-code": ".claude", "codex": ".codex", "gemini": ".gemini", "cursor": ".cursor"}
"""Client → the directory that shows that a project is worked on with it."""


def doctor(
    *,
    strict: Annotated[bool, _FLAG] = False,
    unsafe_run_others: Annotated[bool, _FLAG] = False,
    project: str | None = None,
    json: Annotated[bool, _FLAG] = False,
) -> int:
    """Prove that tripwires reach the agents of this project, and say what does not.

    Runs every installed hook and starts every configured file server in a throw-away project
    whose tripwire holds a random token: only what brings the token back passes. Exit code 1 if
    nothing reaches an agent, or the rules do not load.

    Args:
        strict: Exit code 1 also if only some clients pass.
        unsafe_run_others: Also run commands of the project's settings that are not this Tripwire.
            Without it they fail unproved, as a repository can name any program there.
        project: The project directory; without it, the nearest one around this directory.
        json: Print one JSON object instead of text.

    """
    root, rules = tripwires_of(project)
    found = diagnosis(
        list(_checks(root, rules, others=unsafe_run_others)), rules.config.enforcement_mode
    )
    clients = dict.fromkeys(check.client for check in found.checks if check.client)
    seen = tuple(versions(clients, root))
    if json:
        told = [{"client": v.client, "version": v.version, "tried": v.tried} for v in seen]
        show.data({**as_json(found), "versions": told})
    else:
        _print(found, seen)
    return 1 if found.verdict == OFF or (strict and found.verdict == PARTIAL) else 0


def _checks(root: Path, rules: TripwireSet, *, others: bool) -> Iterator[Check]:
    yield _rules(rules)
    yield from _semantic(rules)
    home = Path.home()
    clients = [client for client in EVENTS if _detected(client, root, home)]
    if not clients:
        what = "no agent client is set up for this project"
        yield Check("clients", "", SKIP, what, "tripwire init --read --hooks claude-code")
        return
    with canary() as bird:
        servers = Servers(root, home, bird, others)
        for client in clients:
            yield from hook_checks(client, root, home, bird, others=others)
            yield from server_checks(client, servers, rules.config.enforcement_mode)


def _rules(rules: TripwireSet) -> Check:
    if rules.broken:
        first = rules.broken[0]
        what = f"{len(rules.broken)} problem(s), the first in {first.where}: {first.message}"
        return Check("rules", "", FAIL, what, "tripwire lint")
    if not rules.tripwires:
        return Check("rules", "", SKIP, "there are no tripwires yet", "tripwire init --read")
    return Check("rules", "", PASS, f"{len(rules.tripwires)} tripwire(s) load")


def _semantic(rules: TripwireSet) -> Iterator[Check]:
    """Conditions that nobody can decide here (TW034): they are left out."""
    asking = [t.name for t in rules.tripwires if t.match_content and t.match_content.semantic]
    if asking and rules.similar is None:
        what = f"no model compares sentences, so match_content.semantic is left out: {asking[0]}"
        more = f" and {len(asking) - 1} more" if len(asking) > 1 else ""
        yield Check("semantic", "", SKIP, what + more, "Use regex or keywords.")


def _detected(client: str, root: Path, home: Path) -> bool:
    """Whether the project is worked on with a client, or something of ours is installed in it."""
    folder = _FOLDERS.get(client)
    shared = root / ".mcp.json" if client != "claude-code" else None  # others read it as well
    served = any(each.file != shared for each in server_entries(client, root, home))
    if served or (folder and (root / folder).is_dir()):
        return True
    try:
        return any(settings.holds_ours(file.text) for file in settings_of(client, root, home))
    except SettingsUnreadable:
        return True


def _print(found: Diagnosis, seen: tuple[Version, ...]) -> None:
    for check in found.checks:
        advice = f"; {check.fix}" if check.fix and check.status != PASS else ""
        words = one_line(f"{check.client or 'project'}: {check.id}: {check.detail}{advice}")
        if check.status == SKIP:
            show.line(f"- {words}")
        else:
            show.mark(good=check.status == PASS, words=words)
    for client in dict.fromkeys(client for client, _ in found.uncovered):
        routes = "; ".join(route for other, route in found.uncovered if other == client)
        show.line(f"  {client} does not show us: {routes}")
    for each in seen:
        show.line(one_line(f"  {each.client}: {each.words}"))
        if each.client in LEFT_OPEN:
            show.line(f"  {each.client}, if the hook cannot start: {LEFT_OPEN[each.client]}")
    show.line(f"mode: {found.mode.value}")
    show.line(f"ENFORCEMENT: {found.verdict}", style="bold")
