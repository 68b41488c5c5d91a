"""Starts and ends a gateway process: its streams, its signals, its session."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tripwire.doors.gateway import sessions
from tripwire.doors.gateway.gateway import Gateway
from tripwire.doors.gateway.lines import standard_streams
from tripwire.doors.gateway.notes import note
from tripwire.engine import warm
from tripwire.errors import TripwireError
from tripwire.io import live
from tripwire.io.home import state_home
from tripwire.io.keys import KeyStore
from tripwire.io.pins import Pins
from tripwire.io.session import Session
from tripwire.model.policy import Policy

WARM_AFTER: Final = 0.05
"""Seconds until the upstreams have been started: while they get ready, so does the gateway."""
YOUNG_OBJECTS: Final = 20_000
"""New objects between two looks for garbage; an event makes hundreds, nearly none in cycles."""


def serve(policy: Policy, environ: Mapping[str, str], *, version: str) -> None:
    """Serve on standard input and output until the client closes its end.

    Raises StateUnusable or EvidenceUnavailable before the first message if there is no journal.
    """
    project = Path.cwd()
    choice = sessions.choose(Path(policy.state_dir), environ, project, os.getpid())
    session = sessions.opened(policy, choice, environ, project)
    note(f"session {session.path}: {choice.why}")
    session.holds = True
    store = KeyStore(policy.keys_dir or None)
    strict = policy.pins.on_new_tool == "quarantine"
    pins = Pins(Path(policy.state_dir), store, strict=strict)
    mark = None
    with contextlib.suppress(OSError, TripwireError):  # only tells hooks that a gateway runs
        mark = live.announce_gateway(state_home())
    gc.set_threshold(YOUNG_OBJECTS, 20, 20)
    try:
        asyncio.run(_serve(policy, session, pins, environ, version))
    finally:
        if mark is not None:
            mark.unlink(missing_ok=True)


async def _serve(
    policy: Policy, session: Session, pins: Pins, environ: Mapping[str, str], version: str
) -> None:
    streams = await standard_streams()
    gateway = Gateway(policy, session, streams, environ=environ, version=version, pins=pins)
    serving = asyncio.ensure_future(gateway.serve())
    loop = asyncio.get_running_loop()
    loop.call_later(WARM_AFTER, _warm, policy)
    for sign in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(sign, serving.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await serving


def _warm(policy: Policy) -> None:
    """Build what the first call would wait for."""
    warm(policy)
    gc.freeze()  # what is loaded now stays: no collection has to look at it again
