"""`tripwire daemon start|stop|status`; the resident process itself is `cli/serve.py`."""

from __future__ import annotations

import json as jsonlib
import time
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.doors.hooks import unanswered
from tripwire.errors import DaemonUnavailable
from tripwire.io import daemon as resident
from tripwire.io.home import state_home

START_TIMEOUT = 10.0
"""Seconds to wait for a daemon that was started."""


def daemon(
    action: Literal["start", "stop", "status"],
    /,
    *,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Start, stop or look at the resident process that answers the hooks.

    Hooks start it themselves; it ends after eight hours without an event.

    Args:
        action: What to do.
        json: Print one JSON object instead of text.

    """
    root = state_home()
    if action == "stop":
        return _say({"running": False, "stopped": resident.end(root)}, as_json=json)
    if action == "start" and not resident.holder(root):
        start(root)
    return _status(root, as_json=json)


def start(root: Path) -> None:
    """Start the daemon detached and wait until it answers. Raises DaemonUnavailable."""
    resident.private_dir(root / "run")
    unanswered.spawn(str(root))
    until = time.monotonic() + START_TIMEOUT
    while time.monotonic() < until:
        try:
            resident.ask(root, b"status", timeout=1.0)
        except DaemonUnavailable:
            time.sleep(0.05)
        else:
            return
    log = root / "run" / "daemon.log"
    raise DaemonUnavailable("does not start", where="daemon", fix=f"See {log}.")


def _status(root: Path, *, as_json: bool) -> int:
    pid = resident.holder(root)
    if not pid:
        return _say({"running": False}, as_json=as_json)
    try:
        facts = jsonlib.loads(resident.ask(root, b"status", timeout=3.0).out)
    except DaemonUnavailable:
        return _say({"running": True, "pid": pid, "answers": False}, as_json=as_json)
    return _say({"running": True, "answers": True, **facts}, as_json=as_json)


def _say(facts: dict[str, object], *, as_json: bool) -> int:
    good = facts["running"] is True and facts.get("answers") is True
    stopped = "stopped" in facts
    if as_json:
        show.data(facts)
    elif stopped:
        show.line("stopped" if facts["stopped"] else "was not running")
    elif good:
        show.mark(good=True, words=f"running, pid {facts['pid']}, {facts['events']} events")
        for policy in facts.get("policies", []):  # type: ignore[attr-defined]
            if policy["problem"]:
                show.warning(f"{policy['project']}: {policy['problem']}")
    elif facts["running"]:
        show.mark(good=False, words=f"pid {facts['pid']} runs but does not answer; stop it")
    else:
        show.mark(good=False, words="not running; the next hook event starts it")
    return 0 if good or stopped else 1
