"""Writes down that a person accepted a project's configuration, and says who may (ADR 0013).

Whether something was accepted is looked up in `config/trust.py`. A program that runs below an
agent client accepts nothing: neither terminal nor flag makes it a person.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

from tripwire.config import trust
from tripwire.errors import StateUnusable, UsageError
from tripwire.io import live
from tripwire.io.files import make_private_dir, unusable, write_atomic
from tripwire.io.home import state_home

MARKS = (
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "AI_AGENT",
)
"""Variables that agent clients set for what they run."""


def agent_shell(environ: Mapping[str, str], pid: int) -> str:
    """What says that process `pid` was started by an agent's client; "" if nothing does."""
    for name in MARKS:
        if environ.get(name):
            return f"{name} is set"
    above = live.ancestry(pid)
    if any(session.client in above for session in live.sessions(state_home())):
        return "it runs below a client with a live session"
    return ""


def refuse_agents() -> None:
    """Raises UsageError in an agent's shell."""
    if found := agent_shell(os.environ, os.getpid()):
        raise UsageError(
            f"this is an agent's shell ({found}), and only a person can accept a policy",
            where=trust.COMMAND,
            fix="Run it in a terminal of your own.",
        )


def accept(offer: trust.Offer) -> Path:
    """Record the acceptance (0600). Raises UsageError in an agent's shell, or StateUnusable."""
    refuse_agents()
    folder = trust.folder(os.environ)
    if trust.brought_along(folder, Path(offer.files[0]).parent):
        raise StateUnusable(
            "lies in the project, so nothing in it can accept the project's policy",
            where=str(folder),
            fix="Set TRIPWIRE_HOME to a place outside, or unset it.",
        )
    make_private_dir(folder)
    record = {
        "files": offer.files,
        "digest": offer.digest,
        "keys": sorted({one.key for one in offer.looser}),
        "at": time.time(),
    }
    target = folder / offer.digest
    try:
        write_atomic(target, json.dumps(record).encode() + b"\n", durable=True)
    except OSError as error:
        raise unusable(target, error) from None
    if not trust.is_accepted(os.environ, offer):
        raise StateUnusable("the acceptance does not hold", where=str(target), fix="Move it away.")
    return target


def accept_written(file: Path) -> bool:
    """Accept a configuration that a person's own verb has just written; it names no policy file.

    False in an agent's shell, and where the state lies in the project: what is written there waits
    for `tripwire check --accept`. Raises StateUnusable.
    """
    brought = trust.brought_along(trust.folder(os.environ), file.absolute().parent)
    if brought or agent_shell(os.environ, os.getpid()):
        return False
    name = str(file.absolute())
    try:
        digest = trust.digest_of({name: file.read_bytes()})
    except OSError as error:
        raise unusable(file, error) from None
    accept(trust.Offer((name,), digest, ()))
    return True
