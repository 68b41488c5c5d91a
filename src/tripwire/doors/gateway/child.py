"""Starts and ends an upstream's process. Its standard error is passed through."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping
from typing import Final

from tripwire.doors.gateway.lines import CHUNK, widen
from tripwire.model.policy import Upstream

INHERITED: Final = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
"""The only variables that an upstream gets from the gateway's environment (gateway.md §2)."""
STOP_SECONDS: Final = 2.0
"""How long a process may take to end after its input was closed, and again after SIGTERM."""


async def started(policy: Upstream, environ: Mapping[str, str]) -> asyncio.subprocess.Process:
    """The process of `policy.command`. Raises OSError."""
    process = await asyncio.create_subprocess_exec(
        *policy.command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=None,
        cwd=policy.cwd or None,
        env={k: environ[k] for k in INHERITED if k in environ} | dict(policy.env),
        limit=4 * CHUNK,
        start_new_session=True,
    )
    pipe = process._transport.get_pipe_transport(1)  # type: ignore[attr-defined]  # noqa: SLF001
    widen(pipe.get_extra_info("pipe"))
    return process


async def ended(process: asyncio.subprocess.Process) -> None:
    """Wait for the end of a process whose input is closed; then ask, then force it."""
    try:
        for sign in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), STOP_SECONDS)
                return
            _signal(process, sign)
        await process.wait()
    except asyncio.CancelledError:
        _signal(process, signal.SIGKILL)
        await process.wait()
        raise
    finally:
        # asyncio closes the pipes only at their end, which a grandchild may hold open.
        process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001


def _signal(process: asyncio.subprocess.Process, sign: signal.Signals) -> None:
    """Signal the process and what it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, sign)
