"""Starts the file server for one connection: its project, its policy, its session, its streams.

It joins the session that `TRIPWIRE_SESSION` names, else the live hook session of the client that
started it or of the same project (README of the specs, rule 5), else it opens one of its own.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Mapping
from pathlib import Path

from tripwire.config.load import load_policy
from tripwire.doors.mcp_server.file_server import DOOR, FileServer
from tripwire.errors import UsageError
from tripwire.io import live
from tripwire.io.home import gateway_session_name, state_home
from tripwire.io.project import find_root
from tripwire.io.remotes import remotes_of
from tripwire.io.session import Session, open_session
from tripwire.io.tripwires import TripwireFolder
from tripwire.model.event import SessionOpened
from tripwire.model.policy import Policy

VARIABLE = "TRIPWIRE_SESSION"


def file_server(project: str | None, environ: Mapping[str, str]) -> FileServer:
    """A file server for `project`, else for the project around the current directory.

    Raises UsageError, PolicyErrors, StateUnusable or EvidenceUnavailable: without a journal no
    server starts.
    """
    root = find_root(project, str(Path.cwd()))
    policy = load_policy(None, project=root)
    session = _session(policy, root, environ)
    return FileServer(session, root, TripwireFolder(root), secrets.token_hex(4))


def _session(policy: Policy, root: Path, environ: Mapping[str, str]) -> Session:
    home = state_home()
    name = environ.get(VARIABLE, "")
    if name in (".", "..") or "/" in name or "\0" in name:
        raise UsageError(
            f"{VARIABLE} is no session name", fix="Give the name of a directory in sessions/."
        )
    if not name:
        found = live.find(home, live.ancestry(os.getpid()), str(root))
        name = found[0].name if found else gateway_session_name(time.time())
    opened = SessionOpened(
        DOOR, str(root), environ.get("HOME", ""), remotes_of(str(root)), why="file server"
    )
    return open_session(policy, root=home, name=name, client=DOOR, fresh=opened)
