"""Which session a gateway or file server belongs to.

The named one, the live hook session, else a new one.

`TRIPWIRE_SESSION` names it; without, it joins the hook session of the client process that
started it, else of its project; where several fit it starts from the labels of all (README of the
specs, rule 5; G-11).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tripwire.doors.gateway.notes import note
from tripwire.doors.gateway.record import DOOR
from tripwire.errors import EvidenceUnavailable, TripwireError, UsageError
from tripwire.io import live
from tripwire.io.home import gateway_session_name, state_home
from tripwire.io.remotes import remotes_of
from tripwire.io.session import Session, open_session
from tripwire.model.event import SessionOpened
from tripwire.model.label import ALL_LABELS, Label
from tripwire.model.policy import Policy

VARIABLE = "TRIPWIRE_SESSION"


@dataclass(frozen=True, slots=True)
class Choice:
    """Where the session's directory lies, its name, and others whose labels it takes over."""

    root: Path
    name: str
    others: tuple[live.LiveSession, ...] = ()
    why: str = "a session of its own"
    """Why it is this one, for the operator."""


def choose(own: Path, environ: Mapping[str, str], project: Path, pid: int) -> Choice:
    """The session of a server process `pid` that runs in `project`; a new one lies in `own`.

    Raises UsageError if the variable is no directory name.
    """
    home = state_home()
    named = environ.get(VARIABLE, "")
    if named:
        if named in (".", "..") or "/" in named or "\0" in named:
            raise UsageError(
                f"{VARIABLE} is no session name", fix="Give the name of a directory in sessions/."
            )
        root = home if (home / "sessions" / named).is_dir() else own
        return Choice(root, named, why=f"{VARIABLE} names it")
    above = live.ancestry(pid)
    found = live.find(home, above, str(project))
    if found:
        first, *others = found
        return Choice(
            Path(first.path).parent.parent,
            first.name,
            tuple(others),
            _reason(first, above, str(project)),
        )
    return Choice(own, gateway_session_name(time.time()))


def _reason(joined: live.LiveSession, above: tuple[live.Process, ...], project: str) -> str:
    if joined.client not in above:
        return f"the live session of the same project, {project}"
    elsewhere = "" if joined.project == project else f"; its project is {joined.project}"
    return (
        f"the live session of the client that started this, process {joined.client.pid}{elsewhere}"
    )


def opened(
    policy: Policy, choice: Choice, environ: Mapping[str, str], project: Path, door: str = DOOR
) -> Session:
    """The session, with this door noted in it.

    Raises StateUnusable or EvidenceUnavailable: without a journal no gateway starts.
    """
    session = open_session(policy, root=choice.root, name=choice.name, client=door)
    try:
        session.decide(
            SessionOpened(
                client=door,
                cwd=str(project),
                home=environ.get("HOME", ""),
                # Later, an agent may have added its own: only a new session learns them.
                remotes=remotes_of(str(project)) if session.journal.next_seq == 1 else (),
                inherited=_inherited(policy, choice.others),
                why="other live sessions of the same client" if choice.others else "",
            ),
            door=door,
        )
    except EvidenceUnavailable:
        session.close()
        raise
    return session


def _inherited(policy: Policy, others: tuple[live.LiveSession, ...]) -> frozenset[Label]:
    labels: frozenset[Label] = frozenset()
    for other in others:
        root = Path(other.path).parent.parent
        try:
            session = open_session(policy, root=root, name=other.name, client=DOOR)
        except TripwireError as fault:
            note(f"session {other.name[:12]} cannot be read ({fault.what}); the worst is assumed")
            return ALL_LABELS
        labels |= session.engine.memory.labels.as_set()
        session.close()
    return labels
