"""Starts one MCP server, asks who it is and which tools it has, and stops it again.

Raw JSON-RPC over pipes: `check` and `doctor` need no more, and must name what went wrong. Calls no
tool but the one it is told to.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tripwire.model.policy import Upstream
from tripwire.text.secrets import redact

INHERITED = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
"""The variables an upstream gets from the environment (gateway.md §2)."""

REVISION = "2025-11-25"
MOST_PAGES = 100
_STDERR_KEPT = 2000
_LONGEST_LINE = 16 << 20


@dataclass(frozen=True, slots=True)
class Probed:
    """What one server answered; `error` is empty if all went well."""

    name: str
    error: str = ""
    fix: str = ""
    server: str = ""
    tools: tuple[Mapping[str, Any], ...] = ()
    result: Mapping[str, Any] = field(default_factory=dict)
    """What the tool that was called answered."""


class _NoAnswer(Exception):  # ends a probe; turned into Probed.error
    """Why a server did not answer."""


def probe(upstream: Upstream, *, seconds: float, call: Mapping[str, Any] | None = None) -> Probed:
    """Start the server, list its tools, stop it; never longer than `seconds` and a stop.

    `call` are the parameters of one `tools/call` to make in between.
    """
    environ = {name: os.environ[name] for name in INHERITED if name in os.environ}
    try:
        process = subprocess.Popen(
            upstream.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=upstream.cwd or None,
            env=environ | dict(upstream.env),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return Probed(upstream.name, *_start_error(upstream, error))
    talk = _Talk(process, time.monotonic() + seconds)
    try:
        hello = talk.ask("initialize", _HELLO)
        talk.tell("notifications/initialized")
        info = hello.get("serverInfo")
        name = (
            f"{info.get('name', '?')} {info.get('version', '')}" if isinstance(info, dict) else ""
        )
        tools = _tools(talk, hello)
        result = talk.ask("tools/call", call) if call is not None else {}
        return Probed(upstream.name, server=name.strip()[:100], tools=tools, result=result)
    except _NoAnswer as why:
        return Probed(upstream.name, error=f"{why}{talk.last_words()}", fix=_TRY_IT)
    finally:
        talk.end()


_HELLO = {
    "protocolVersion": REVISION,
    "capabilities": {},
    "clientInfo": {"name": "tripwire-check", "version": "1"},
}
_TRY_IT = "start it by hand with the same command and environment to see why"


def _start_error(upstream: Upstream, error: Exception) -> tuple[str, str]:
    program = upstream.command[0]
    if isinstance(error, FileNotFoundError):
        if upstream.cwd and not Path(upstream.cwd).is_dir():
            return f"the directory {upstream.cwd} does not exist", "create it, or change cwd"
        return f"{program}: no such program", "install it, or write its absolute path"
    if isinstance(error, PermissionError):
        return f"{program}: not executable", "chmod +x it, or name its interpreter first"
    return f"{program}: does not start ({type(error).__name__})", _TRY_IT


def _tools(talk: _Talk, hello: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    capabilities = hello.get("capabilities")
    if isinstance(capabilities, dict) and "tools" not in capabilities:
        return ()
    found: list[Mapping[str, Any]] = []
    cursor: Any = None
    for _ in range(MOST_PAGES):
        page = talk.ask("tools/list", {} if cursor is None else {"cursor": cursor})
        listed = page.get("tools")
        if not isinstance(listed, list):
            raise _NoAnswer("its tools/list is no list")
        found += [t for t in listed if isinstance(t, dict) and isinstance(t.get("name"), str)]
        cursor = page.get("nextCursor")
        if not cursor:
            return tuple(found)
    raise _NoAnswer(f"its tools/list has more than {MOST_PAGES} pages")


@dataclass(slots=True)
class _Talk:
    """A conversation with one process until a deadline."""

    process: subprocess.Popen[bytes]
    until: float
    lines: queue.Queue[bytes | None] = field(default_factory=queue.Queue)
    errors: list[bytes] = field(default_factory=list)
    number: int = 0

    def __post_init__(self) -> None:
        for work in (self._read, self._read_errors):
            threading.Thread(target=work, daemon=True).start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while self.process.stdout and (line := self.process.stdout.readline(_LONGEST_LINE)):
                self.lines.put(line)
        self.lines.put(None)

    def _read_errors(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while self.process.stderr and (part := self.process.stderr.readline(4096)):
                self.errors.append(part)
                del self.errors[:-8]

    def tell(self, method: str, params: Mapping[str, Any] | None = None, **more: Any) -> None:
        """Send one message."""
        message = {"jsonrpc": "2.0", "method": method, **more}
        if params is not None:
            message["params"] = params
        try:
            if self.process.stdin is not None:
                self.process.stdin.write(json.dumps(message).encode() + b"\n")
                self.process.stdin.flush()
        except OSError:
            raise _NoAnswer(self._ended()) from None

    def ask(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a request and wait for its result; other messages are passed over."""
        self.number += 1
        self.tell(method, params, id=self.number)
        while True:
            message = self._message()
            if message.get("id") != self.number or "method" in message:
                continue
            if isinstance(result := message.get("result"), dict):
                return result
            error = message.get("error")
            code = error.get("code") if isinstance(error, dict) else "?"
            raise _NoAnswer(f"it refuses {method} (error {code})")

    def _message(self) -> Mapping[str, Any]:
        try:
            line = self.lines.get(timeout=max(0.0, self.until - time.monotonic()))
        except queue.Empty:
            raise _NoAnswer("it did not answer in time") from None
        if line is None:
            raise _NoAnswer(self._ended())
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return {}
        return message if isinstance(message, dict) else {}

    def _ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1.0)
        code = self.process.returncode
        return "it ended" if code is None else f"it ended with exit code {code}"

    def last_words(self) -> str:
        """The last line it wrote to stderr, cut."""
        text = b"".join(self.errors)[-_STDERR_KEPT:].decode("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return f": {redact(lines[-1])[:200]}" if lines else ""

    def end(self) -> None:
        """Close its stdin, then end its process group."""
        with contextlib.suppress(OSError):
            if self.process.stdin is not None:
                self.process.stdin.close()
        for sign, patience in ((None, 0.5), (signal.SIGTERM, 1.0), (signal.SIGKILL, 5.0)):
            with contextlib.suppress(OSError):
                if sign is not None:
                    os.killpg(self.process.pid, sign)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(patience)
                return
