"""Lines over pipes: a pump without a line limit, and a writer with backpressure.

A line is worked on in the very callback that has read it, and written at once where the pipe takes
it: a task for each message would cost more than the message. A line that is longer than the hard
cap is dropped while it is read, and reported with its size and hash: no peer can make the gateway
hold more than the cap.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import IO, Any, Final, Protocol

CHUNK: Final = 256 * 1024
PIPE_BYTES: Final = 512 * 1024
HIGH_WATER: Final = 64 * 1024
"""Bytes that wait for a slow reader, above which `drained` waits."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A line that was longer than the cap: how many bytes, and their SHA-256 hex."""

    size: int
    sha256: str


Line = bytes | Dropped
Take = Callable[[Line], None]
"""Works on one line, without its line end. Raises Enough to have no more."""
Drained = Callable[[], Coroutine[Any, Any, None]]
"""Waits until those who are sent the lines have caught up; may be begun anew at any time."""


class Enough(Exception):
    """Ends a pump before its source does."""


class ByteSource(Protocol):
    """What lines are read from where the event loop cannot poll."""

    async def read(self, n: int, /) -> bytes:
        """Up to `n` bytes; b"" at the end."""


async def pump(source: ByteSource | PipeSource, cap: int, take: Take, drained: Drained) -> None:
    """Give every line of `source` to `take` until its end; after each chunk wait for `drained`.

    What `take` raises ends the pump and is raised here.
    """
    with contextlib.suppress(Enough):
        if isinstance(source, PipeSource):
            await source.pump(cap, take, drained)
            return
        splitter = Splitter(cap)
        while chunk := await source.read(CHUNK):
            for line in splitter.feed(chunk):
                take(line)
            await drained()
        for line in splitter.end():
            take(line)


class Splitter:
    """Chunks to lines, without line ends."""

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._pending: list[bytes] = []
        self._size = 0
        self._skipping: _Skip | None = None

    def feed(self, chunk: bytes) -> list[Line]:
        """The lines that are complete now."""
        *whole, rest = chunk.split(b"\n")
        lines = [self._ended(piece) for piece in whole]
        if self._skipping is not None:
            self._skipping.add(rest)
        elif rest:
            self._pending.append(rest)
            self._size += len(rest)
            if self._size > self._cap:
                self._skipping = _Skip(self._pending)
                self._pending, self._size = [], 0
        return lines

    def end(self) -> list[Line]:
        """A last line that has no line end."""
        return [self._ended(b"")] if self._pending or self._skipping is not None else []

    def _ended(self, piece: bytes) -> Line:
        skipping, pending = self._skipping, self._pending
        if skipping is not None:
            self._skipping = None
            return skipping.end(piece)
        if not pending:
            return piece
        pending.append(piece)
        self._pending, self._size = [], 0
        return b"".join(pending)


class _Skip:
    def __init__(self, pieces: list[bytes]) -> None:
        self._hash = hashlib.sha256()
        self._size = 0
        for piece in pieces:
            self.add(piece)

    def add(self, piece: bytes) -> None:
        self._hash.update(piece)
        self._size += len(piece)

    def end(self, piece: bytes) -> Dropped:
        self.add(piece)
        return Dropped(self._size, self._hash.hexdigest())


