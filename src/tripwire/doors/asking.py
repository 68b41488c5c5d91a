"""Ask the person behind a library guard: absent, raising, late or odd answers are a no (LIB-3)."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from typing import Any

from tripwire.model.verdict import Question

NO = "no"


def answer_sync(ask: Callable[[Question], Any] | None, question: Question, patience: float) -> str:
    """The answer, waiting at most `patience` seconds; an async `ask` gets a loop of its own."""
    if ask is None:
        return NO
    box: list[str] = []

    def work() -> None:
        try:
            given = ask(question)
            if inspect.isawaitable(given):
                given = asyncio.run(_wait(given))
            box.append(str(given))
        except Exception:  # noqa: BLE001  (whatever a caller's code raises is a no)
            box.append(NO)

    thread = threading.Thread(target=work, name="tripwire-ask", daemon=True)
    thread.start()
    thread.join(patience)
    return box[0] if box else NO


async def answer_async(
    ask: Callable[[Question], Any] | None, question: Question, patience: float
) -> str:
    """The answer inside a running loop; a sync `ask` runs in a thread, so the loop goes on."""
    if ask is None:
        return NO
    try:
        if inspect.iscoroutinefunction(ask):
            given = await asyncio.wait_for(ask(question), patience)
        else:
            given = await asyncio.wait_for(asyncio.to_thread(ask, question), patience)
            if inspect.isawaitable(given):
                given = await asyncio.wait_for(_wait(given), patience)
        return str(given)
    except Exception:  # noqa: BLE001  (as above; a time-out is a no as well)
        return NO


async def _wait(given: Any) -> Any:
    return await given
