"""An event that the daemon did not answer: start the daemon and ask again, else refuse.

Standard library only, and loaded by the shim only in this case (flow.md HOOK-3). Nothing is allowed
here: a call that cannot be recorded does not pass. Instead of judging with half the knowledge, the
event waits for the daemon that it starts. A result that nobody could learn leaves a marker: the
next event of that session starts from all labels (HOOK-4).
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import sys
import time
from typing import Any

MARKERS = "unlearnt"
RESULTS = (
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "AfterTool",
    "postToolUse",
    "postToolUseFailure",
)
FREE = (
    "SessionStart",
    "SessionEnd",
    "Notification",
    "InstructionsLoaded",
    "SubagentStart",
    "PostCompact",
    "PreCompress",
    "sessionStart",
    "sessionEnd",
    "preCompact",
)
"""Events with nothing to stop and no result; every other name is guarded, unknown ones too."""

_IDS = ("session_id", "conversation_id", "sessionId")
_NAMES = ("hook_event_name", "hookEventName")
_ID = re.compile(rb'"(?:session_id|conversation_id|sessionId)"\s*:\s*"([^"\\]{1,256})"')
_NAME = re.compile(rb'"(?:hook_event_name|hookEventName)"\s*:\s*"([A-Za-z]{1,64})"')

_BOOT = (
    "import os,sys;os.closerange(3,4096);sys.path.append({src!r});import site;site.main();"
    "from tripwire.cli.serve import serve;sys.exit(serve())"
)
_KEPT = ("HOME", "PATH", "USER", "LOGNAME", "LANG", "TMPDIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME")

Reply = tuple[int, bytes, bytes]


def start_and_ask(shim: Any, client: str, event: bytes, until: float) -> Reply:
    """Start the daemon unless another shim does, wait for it, and ask."""
    home = shim.state_home()
    try:
        child, lock = _start(home)
    except OSError as problem:
        why = f"the state directory cannot be used: {problem.strerror}"
        return refuse(home, client, event, why)
    try:
        return _wait(shim, child, (client, event), until)
    finally:
        os.close(lock)


def _wait(shim: Any, child: int, asked: tuple[str, bytes], until: float) -> Reply:
    home, why = shim.state_home(), "the daemon does not start"
    while shim.clock() < until:
        try:
            link = shim.connect(os.path.join(home, "run"))
            return tuple(shim.ask(link, *asked, until))
        except shim.NotRunning:
            if child and _ended(child):
                break
            time.sleep(0.03)
        except Exception as problem:  # noqa: BLE001 - whatever it is, nothing passes
            why = str(problem) or type(problem).__name__
            break
    return refuse(home, *asked, f"{why}; see `tripwire daemon status`")


def _ended(child: int) -> bool:
    try:
        pid, status = os.waitpid(child, os.WNOHANG)
    except ChildProcessError:
        return True
    # Exit 0 means that another daemon was quicker: keep waiting for that one.
    return pid != 0 and status != 0


def _start(home: str) -> tuple[int, int]:
    run = os.path.join(home, "run")
    for folder in (home, run):  # makedirs gives its mode to the last one only
        os.makedirs(folder, mode=0o700, exist_ok=True)
    os.chmod(run, 0o700)
    lock = os.open(os.path.join(run, "start.lock"), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return 0, lock  # another shim is starting it
    return spawn(home), lock


def spawn(home: str) -> int:
    """Start the daemon detached, with a small environment; its process id."""
    here = os.path.abspath(__file__)
    src = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(here))))
    environment = {k: v for k, v in os.environ.items() if k in _KEPT or k.startswith("LC_")}
    environment["TRIPWIRE_HOME"] = home
    log = os.path.join(home, "run", "daemon.log")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    return os.posix_spawn(
        sys.executable,
        [sys.executable, "-I", "-S", "-c", _BOOT.format(src=src)],
        environment,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, log, flags, 0o600),
        ],
        setsid=True,
    )


def refuse(home: str, client: str, event: bytes, why: str) -> Reply:
    """Exit 2 and one line for an event that can be stopped; a marker for a lost result."""
    name, session, known = _shape(event)
    why = " ".join(why.split())[:300].rstrip(".")
    if name in RESULTS or not known:
        lost = leave_marker(home, client, session) if session else "unknown session"
        if name in RESULTS:
            tail = "" if not lost else f" ({lost})"
            return 2, b"", f"Tripwire could not record this result: {why}{tail}.\n".encode()
    if name in FREE:
        return 0, b"", b""
    if name in ("Stop", "SubagentStop") and b'"stop_hook_active":true' in event.replace(b" ", b""):
        return 0, b"", b""
    return 2, b"", f"Tripwire refuses what it cannot judge: {why}.\n".encode()


def _shape(event: bytes) -> tuple[str, str, bool]:
    """Event name, session id, and whether the event is well-formed."""
    try:
        value = json.loads(event)
        name = next(value[key] for key in _NAMES if key in value)
        session = next(value[key] for key in _IDS if key in value)
        if isinstance(name, str) and isinstance(session, str) and name:
            return name, session, True
    except (ValueError, StopIteration, TypeError, RecursionError):
        pass
    found, named = _ID.search(event), _NAME.search(event)
    session = found.group(1).decode("utf-8", "replace") if found else ""
    return (named.group(1).decode() if named else ""), session, False


def marker(home: str, client: str, session: str) -> str:
    """Where the marker of one client session lies."""
    digest = hashlib.sha256(f"{client}\0{session}".encode("utf-8", "surrogatepass")).hexdigest()
    return os.path.join(home, MARKERS, digest)


def leave_marker(home: str, client: str, session: str) -> str:
    """Note that a result of this session is unknown; why not, if that fails."""
    path = marker(home, client, session)
    try:
        for folder in (home, os.path.dirname(path)):
            os.makedirs(folder, mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    except OSError as problem:
        return f"and left no marker: {problem.strerror}"
    return ""
