"""Lines over pipes: a reader without a line limit, and a writer with backpressure.

A line that is longer than the hard cap is dropped while it is read, and reported with its size and
hash: no peer can make the gateway hold more than the cap.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import os
import sys
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import IO, Protocol, runtime_checkable

CHUNK = 256 * 1024
PIPE_BYTES = 512 * 1024


@dataclass(frozen=True, slots=True)
class Dropped:
    """A line that was longer than the cap: how many bytes, and their SHA-256 hex."""

    size: int
    sha256: str


class ByteSource(Protocol):
    """What lines are read from."""

    async def read(self, n: int, /) -> bytes:
        """Up to `n` bytes; b"" at the end."""


async def read_lines(source: ByteSource, cap: int) -> AsyncIterator[list[bytes | Dropped]]:
    """The complete lines of each chunk, without line ends; an unended last line as well."""
    pending: list[bytes] = []
    size = 0
    skipping: _Skip | None = None
    while chunk := await source.read(CHUNK):
        *whole, rest = chunk.split(b"\n")
        lines: list[bytes | Dropped] = []
        for piece in whole:
            if skipping is not None:
                lines.append(skipping.end(piece))
                skipping = None
            else:
                lines.append(_joined(pending, piece))
            pending, size = [], 0
        if skipping is not None:
            skipping.add(rest)
        elif rest:
            pending.append(rest)
            size += len(rest)
            if size > cap:
                skipping = _Skip(pending)
                pending, size = [], 0
        if lines:
            yield lines
    if skipping is not None:
        yield [skipping.end(b"")]
    elif pending:
        yield [b"".join(pending)]


def _joined(pending: list[bytes], piece: bytes) -> bytes:
    if not pending:
        return piece
    pending.append(piece)
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


class LineWriter:
    """Writes lines; `drained` waits until a slow reader has caught up."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.broken = False

    def send(self, text: str) -> None:
        """Queue one line; after the peer is gone this does nothing."""
        if self.broken or self._writer.is_closing():
            self.broken = True
            return
        self._writer.write(text.encode("utf-8", "surrogatepass") + b"\n")

    async def drained(self) -> None:
        """Wait until the queue is below its high-water mark."""
        try:
            await self._writer.drain()
        except (ConnectionError, RuntimeError):
            self.broken = True

    async def flushed(self, seconds: float) -> None:
        """Wait until everything is written, at most `seconds`."""
        transport = self._writer.transport
        end = asyncio.get_running_loop().time() + seconds
        while transport.get_write_buffer_size() and not transport.is_closing():
            if asyncio.get_running_loop().time() > end:
                return
            await asyncio.sleep(0.005)

    def close(self) -> None:
        """Close the pipe."""
        self._writer.close()


def widen(pipe: object) -> None:
    """Let a pipe hold a large message whole, so that none waits for its reader halfway (Linux)."""
    if isinstance(pipe, HasFileno) and hasattr(fcntl, "F_SETPIPE_SZ"):
        with contextlib.suppress(OSError, ValueError):  # no pipe, or no more is allowed
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)


@runtime_checkable
class HasFileno(Protocol):
    """A file or pipe of the operating system."""

    def fileno(self) -> int:
        """Its descriptor."""


class _ThreadSource:
    """A file or terminal that the event loop cannot poll, read by a thread."""

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


class _FileTransport(asyncio.Transport):
    """A regular file as standard output: writes are never blocked by a reader."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file = file

    def write(self, data: bytes | bytearray | memoryview) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._file.fileno(), view) :]

    def is_closing(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return 0

    def close(self) -> None:
        return


async def standard_streams() -> tuple[ByteSource, LineWriter]:
    """The process's stdin and stdout as the protocol's two directions."""
    loop = asyncio.get_running_loop()
    for pipe in (sys.stdin.buffer, sys.stdout.buffer):
        widen(pipe)
    source: ByteSource
    try:
        reader = asyncio.StreamReader(limit=4 * CHUNK)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
        source = reader
    except (ValueError, OSError):  # a regular file cannot be polled
        source = _ThreadSource(sys.stdin.buffer)
    transport: asyncio.WriteTransport
    protocol = asyncio.streams.FlowControlMixin()
    try:
        transport, _ = await loop.connect_write_pipe(lambda: protocol, sys.stdout.buffer)
    except (ValueError, OSError):
        transport = _FileTransport(sys.stdout.buffer)
    return source, LineWriter(asyncio.StreamWriter(transport, protocol, None, loop))
