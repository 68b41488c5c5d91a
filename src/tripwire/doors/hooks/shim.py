"""The hook shim: carries one event of an agent client to the resident daemon, and its answer back.

Run as `<python> -I -S <this file> <client>`; imports `os` and `_socket` only, because it starts at
every tool call (flow.md HOOK-1). It decides nothing and knows no client's format: whatever goes
wrong ends in `unanswered.py`, loaded only then, which refuses (HOOK-4). The exit code is the
daemon's, or 2; never 1.

Wire: `1 NUL client NUL home NUL session NUL project NUL event`, half-closed; the answer is
`<exit code> <bytes of stdout> <bytes of stderr> LF` and those bytes.
"""

import _socket
import os
import sys

LIMIT = 16 * 1024 * 1024
"""Bytes of one event (flow.md §7)."""

DEADLINE = 8.0
"""Seconds for everything; below the timeout that `install` writes (flow.md `deadline_ms`)."""

SOCKET = "tripwire.sock"


class NotRunning(Exception):
    """Nobody listens on the daemon's socket."""


def clock() -> float:
    """Seconds since an arbitrary point, without importing `time`."""
    return os.times()[4]


def deadline() -> float:
    """When to give up; `TRIPWIRE_DEADLINE_MS` may only shorten the wait."""
    asked = os.environ.get("TRIPWIRE_DEADLINE_MS", "")
    seconds = min(DEADLINE, int(asked) / 1000) if asked.isdigit() else DEADLINE
    return clock() + seconds


def state_home() -> str:
    """The state root, as `io/home.py` finds it."""
    named = os.environ.get("TRIPWIRE_HOME", "")
    if named:
        return os.path.abspath(os.path.expanduser(named))
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support/tripwire")
    base = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.expanduser("~/.local/state")
    return os.path.join(base, "tripwire")


def read_event() -> bytes:
    """All of stdin, or `LIMIT` + 1 bytes of it."""
    parts = []
    left = LIMIT + 1
    while left > 0:
        part = os.read(0, min(left, 1 << 20))
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def write_all(fd: int, data: bytes) -> None:
    """Write `data` whole; a pipe takes it in parts."""
    while data:
        data = data[os.write(fd, data) :]


def connect(run: str) -> "_socket.socket":
    """A connection to the daemon of this user; the path is relative, as socket paths are short."""
    try:
        os.chdir(run)
    except FileNotFoundError:
        raise NotRunning from None
    here = os.stat(".")
    if here.st_uid != os.getuid() or here.st_mode & 0o077:
        raise PermissionError("the state directory is not private to you")
    link = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        link.settimeout(2.0)
        link.connect(SOCKET)
    except (FileNotFoundError, ConnectionRefusedError):
        link.close()
        raise NotRunning from None
    return link


def ask(
    link: "_socket.socket", client: str, event: bytes, until: float
) -> "tuple[int, bytes, bytes]":
    """Send the event, read the answer: exit code, stdout, stderr."""
    names = (os.path.expanduser("~"), "TRIPWIRE_SESSION", "CLAUDE_PROJECT_DIR")
    fields = [b"1", os.fsencode(client), os.fsencode(names[0])]
    fields += [os.fsencode(os.environ.get(name, "")) for name in names[1:]]
    if len(event) > LIMIT:
        raise ValueError("the event is larger than 16 MB")
    data = memoryview(b"\0".join([*fields, event]))
    while data:
        link.settimeout(_left(until))
        data = data[link.send(data) :]
    link.shutdown(_socket.SHUT_WR)
    parts = []
    while True:
        link.settimeout(_left(until))
        part = link.recv(1 << 16)
        if not part:
            break
        parts.append(part)
    return _unpack(b"".join(parts))


def _left(until: float) -> float:
    left = until - clock()
    if left <= 0:
        raise TimeoutError("the daemon did not answer in time")
    return left


def _unpack(answer: bytes) -> "tuple[int, bytes, bytes]":
    head, newline, body = answer.partition(b"\n")
    numbers = head.split(b" ")
    if not newline or len(numbers) != 3 or not all(n.isdigit() for n in numbers):
        raise ValueError("the daemon's answer is cut short")
    code, out, err = (int(n) for n in numbers)
    if code not in (0, 2) or len(body) != out + err:
        raise ValueError("the daemon's answer is malformed")
    return code, body[:out], body[out:]


def main(client: str) -> int:
    """Answer one event of `client`."""
    until = deadline()
    run = os.path.join(state_home(), "run")
    event = read_event()
    try:
        code, out, err = ask(connect(run), client, event, until)
    except NotRunning:
        code, out, err = _unanswered().start_and_ask(sys.modules[__name__], client, event, until)
    except Exception as problem:  # noqa: BLE001 - whatever it is, a guarded call must not pass
        code, out, err = _unanswered().refuse(state_home(), client, event, _words(problem))
    write_all(1, out)
    write_all(2, err)
    return code


def _words(problem: Exception) -> str:
    if isinstance(problem, TimeoutError):
        return "the daemon did not answer in time"
    return str(problem) or type(problem).__name__


def _unanswered() -> "Any":  # type: ignore[name-defined] # noqa: F821 - a module; typing is not free
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import unanswered  # type: ignore[import-not-found]

    return unanswered


if __name__ == "__main__":
    try:
        status = main(sys.argv[1] if len(sys.argv) > 1 else "")
    except BaseException as bug:  # noqa: BLE001 - exit 1 would let the call run
        os.write(2, b"Tripwire could not judge this (" + type(bug).__name__.encode() + b").\n")
        status = 2
    os._exit(status)
