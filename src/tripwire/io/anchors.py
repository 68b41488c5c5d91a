"""Anchors: places outside that are told each checkpoint: a roll-back shows (gateway.md E-5).

A file, a git repository, a syslog or an HTTP address. They are told by a thread of their own, in
order, until they have taken it; only the latest checkpoints of a session matter, so a slow anchor
gets fewer of them. Only counts, hashes and signatures leave: a checkpoint holds nothing else.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tripwire.errors import StateUnusable, TripwireError
from tripwire.io.files import AppendFile, FileLock
from tripwire.model.policy import Anchor

WAITING = 256
"""Checkpoints kept for an anchor that does not answer; older ones are left out."""
SECONDS = 10.0
"""How long one anchor may take for one checkpoint."""
RETRY = 5.0
"""Seconds until an anchor that failed is tried again."""
FILE = "tripwire-checkpoints.txt"
"""The file in a git repository."""
_FAULTS = (OSError, ValueError, subprocess.SubprocessError, TripwireError)


class _Worker:
    """One anchor and what it is still to be told."""

    def __init__(self, anchor: Anchor) -> None:
        self.anchor = anchor
        self.fault = ""
        self._waiting: deque[bytes] = deque(maxlen=WAITING)
        self._news = threading.Condition()
        self._closing = False
        self._thread: threading.Thread | None = None

    def post(self, note: bytes) -> None:
        with self._news:
            self._waiting.append(note)
            self._news.notify()
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="tripwire-anchor", daemon=True
                )
                self._thread.start()

    def close(self) -> None:
        with self._news:
            self._closing = True
            self._news.notify()
        if self._thread is not None:
            self._thread.join(timeout=SECONDS)

    def _run(self) -> None:
        while True:
            with self._news:
                while not self._waiting and not self._closing:
                    self._news.wait()
                if not self._waiting:
                    return
                note = self._waiting[0]
            try:
                _TELL[self.anchor.type](self.anchor.target, note)
            except _FAULTS as error:
                self.fault = type(error).__name__
                with self._news:
                    if self._closing:
                        return  # heads.jsonl has what this anchor missed
                    self._news.wait(RETRY)
                continue
            with self._news:
                self.fault = ""
                if self._waiting and self._waiting[0] is note:
                    self._waiting.popleft()


class Anchors:
    """Every anchor of a policy."""

    def __init__(self, anchors: Sequence[Anchor]) -> None:
        self._workers = [_Worker(anchor) for anchor in anchors]

    def post(self, note: bytes) -> None:
        """Tell them; returns at once."""
        for worker in self._workers:
            worker.post(note)

    def broken(self) -> str:
        """The type and target of a required anchor that failed last; "" if none did."""
        for worker in self._workers:
            if worker.anchor.required and worker.fault:
                return f"{worker.anchor.type} {worker.anchor.target} ({worker.fault})"
        return ""

    def faults(self) -> Mapping[str, str]:
        """Target → type of the fault, of those that failed last."""
        return {w.anchor.target: w.fault for w in self._workers if w.fault}

    def close(self) -> None:
        """Tell what is left, for a bounded time."""
        for worker in self._workers:
            worker.close()


def _file(target: str, note: bytes) -> None:
    file = AppendFile(Path(target))
    try:
        file.append(note + b"\n")
        file.sync()
    finally:
        file.close()


def _git(target: str, note: bytes) -> None:
    """Append to a file of the repository and commit it; nothing of its configuration runs."""
    folder = Path(target)
    if not folder.is_dir():
        raise StateUnusable("no such repository", where=target)
    lock = FileLock(folder / f".{FILE}.lock")
    try:
        with lock.held():
            _file(str(folder / FILE), note)
            still = ("-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false")
            who = ("-c", "user.name=tripwire", "-c", "user.email=tripwire@localhost")
            plain = ("-c", "core.fsmonitor=false", "-c", "gc.auto=0")
            git = ("git", "-C", target, *still, *who, *plain)
            words = note.decode().split("\n")
            _run((*git, "add", "--", FILE))
            message = f"{words[0]} {words[1]}"
            _run((*git, "commit", "-q", "--no-verify", "-m", message, "--", FILE))
    finally:
        lock.close()


def _run(command: Sequence[str]) -> None:
    environ = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    subprocess.run(
        command,
        check=True,
        capture_output=True,
        timeout=SECONDS,
        env=environ,
        stdin=subprocess.DEVNULL,
    )


def _syslog(target: str, note: bytes) -> None:
    """One datagram (RFC 3164 form, facility 13 log audit, severity 5) to a socket or host:port."""
    origin, size, root, _, signature, *_ = note.decode().split("\n")
    stamp = time.strftime("%b %e %H:%M:%S")
    line = f"<109>{stamp} tripwire: checkpoint {origin} {size} {root} {signature[2:]}"
    host = re.fullmatch(r"(?:udp:)?([A-Za-z0-9.-]+):([0-9]{1,5})", target)
    if host is None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.settimeout(SECONDS)
            sender.sendto(line.encode(), target)
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.settimeout(SECONDS)
        sender.sendto(line.encode(), (host[1], int(host[2])))


def _http(target: str, note: bytes) -> None:
    """One POST of the note as text; a redirect is a failure, the address is the operator's."""
    # Lazy: costs 20 ms, and few installations have such an anchor.
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class NoRedirect(HTTPRedirectHandler):
        def redirect_request(self, *_: object, **__: object) -> None:
            """Follow nothing."""

    if not target.startswith(("https://", "http://")):
        raise ValueError("no HTTP address")
    kind = {"Content-Type": "text/plain; charset=utf-8"}
    request = Request(target, data=note, method="POST", headers=kind)  # noqa: S310  (checked)
    with build_opener(NoRedirect).open(request, timeout=SECONDS) as answer:
        answer.read(1024)


_TELL: Mapping[str, Callable[[str, bytes], None]] = {
    "file": _file,
    "git": _git,
    "syslog": _syslog,
    "http": _http,
}
TYPES = tuple(_TELL)
