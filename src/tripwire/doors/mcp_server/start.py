"""Starts the file server for one connection: its project, its policy, its session."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from tripwire.config.load import load_policy
from tripwire.doors.gateway import sessions
from tripwire.doors.gateway.notes import note
from tripwire.doors.mcp_server.file_server import DOOR, FileServer
from tripwire.io.home import state_home
from tripwire.io.project import find_root
from tripwire.io.tripwires import TripwireFolder


def file_server(project: str | None, environ: Mapping[str, str]) -> FileServer:
    """A file server for `project`, else for the project around the current directory.

    It joins the sessions that a gateway would join; one of its own lies in the state home (README
    of the specs, rules 2 and 5). Raises UsageError, PolicyErrors, StateUnusable or
    EvidenceUnavailable: without a journal no server starts.
    """
    root = find_root(project, str(Path.cwd()))
    policy = load_policy(None, project=root)
    if policy.unaccepted:
        note(policy.unaccepted)
    choice = sessions.choose(state_home(), environ, root, os.getpid())
    session = sessions.opened(policy, choice, environ, root, DOOR)
    note(f"session {session.path}: {choice.why}")
    folder = TripwireFolder(root)
    return FileServer(session, root, folder, secrets.token_hex(4), environ.get("HOME", ""))
