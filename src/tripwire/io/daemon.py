"""The resident process: answers hook events on a Unix socket, so that sessions stay hot.

Knows nothing of any client: what an event means and how it is answered is the `Serve` function
that the command line puts in. Does not judge. One process per state root, held by a lock (flow.md
HOOK-2).
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tripwire.errors import DaemonUnavailable, StateUnusable

SOCKET = "tripwire.sock"
PIDFILE = "daemon.pid"
CONTROL = "tripwire-daemon"
"""The client name of `tripwire daemon status` and `stop`."""

IDLE = 8 * 3600.0
"""Seconds without an event after which the daemon ends."""

MAX_REQUEST = 17 * 1024 * 1024
"""An event of 16 MB and the fields before it."""

READ_TIMEOUT = 10.0
"""Seconds a client may take to send its event."""


@dataclass(frozen=True, slots=True)
class Request:
    """One event as the shim sent it; `pid` is the shim, `gone` tells whether it has given up."""

    client: str
    home: str
    session: str
    project: str
    body: bytes
    pid: int = 0
    gone: Callable[[], bool] = field(default=lambda: False, compare=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the shim prints and its exit code (0, or 2 to refuse)."""

    code: int = 0
    out: str = ""
    err: str = ""

    def encode(self) -> bytes:
        """The framed answer."""
        out = self.out.encode("utf-8", "replace")
        err = self.err.encode("utf-8", "replace")
        return b"%d %d %d\n" % (self.code, len(out), len(err)) + out + err


REFUSED = Answer(2, err="Tripwire refuses what it cannot judge: internal error.\n")

Serve = Callable[[Request], Answer]


@dataclass(slots=True)
class Daemon:
    """Listens, hands each request to `serve` on a worker thread, ends when idle or told to."""

    root: Path
    serve: Serve
    idle: float = IDLE
    status: Callable[[], dict[str, object]] = dict
    tick: Callable[[], None] = lambda: None
    """Called between events: closes sessions nobody uses."""
    pause: float = 1.0
    """Seconds without an event between two ticks."""
    _stop: threading.Event = field(default_factory=threading.Event)
    _wake: tuple[socket.socket, socket.socket] = field(default_factory=socket.socketpair)
    """Written to by `stop`, so that it need not wait for the pause to end."""
    _started: float = field(default_factory=time.time)
    _last: float = field(default_factory=time.monotonic)
    _count: int = 0

    def run(self) -> None:
        """Serve until idle, stopped or unreachable.

        Raises DaemonUnavailable if one runs already, StateUnusable if the directory cannot be used.
        """
        run = private_dir(self.root / "run")
        os.chdir(run)  # socket paths are short; and no project directory is held
        # More threads than cores: a session that another process holds locked must not keep the
        # others waiting.
        threads = max(8, os.cpu_count() or 1)
        with _only_one(), _listener() as listener, ThreadPoolExecutor(threads) as workers:
            self._accept(listener, workers)

    def stop(self) -> None:
        """End after the events that are being answered."""
        self._stop.set()
        with contextlib.suppress(OSError):
            self._wake[1].send(b"x", socket.MSG_DONTWAIT)

    def _accept(self, listener: socket.socket, workers: ThreadPoolExecutor) -> None:
        mine = _inode(SOCKET)
        while not self._stop.is_set():
            ready, _, _ = select.select([listener, self._wake[0]], [], [], self.pause)
            if listener in ready:
                with contextlib.suppress(OSError):
                    workers.submit(self._one, listener.accept()[0])
                continue
            self.tick()
            if time.monotonic() - self._last > self.idle or _inode(SOCKET) != mine:
                return

    def _one(self, link: socket.socket) -> None:
        with link:
            self._last = time.monotonic()
            self._count += 1
            try:
                pid, uid = peer(link)
                if uid != os.getuid():
                    return
                answer = self._answer(_request(link, pid))
            except Exception as bug:  # noqa: BLE001 - the client must get a refusal, not silence
                log(f"{type(bug).__name__} while answering")
                answer = REFUSED
            with contextlib.suppress(OSError):
                link.settimeout(READ_TIMEOUT)
                link.sendall(answer.encode())
            self._last = time.monotonic()

    def _answer(self, request: Request) -> Answer:
        if request.client != CONTROL:
            return self.serve(request)
        if request.body == b"stop":
            self.stop()
        facts = {
            "pid": os.getpid(),
            "uptime_s": round(time.time() - self._started, 1),
            "events": self._count,
            **self.status(),
        }
        return Answer(out=json.dumps(facts))


