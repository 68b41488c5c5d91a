"""Which sessions and gateways live right now, so that doors of one client find each other.

A hook session is noted with the process of its client; a gateway that the same client process
started joins it, else one of the same project (README of the specs, rule 5). A gateway is noted as
well, because a hook leaves a call to the gateway only while a real one runs under that client.
Entries of processes that ended are not found. Does not open sessions.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tripwire.io.daemon import private_dir

FOLDER = "live"
SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "env", "timeout", "nice"})
"""Programs between a client and its hook or server that are not the client."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process that cannot be mistaken for a later one with its number."""

    pid: int
    started: str = ""


@dataclass(frozen=True, slots=True)
class LiveSession:
    """One session that hooks feed: its name, its directory, its client's process, its project."""

    name: str
    path: str
    client: Process
    project: str
    at: float = 0.0


def ancestry(pid: int) -> tuple[Process, ...]:
    """The ancestors of process `pid`, parent first; empty where the system does not tell."""
    found: list[Process] = []
    while (parent := _parent(pid)) > 1 and len(found) < 64:
        found.append(Process(parent, _started(parent)))
        pid = parent
    return tuple(found)


def client_of(pid: int) -> Process:
    """The client that started the hook process `pid`: its first ancestor that is no shell."""
    for process in ancestry(pid):
        if _program(process.pid) not in SHELLS:
            return process
    return Process(0)


def register(root: Path, *, name: str, path: Path, client: Process, project: str) -> None:
    """Note a live hook session; the latest entry of a name counts."""
    session = LiveSession(name, str(path), client, project, time.time())
    _write(root, f"session-{name}.json", asdict(session))


def forget(root: Path, name: str) -> None:
    """The session ended."""
    with contextlib.suppress(OSError):
        (root / "run" / FOLDER / f"session-{name}.json").unlink()


def find(root: Path, pids: tuple[Process, ...], project: str) -> tuple[LiveSession, ...]:
    """Sessions that a door with these ancestors joins, newest first.

    Those of the client process that started it, the nearest with a session: a client may itself
    have been started by another. One process may serve several projects (an editor's windows): then
    those of the same project. Without such a client, those of the same project directory. Where
    several fit, the door takes the first and the labels of all (gateway.md G-11).
    """
    live = sorted(sessions(root), key=lambda s: -s.at)
    of_project = [s for s in live if project and s.project == project]
    nearest = next((pid for pid in pids if any(s.client == pid for s in live)), None)
    if nearest is None:
        return tuple(of_project)
    same_client = [s for s in live if s.client == nearest]
    return tuple([s for s in same_client if s in of_project] or same_client)


def announce_gateway(root: Path) -> Path:
    """Note that this process is a gateway; unlink the returned file at the end."""
    me = os.getpid()
    entry = {
        "self": asdict(Process(me, _started(me))),
        "ancestors": [asdict(process) for process in ancestry(me)],
    }
    return _write(root, f"gateway-{me}.json", entry)


def gateway_runs(root: Path, client: Process) -> bool:
    """Whether a gateway runs that `client` started."""
    if not client.pid:
        return False
    for entry in _entries(root, "gateway-"):
        ancestors = entry.get("ancestors")
        if not isinstance(ancestors, list) or not _alive(_process(entry.get("self"))):
            continue
        if client in map(_process, ancestors):
            return True
    return False


def sessions(root: Path) -> list[LiveSession]:
    """The hook sessions whose client still runs."""
    found = []
    for entry in _entries(root, "session-"):
        client = _process(entry.get("client"))
        if not _alive(client):
            continue
        texts = [entry.get(key) for key in ("name", "path", "project")]
        at = entry.get("at")
        if all(isinstance(text, str) for text in texts) and isinstance(at, int | float):
            name, path, project = map(str, texts)
            found.append(LiveSession(name, path, client, project, float(at)))
    return found


def _entries(root: Path, prefix: str) -> list[dict[str, object]]:
    found = []
    with contextlib.suppress(OSError):
        for file in sorted((root / "run" / FOLDER).glob(f"{prefix}*.json")):
            with contextlib.suppress(OSError, ValueError):
                entry = json.loads(file.read_text("utf-8"))
                if isinstance(entry, dict):
                    found.append(entry)
    return found


def _write(root: Path, file: str, entry: object) -> Path:
    folder = private_dir(private_dir(root / "run") / FOLDER)
    target = folder / file
    fresh = folder / f".{file}.{os.getpid()}"
    fresh.write_text(json.dumps(entry), "utf-8")
    fresh.replace(target)
    return target


def _process(value: object) -> Process:
    if isinstance(value, dict) and isinstance(value.get("pid"), int):
        return Process(value["pid"], str(value.get("started", "")))
    return Process(0)


def _alive(process: Process) -> bool:
    return process.pid > 0 and process == Process(process.pid, _started(process.pid))


def _stat(pid: int) -> list[str]:
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def _ps(pid: int, column: str) -> str:
    """A column of `ps`, for systems without /proc."""
    if Path("/proc/self/stat").exists():
        return ""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        words = ["ps", "-o", f"{column}=", "-p", str(pid)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=2, check=False)
        return done.stdout.strip()
    return ""


def _parent(pid: int) -> int:
    fields = _stat(pid)
    if fields:
        return int(fields[1])
    found = _ps(pid, "ppid")
    return int(found) if found.isdigit() else 0


def _started(pid: int) -> str:
    fields = _stat(pid)
    return fields[19] if len(fields) > 19 else _ps(pid, "lstart") or "gone"


def _program(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip()
    except OSError:
        return Path(_ps(pid, "comm")).name
