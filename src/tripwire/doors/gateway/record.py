"""Every event of the gateway goes through here to the session, in order, and never around it.

Small events are decided on the event loop; large results in one worker thread, and then everything
that follows them as well, so that the order stays and the loop is free (gateway.md P-15).
A session that cannot write gives no verdict: the caller must refuse (E-1).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from tripwire.doors.gateway.notes import note
from tripwire.errors import TripwireError
from tripwire.io.session import Session
from tripwire.model.event import Event, OutcomeUnknown, ToolCall, ToolResult
from tripwire.model.verdict import Verdict

DOOR: Final = "gateway"
HEAVY: Final = 256 * 1024
"""Characters of a result from which it is judged off the event loop."""

FAULTS: Final = (
    TripwireError,
    OSError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""Whatever goes wrong while an event is decided: without a verdict nothing passes."""

T = TypeVar("T")
Then = Callable[[Verdict | None], None]


class Record:
    """The session, as the gateway's modules use it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="tripwire-judge")
        self._running = 0
        self._lesson: Callable[[], None] | None = None
        """Learns what was decided last, once that is passed on."""
        self._owed: deque[ToolResult | OutcomeUnknown] = deque()
        self.fault = ""

    def decide(self, event: Event, then: Then, *, size: int = 0) -> None:
        """Judge and record `event`; `then` gets the verdict, None if it could not be recorded."""
        if self._running == 0 and size < HEAVY:
            then(self._decided(event))
            if self._running == 0:  # else the worker's next decision learns first
                self._learn()
            return
        loop = asyncio.get_running_loop()

        def back(verdict: Verdict | None) -> None:
            then(verdict)
            if self._lesson is not None:
                self._work(self._learn, loop, lambda _: None)

        self._work(lambda: self._decided(event), loop, back)

    def _work(
        self, work: Callable[[], T], loop: asyncio.AbstractEventLoop, back: Callable[[T], None]
    ) -> None:
        """Do `work` in the worker; what is decided until then goes there as well."""
        self._running += 1

        def came(value: T) -> None:
            self._running -= 1
            back(value)

        self._worker.submit(work).add_done_callback(
            lambda future: loop.call_soon_threadsafe(came, future.result())
        )

    def _learn(self) -> None:
        """Learn what was decided last: `then` has passed it on, as far as the pipe takes it."""
        lesson, self._lesson = self._lesson, None
        if lesson is not None:
            lesson()

    def _put_off(self, lesson: Callable[[], None]) -> None:
        self._lesson = lesson

    async def verdict(self, event: Event, *, size: int = 0) -> Verdict | None:
        """The same for a coroutine."""
        answer: asyncio.Future[Verdict | None] = asyncio.get_running_loop().create_future()

        def then(verdict: Verdict | None) -> None:
            if not answer.done():
                answer.set_result(verdict)

        self.decide(event, then, size=size)
        return await answer

    def close(self) -> None:
        """Finish what is being judged, and close the session."""
        self._worker.shutdown()
        self._pay()
        self.session.close()

    def _decided(self, event: Event) -> Verdict | None:
        if isinstance(event, ToolCall) and not self._pay():
            return None
        verdict = self._written(event)
        if verdict is None and isinstance(event, ToolResult | OutcomeUnknown):
            self._owed.append(event)
        return verdict

    def _pay(self) -> bool:
        """Record what could not be recorded when it happened: no receipt is ever lost."""
        while self._owed:
            if self._written(self._owed[0]) is None:
                return False
            self._owed.popleft()
        return True

    def _written(self, event: Event) -> Verdict | None:
        try:
            verdict = self.session.decide(event, door=DOOR, later=self._put_off)
        except FAULTS as fault:
            # The type only, unless the message is one of ours: others may quote values.
            self.fault = str(fault) if isinstance(fault, TripwireError) else type(fault).__name__
            note(f"the evidence cannot be written: {self.fault}. Calls are refused until it can.")
            return None
        self.fault = ""
        return verdict