def log(words: str) -> None:
    """A line in `run/daemon.log`; never a value from an event."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {words}\n")
        sys.stderr.flush()


def private_dir(path: Path) -> Path:
    """`path`, created if need be, and only its owner can look inside."""
    try:
        for folder in (*reversed(path.parents), path):  # `parents=True` would not keep the mode
            if not folder.exists():
                folder.mkdir(mode=0o700, exist_ok=True)
        held = path.stat()
        if held.st_uid != os.getuid():
            raise StateUnusable("belongs to somebody else", where=str(path))
        if held.st_mode & 0o077:
            path.chmod(0o700)
    except OSError as problem:
        raise StateUnusable(
            problem.strerror or "cannot be used",
            where=str(path),
            fix="Make it writable, or set TRIPWIRE_HOME.",
        ) from None
    return path


def ask(root: Path, body: bytes, *, client: str = CONTROL, timeout: float = 8.0) -> Answer:
    """Send one request from this process. Raises DaemonUnavailable if nobody answers."""
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with link:
        link.settimeout(timeout)
        try:
            _connect(link, root / "run")
            link.sendall(b"\0".join([b"1", client.encode(), b"", b"", b"", body]))
            link.shutdown(socket.SHUT_WR)
            return _decoded(_read_all(link, MAX_REQUEST))
        except (OSError, ValueError) as problem:
            raise DaemonUnavailable(
                "does not answer", where="daemon", fix="Run `tripwire daemon start`."
            ) from problem


def holder(root: Path) -> int:
    """The process id of the running daemon, 0 if none holds the lock."""
    try:
        held = os.open(root / "run" / PIDFILE, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        digits = os.read(held, 32).strip()
        return int(digits) if digits.isdigit() else 0
    finally:
        os.close(held)
    return 0


def end(root: Path, *, wait: float = 5.0) -> bool:
    """Stop the daemon, by force if it does not answer; whether one was running."""
    pid = holder(root)
    if not pid:
        return False
    with contextlib.suppress(DaemonUnavailable):
        ask(root, b"stop", timeout=1.0)
    until = time.monotonic() + wait
    while holder(root) == pid and time.monotonic() < until:
        time.sleep(0.05)
    if holder(root) == pid:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return True


def peer(link: socket.socket) -> tuple[int, int]:
    """Process id (0 if unknown) and user id of the other side."""
    if hasattr(socket, "SO_PEERCRED"):
        packed = link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        pid, uid, _ = struct.unpack("3i", packed)
        return pid, uid
    packed = link.getsockopt(0, 1, struct.calcsize("2I"))  # macOS: LOCAL_PEERCRED, xucred
    return 0, struct.unpack("2I", packed)[1]


def _connect(link: socket.socket, run: Path) -> None:
    """Connect by way of the directory's descriptor: a socket path holds 107 bytes at most."""
    path = run / SOCKET
    if len(os.fsencode(path)) < 100:
        link.connect(str(path))
        return
    directory = os.open(run, os.O_RDONLY | os.O_CLOEXEC)
    try:
        link.connect(f"/proc/self/fd/{directory}/{SOCKET}")
    finally:
        os.close(directory)


def _request(link: socket.socket, pid: int) -> Request:
    link.settimeout(READ_TIMEOUT)
    fields = _read_all(link, MAX_REQUEST).split(b"\0", 5)
    if len(fields) != 6 or fields[0] != b"1":
        raise ValueError("not a request")
    client, home, session, project = (os.fsdecode(part) for part in fields[1:5])
    return Request(client, home, session, project, fields[5], pid, lambda: _hung_up(link))


def _read_all(link: socket.socket, limit: int) -> bytes:
    parts, size = [], 0
    while part := link.recv(1 << 18):
        parts.append(part)
        size += len(part)
        if size > limit:
            raise ValueError("too large")
    return b"".join(parts)


def _decoded(answer: bytes) -> Answer:
    head, _, body = answer.partition(b"\n")
    code, out, err = (int(number) for number in head.split())
    if len(body) != out + err:
        raise ValueError("cut short")
    return Answer(code, body[:out].decode(), body[out:].decode())


def _hung_up(link: socket.socket) -> bool:
    watch = select.poll()
    watch.register(link, select.POLLIN)
    return any(event & (select.POLLHUP | select.POLLERR) for _, event in watch.poll(0))


def _inode(path: str) -> int:
    try:
        return Path(path).stat().st_ino
    except OSError:
        return 0


@contextlib.contextmanager
def _only_one() -> Iterator[None]:
    held = os.open(PIDFILE, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise DaemonUnavailable("another daemon of this state directory runs") from None
        os.ftruncate(held, 0)
        os.write(held, b"%d\n" % os.getpid())
        yield
    finally:
        os.close(held)


@contextlib.contextmanager
def _listener() -> Iterator[socket.socket]:
    with contextlib.suppress(FileNotFoundError):
        Path(SOCKET).unlink()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with listener:
        before = os.umask(0o177)
        try:
            listener.bind(SOCKET)
        finally:
            os.umask(before)
        listener.listen(128)
        mine = _inode(SOCKET)
        try:
            yield listener
        finally:
            if _inode(SOCKET) == mine:
                Path(SOCKET).unlink()
