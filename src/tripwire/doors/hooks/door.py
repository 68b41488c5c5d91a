"""The hook door: one request of the shim in, one answer out; every event goes through a Session.

Holds the sessions that hooks feed and what the wire makes necessary: which call was asked about,
double delivery, results that got lost. Decides nothing: verdicts come from `Session.decide`, and
everything that goes wrong ends in `unanswered.refuse` (flow.md HOOK-4).
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tripwire.doors.hooks import claude_code as wire
from tripwire.doors.hooks import unanswered
from tripwire.doors.hooks.claude_code import Hook
from tripwire.doors.hooks.talk import Talk
from tripwire.errors import JournalTampered, MalformedInput, TripwireError
from tripwire.io import live
from tripwire.io.daemon import Answer, Request, log
from tripwire.io.home import session_name
from tripwire.io.policies import Policies
from tripwire.io.session import open_session
from tripwire.model.label import ALL_LABELS

QUIET = 1800.0
"""Seconds after which a session nobody used is closed; its journal brings it back."""

Clock = Callable[[], float]


@dataclass(slots=True)
class HookDoor:
    """Every hook session of one state root."""

    root: Path
    policies: Policies
    clock: Clock = time.time
    talks: dict[str, Talk] = field(default_factory=dict)
    early: dict[str, list[Hook]] = field(default_factory=dict)
    """Instruction files of sessions that did not start yet: the client names them first."""
    lost: set[str] = field(default_factory=set)
    """Markers that could not be written (a full or read-only disk)."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, request: Request) -> Answer:
        """Answer one event; never raises, never lets a guarded event through unjudged."""
        try:
            return self._answer(request)
        except MalformedInput as problem:
            digest = hashlib.sha256(request.body).hexdigest()
            log(f"{problem} ({len(request.body)} bytes, sha256 {digest})")
            return self._refuse(request, str(problem))
        except TripwireError as problem:
            log(str(problem))
            return self._refuse(request, str(problem))
        except Exception as bug:  # noqa: BLE001 - a bug must not become an open door
            log(f"internal error: {type(bug).__name__} at {_line(bug)}")
            return self._refuse(request, f"internal error: {type(bug).__name__}")

    def status(self) -> dict[str, object]:
        """For `tripwire daemon status`."""
        return {"sessions": len(self.talks), "policies": self.policies.status()}

    def close_quiet(self) -> None:
        """Close sessions that nobody used for a while."""
        with self._lock:
            for name, talk in list(self.talks.items()):
                if self.clock() - talk.used > QUIET and talk.lock.acquire(blocking=False):
                    talk.session.close()
                    del self.talks[name]
                    talk.lock.release()

    def close(self) -> None:
        """Close every session."""
        with self._lock:
            for talk in self.talks.values():
                talk.session.close()
            self.talks.clear()

    def _refuse(self, request: Request, why: str) -> Answer:
        code, out, err = unanswered.refuse(str(self.root), request.client, request.body, why)
        if b"left no marker" in err:
            with contextlib.suppress(MalformedInput):
                self.lost.add(self._marker(request, wire.parse(request.body)))
        return Answer(code, out.decode(), err.decode())

    def _answer(self, request: Request) -> Answer:
        if request.client != wire.CLIENT:
            raise MalformedInput(f"no adapter for the client {request.client[:40]!r}", where="hook")
        hook = wire.parse(request.body)
        if hook.name in wire.NO_OPINION or self._too_early(request, hook):
            return Answer()
        try:
            return self._decided(request, hook)
        except JournalTampered as problem:  # opened anew it starts from all labels (STATE-3)
            log(str(problem))
            self._end(self._name(request, hook))
            return self._decided(request, hook)

    def _decided(self, request: Request, hook: Hook) -> Answer:
        with self._talk(request, hook) as talk:
            if talk.left_to_gateway(hook):
                return Answer()
            return Answer(out=talk.answer(hook, request.gone))

    def _name(self, request: Request, hook: Hook) -> str:
        return session_name(wire.CLIENT, request.session or hook.session)

    def _too_early(self, request: Request, hook: Hook) -> bool:
        if hook.name != "InstructionsLoaded":
            return False
        name = self._name(request, hook)
        with self._lock:
            if name in self.talks or self._path(name).exists():
                return False
            self.early.setdefault(name, []).append(hook)
            return True

    def _path(self, name: str) -> Path:
        return self.root / "sessions" / name

    @contextlib.contextmanager
    def _talk(self, request: Request, hook: Hook) -> Iterator[Talk]:
        """The session of this event, opened if need be, locked, with its losses taken in."""
        name = self._name(request, hook)
        with self._lock:
            talk = self.talks.get(name)
            if talk is not None and self.policies.changed(talk.project, talk.session.engine.policy):
                with talk.lock:
                    talk.session.close()
                talk = None
            if talk is None:
                talk = self.talks[name] = self._open(name, request, hook)
        with talk.lock:
            talk.used = self.clock()
            self._take_losses(talk, self._marker(request, hook))
            yield talk
        if hook.name == "SessionEnd":
            self._end(name)

    def _open(self, name: str, request: Request, hook: Hook) -> Talk:
        project = request.project or hook.cwd
        policy = self.policies.of(project)
        known = self._path(name).exists()
        session = open_session(policy, root=self.root, name=name, client=wire.CLIENT)
        client = live.client_of(request.pid) if request.pid else live.Process(0)
        talk = Talk(session, self.root, project, request.home, client, self.clock)
        if not known:
            talk.first_sight(hook)
        for loaded in self.early.pop(name, []):
            talk.answer(loaded, request.gone)
        with contextlib.suppress(OSError, TripwireError):
            live.register(self.root, name=name, path=session.path, client=client, project=project)
        return talk

    def _end(self, name: str) -> None:
        with self._lock:
            talk = self.talks.pop(name, None)
        if talk is not None:
            with talk.lock:
                talk.session.close()
            live.forget(self.root, name)

    def _marker(self, request: Request, hook: Hook) -> str:
        return unanswered.marker(str(self.root), request.client, hook.session)

    def _take_losses(self, talk: Talk, marker: str) -> None:
        if marker in self.lost or Path(marker).exists():
            talk.reopen(ALL_LABELS, "a result of this session could not be recorded")
            Path(marker).unlink(missing_ok=True)
            self.lost.discard(marker)


def _line(bug: Exception) -> str:
    """File and line where `bug` was raised."""
    trace = bug.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "?"
