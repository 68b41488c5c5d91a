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

from tripwire.doors.hooks import unanswered
from tripwire.doors.hooks.clients import received
from tripwire.doors.hooks.events import PROBE_SESSION
from tripwire.doors.hooks.hook import Client, Hook, Phase
from tripwire.doors.hooks.lookout import Lookout
from tripwire.doors.hooks.projects import Projects
from tripwire.doors.hooks.talk import Talk, first_sight
from tripwire.errors import MalformedInput, TripwireError
from tripwire.io import live
from tripwire.io.daemon import Answer, Request, log
from tripwire.io.home import session_name
from tripwire.io.policies import Policies
from tripwire.io.session import open_session
from tripwire.model.label import ALL_LABELS
from tripwire.model.verdict import ALLOWED

QUIET = 1800.0
"""Seconds after which a session nobody used is closed."""

Clock = Callable[[], float]


@dataclass(slots=True)
class Seat:
    """The place of one session, open or not, and the lock of its events."""

    talk: Talk | None = None
    used: float = 0.0
    told: bool = False
    """The session was told that its project's policy waits for a person."""
    lock: threading.RLock = field(default_factory=threading.RLock)

    def close(self) -> None:
        """Let the session go; its journal brings it back."""
        talk, self.talk = self.talk, None
        if talk is None:
            return
        self.told = self.told or talk.told
        try:
            talk.session.close()
        except Exception as bug:  # noqa: BLE001 - what is let go cannot do harm any more
            log(f"a session did not close: {type(bug).__name__} at {_line(bug)}")


@dataclass(slots=True)
class HookDoor:
    """Every hook session of one state root."""

    root: Path
    policies: Policies
    clock: Clock = time.time
    seats: dict[str, Seat] = field(default_factory=dict)
    early: dict[str, list[Hook]] = field(default_factory=dict)
    """Instruction files of sessions that did not start yet: the client names them first."""
    projects: Projects | None = None
    """Where tripwires come from; None: none are shown."""
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
        return {
            "sessions": sum(seat.talk is not None for seat in list(self.seats.values())),
            "policies": self.policies.status(),
        }

    def close_quiet(self) -> None:
        """Close sessions that nobody used for a while."""
        with self._lock:
            for name, seat in list(self.seats.items()):
                if self.clock() - seat.used > QUIET and seat.lock.acquire(blocking=False):
                    seat.close()
                    del self.seats[name]
                    seat.lock.release()

    def close(self) -> None:
        """Close every session."""
        with self._lock:
            for seat in self.seats.values():
                seat.close()
            self.seats.clear()

    def _refuse(self, request: Request, why: str) -> Answer:
        code, out, err = unanswered.refuse(str(self.root), request.client, request.body, why)
        if b"left no marker" in err:
            with contextlib.suppress(MalformedInput):
                self.lost.add(self._marker(request, received(request.client, request.body)[1]))
        return Answer(code, out.decode(), err.decode())

    def _answer(self, request: Request) -> Answer:
        client, hook = received(request.client, request.body)
        nothing = Answer(out=client.render(hook, ALLOWED))
        name = _name(request, client, hook)
        if hook.phase is Phase.QUIET or self._too_early(name, hook):
            return nothing
        with self._talk(name, request, client, hook) as talk:
            if talk.left_to_gateway(hook):
                return nothing
            return Answer(out=talk.answer(hook, request.gone))

    def _too_early(self, name: str, hook: Hook) -> bool:
        if hook.phase is not Phase.INSTRUCTIONS:
            return False
        with self._lock:
            if name in self.seats or (self.root / "sessions" / name).exists():
                return False
            self.early.setdefault(name, []).append(hook)
            return True

    @contextlib.contextmanager
    def _talk(self, name: str, request: Request, client: Client, hook: Hook) -> Iterator[Talk]:
        """The session of this event, opened if need be, locked, with its losses taken in.

        Other sessions go on meanwhile: a journal that another process holds stops only its own.
        """
        with self._lock:
            seat = self.seats.setdefault(name, Seat())
        with seat.lock:
            talk = seat.talk
            if talk is not None and self.policies.changed(talk.project, talk.session.engine.policy):
                seat.close()
            if talk is None or seat.talk is None:
                talk = self._opened(name, seat, (request, client, hook))
            seat.used = self.clock()
            try:
                self._take_losses(talk, self._marker(request, hook))
                yield talk
            except MalformedInput:
                raise
            except Exception:
                seat.close()  # the next event begins from the evidence, not from this half
                raise
            if hook.phase is Phase.ENDED:
                seat.close()
                live.forget(self.root, name)

    def _opened(self, name: str, seat: Seat, asked: tuple[Request, Client, Hook]) -> Talk:
        """The session in its seat; a new one, or one whose policy changed, is told what waits."""
        owed = not seat.told and (seat.used > 0 or not (self.root / "sessions" / name).exists())
        talk = seat.talk = self._open(name, *asked)
        if owed:
            talk.news = talk.session.engine.policy.unaccepted
        return talk

    def _open(self, name: str, request: Request, client: Client, hook: Hook) -> Talk:
        project = request.project or hook.cwd
        session = open_session(
            self.policies.of(project),
            root=self.root,
            name=name,
            client=client.name,
            fresh=first_sight(client.name, hook, project, request.home),
            attended=client.asks,
        )
        process = live.client_of(request.pid) if request.pid else live.Process(0)
        probe = hook.session.startswith(PROBE_SESSION)
        lookout = Lookout(client, self.projects, project, request.home, probe=probe)
        talk = Talk(session, self.root, client, lookout, process, self.clock)
        for loaded in self.early.pop(name, []):
            talk.answer(loaded, request.gone)
        with contextlib.suppress(OSError, TripwireError):
            live.register(self.root, name=name, path=session.path, client=process, project=project)
        return talk

    def _marker(self, request: Request, hook: Hook) -> str:
        return unanswered.marker(str(self.root), request.client, hook.session)

    def _take_losses(self, talk: Talk, marker: str) -> None:
        if marker in self.lost or Path(marker).exists():
            talk.reopen(ALL_LABELS, "a result of this session could not be recorded")
            Path(marker).unlink(missing_ok=True)
            self.lost.discard(marker)


def _name(request: Request, client: Client, hook: Hook) -> str:
    """The session's name; events without a session id share one for each project."""
    known = hook.session or f"\0{request.project or hook.cwd}"
    return request.session or session_name(client.name, known)


def _line(bug: Exception) -> str:
    """File and line where `bug` was raised."""
    trace = bug.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "?"
