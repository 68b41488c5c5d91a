"""Starts and ends an upstream's process. Its standard error is passed through."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tripwire.doors.gateway.lines import LineWriter, PipeSource, widen
from tripwire.model.policy import Upstream

INHERITED: Final = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
"""The only variables that an upstream gets from the gateway's environment (gateway.md §2)."""
STOP_SECONDS: Final = 2.0
"""How long a process may take to end after its input was closed, and again after SIGTERM."""


@dataclass(frozen=True, slots=True)
class Child:
    """A process, and our ends of its two pipes."""

    process: asyncio.subprocess.Process
    stdin: LineWriter
    stdout: PipeSource

    async def ended(self) -> int | None:
        """Wait for the end after the input was closed; then ask, then force it. Its exit code."""
        try:
            for sign in (signal.SIGTERM, signal.SIGKILL):
                with contextlib.suppress(TimeoutError):
                    return await asyncio.wait_for(self.process.wait(), STOP_SECONDS)
                self._signal(sign)
            return await self.process.wait()
        except asyncio.CancelledError:
            self._signal(signal.SIGKILL)
            await self.process.wait()
            raise
        finally:
            # Now, not at the ends of the pipes: a grandchild may hold those open.
            self.stdin.abort()
            self.stdout.close()

    def _signal(self, sign: signal.Signals) -> None:
        """Signal the process and what it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, sign)


async def started(policy: Upstream, environ: Mapping[str, str]) -> Child:
    """The process of `policy.command`. Raises OSError."""
    their_stdin, our_stdin = os.pipe()
    try:
        our_stdout, their_stdout = os.pipe()
    except OSError:
        _close(their_stdin, our_stdin)
        raise
    try:
        widen(our_stdout)
        process = await asyncio.create_subprocess_exec(
            *policy.command,
            stdin=their_stdin,
            stdout=their_stdout,
            stderr=None,
            cwd=policy.cwd or None,
            env={k: environ[k] for k in INHERITED if k in environ} | dict(policy.env),
            start_new_session=True,
        )
    except BaseException:
        _close(our_stdin, our_stdout)
        raise
    finally:
        _close(their_stdin, their_stdout)
    return Child(process, LineWriter(our_stdin), PipeSource(our_stdout))


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