class PipeSource:
    """A pipe, socket or terminal that the event loop polls."""

    def __init__(self, descriptor: int) -> None:
        """Raises OSError for what cannot be polled."""
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(descriptor, _nothing)
        self._loop.remove_reader(descriptor)

    async def pump(self, cap: int, take: Take, drained: Drained) -> None:
        """Give every line to `take` until the end; after each chunk wait for `drained`."""
        splitter = Splitter(cap)
        while not await self._read_on(splitter, take, drained):
            await drained()
        for line in splitter.end():
            take(line)

    async def _read_on(self, splitter: Splitter, take: Take, drained: Drained) -> bool:
        """Read until the end (True), or until there is somebody to wait for (False)."""
        paused: asyncio.Future[bool] = self._loop.create_future()

        def ready() -> None:
            if paused.done():
                return
            try:
                chunk = self._chunk()
                for line in splitter.feed(chunk) if chunk else ():
                    take(line)
                if chunk == b"":
                    paused.set_result(True)
                elif _waits(drained):
                    paused.set_result(False)
            except Exception as fault:  # noqa: BLE001 — not handled here: the pump raises it
                paused.set_exception(fault)

        self._loop.add_reader(self._descriptor, ready)
        try:
            return await paused
        finally:
            self._loop.remove_reader(self._descriptor)

    def close(self) -> None:
        """Close the pipe. No pump may run."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _chunk(self) -> bytes | None:
        """What has come: b"" at the end, None if it was a false alarm."""
        try:
            return os.read(self._descriptor, CHUNK)
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:  # a terminal that has hung up
            return b""


def _nothing() -> None:
    return


def _waits(drained: Drained) -> bool:
    """Whether `drained` would wait at all. Most often not, and then no task has to be woken."""
    trial = drained()
    try:
        trial.send(None)
    except StopIteration:
        return False
    trial.close()
    return True


class LineWriter:
    """Writes lines; `drained` waits until a slow reader has caught up."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self.broken = False
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[memoryview] = deque()
        self._size = 0
        self._room = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()
        self._closing = False

    def send(self, text: str) -> None:
        """Write one line, or queue what the pipe does not take; nothing once the peer is gone."""
        if self.broken or self._closing:
            self.broken = True
            return
        rest = memoryview(f"{text}\n".encode("utf-8", "surrogatepass"))
        if not self._waiting:
            rest = self._written(rest)
            if not rest or self.broken:
                return
            self._loop.add_writer(self._descriptor, self._write_on)
            self._empty.clear()
        self._waiting.append(rest)
        self._size += len(rest)

    async def drained(self) -> None:
        """Wait until the queue is below its high-water mark."""
        while self._size > HIGH_WATER:
            self._room.clear()
            await self._room.wait()

    async def flushed(self, seconds: float) -> None:
        """Wait until everything is written, at most `seconds`."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._empty.wait(), seconds)

    def close(self) -> None:
        """Close the pipe once what was sent is written."""
        self._closing = True
        if not self._waiting:
            self.abort()

    def abort(self) -> None:
        """Close the pipe now."""
        self._break()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _written(self, data: memoryview) -> memoryview:
        """Write what the pipe takes; what is left of `data`."""
        try:
            return data[os.write(self._descriptor, data) :]
        except (BlockingIOError, InterruptedError):
            return data
        except OSError:
            self._break()
            return data[:0]

    def _write_on(self) -> None:
        while self._waiting:
            rest = self._written(self._waiting[0])
            if self.broken:
                break
            self._size -= len(self._waiting[0]) - len(rest)
            if rest:
                self._waiting[0] = rest
                break
            self._waiting.popleft()
        if self._size <= HIGH_WATER:
            self._room.set()
        if not self._waiting and not self.broken:
            self._loop.remove_writer(self._descriptor)
            self._empty.set()
            if self._closing:
                self.abort()

    def _break(self) -> None:
        """The peer reads no more: nothing that waits can be written."""
        if self._waiting:
            self._loop.remove_writer(self._descriptor)
        self.broken = True
        self._waiting.clear()
        self._size = 0
        self._room.set()
        self._empty.set()


def widen(descriptor: int) -> None:
    """Let a pipe hold a large message whole, so that none waits for its reader halfway (Linux)."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with contextlib.suppress(OSError):  # no pipe, or no more is allowed
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)


class _ThreadSource:
    """A file that the event loop cannot poll, read by a thread."""

    def __init__(self, file: IO[bytes]) -> None:
        self._queue: asyncio.Queue[bytes] = asyncio.Queue(16)
        self._loop = asyncio.get_running_loop()
        self._file = file
        threading.Thread(target=self._work, name="tripwire-stdin", daemon=True).start()

    def _work(self) -> None:
        while True:
            try:
                data = os.read(self._file.fileno(), CHUNK)
            except OSError:
                data = b""
            try:
                asyncio.run_coroutine_threadsafe(self._queue.put(data), self._loop).result()
            except RuntimeError:
                return  # the loop has ended
            if not data:
                return

    async def read(self, n: int, /) -> bytes:  # noqa: ARG002 — the queue holds whole chunks
        return await self._queue.get()


async def standard_streams() -> tuple[ByteSource | PipeSource, LineWriter]:
    """The process's stdin and stdout as the protocol's two directions."""
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    for pipe in (stdin, stdout):
        widen(pipe.fileno())
    source: ByteSource | PipeSource
    try:
        source = PipeSource(stdin.fileno())
    except OSError:  # a regular file cannot be polled
        source = _ThreadSource(stdin)
    return source, LineWriter(stdout.fileno())
