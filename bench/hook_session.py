"""One agent session played through the real hook door, in this process; used by several benches.

Nothing is decided here: every event goes in as the bytes a client would send, and what a bench
reads back is the verdict that the door delivered.
"""

import json
import shutil
import tempfile
from pathlib import Path
from typing import Self

from tripwire.doors.hooks.door import HookDoor
from tripwire.io.daemon import Answer, Request
from tripwire.io.home import session_name
from tripwire.io.policies import Policies
from tripwire.model.policy import Policy
from tripwire.model.verdict import ALLOWED, Verdict

CLIENT = "claude-code"
CWD = "/r"
HOME = "/home/user"
_WIDE = 64
"""Sessions that are kept open at a time."""


class HookSessions:
    """A door with an empty state root of its own; `with` removes it in the end."""

    def __init__(self, policy: Policy) -> None:
        self._root = Path(tempfile.mkdtemp(prefix="tripwire-bench-"))
        self._policies = Policies(lambda _: (), lambda _: policy)
        self._door = HookDoor(self._root, self._policies)
        self._opened = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._door.close()
        shutil.rmtree(self._root, ignore_errors=True)

    def start(self, *, home: str = HOME, cwd: str = CWD) -> "HookSession":
        """A fresh session."""
        self._opened += 1
        if self._opened % _WIDE == 0:
            self._door.close()
        return HookSession(self._door, f"bench-{self._opened}", home, cwd)


class HookSession:
    """The events of one session, in order."""

    def __init__(self, door: HookDoor, session: str, home: str, cwd: str) -> None:
        self._door = door
        self._session = session
        self._home = home
        self._cwd = cwd
        self._calls = 0
        self._send("SessionStart", source="startup")

    def prompt(self, text: str) -> None:
        """The user's words."""
        self._send("UserPromptSubmit", prompt=text)

    def check(self, tool: str, args: dict[str, object]) -> Verdict:
        """The verdict on a call that the agent wants to make."""
        self._calls += 1
        answer = self._send("PreToolUse", **self._call(tool, args))
        if answer.code:
            raise RuntimeError(f"the door refused the event itself: {answer.err.strip()}")
        return self._delivered()

    def observe(self, tool: str, args: dict[str, object], result: object) -> None:
        """What the latest call gave back."""
        self._send("PostToolUse", **self._call(tool, args), tool_response=result)

    @property
    def labels(self) -> frozenset[str]:
        """The labels that the session holds."""
        talk = self._door.seats[session_name(CLIENT, self._session)].talk
        held = talk.session.engine.memory.labels.as_set() if talk is not None else frozenset()
        return frozenset(label.value for label in held)

    def _call(self, tool: str, args: dict[str, object]) -> dict[str, object]:
        return {"tool_name": tool, "tool_input": args, "tool_use_id": f"toolu_{self._calls}"}

    def _delivered(self) -> Verdict:
        talk = self._door.seats[session_name(CLIENT, self._session)].talk
        if talk is None:
            return ALLOWED
        key, delivered = next(reversed(talk.delivered.items()))
        if key[1] != f"toolu_{self._calls}":
            raise RuntimeError(f"no verdict for call {self._calls}: the latest is for {key[1]}")
        return delivered.verdict

    def _send(self, event: str, **fields: object) -> Answer:
        body = {"hook_event_name": event, "session_id": self._session, "cwd": self._cwd, **fields}
        raw = json.dumps(body).encode()
        return self._door.answer(Request(CLIENT, self._home, "", self._cwd, raw))
