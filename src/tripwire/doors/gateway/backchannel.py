"""Requests to the client: an upstream's sampling, elicitation and roots, and the gateway's own.

Ids are mapped so that two upstreams can use the same ones; progress tokens only where they collide
(G-3). Does not read what is asked or answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tripwire.doors.gateway import approval, jsonrpc
from tripwire.doors.gateway.jsonrpc import Member, Message
from tripwire.doors.gateway.notes import note
from tripwire.doors.gateway.open import Open
from tripwire.doors.gateway.upstream import Upstream
from tripwire.model.verdict import Verdict

PROGRESS_SECONDS = 5.0
"""How often a client that waits for an answer is told that somebody is still being asked."""
LOOK_SECONDS = 0.5
"""How often it is looked whether a person has answered in a terminal or on the web page."""
_WHY_WITHDRAWN = {
    "cancelled": "the call was cancelled",
    "timeout": "no answer came",
    "elsewhere": "it was answered elsewhere",
    "denied": "it was answered elsewhere",
}


@dataclass(slots=True, eq=False)
class Asked:
    """One open request to the client."""

    upstream: Upstream | None = None
    id_text: str = ""
    key: tuple[str, Any] | None = None
    token: str = ""
    answer: asyncio.Future[Message] | None = None


class BackChannel:
    """The requests that the client has not answered yet."""

    def __init__(self, send: Callable[[str], None]) -> None:
        self._send = send
        self._open: dict[int, Asked] = {}
        self._number = 0
        self._tokens: dict[tuple[str, Any], tuple[Upstream, str]] = {}
        self.can_ask = False

    # ── an upstream asks ─────────────────────────────────────────────────────────────────────

    def request(self, upstream: Upstream, message: Message) -> None:
        """Pass a request on under a number of the gateway."""
        edits: list[tuple[Member, str]] = []
        asked = Asked(upstream, message.raw("id"), jsonrpc.key_of(message.get("id")))
        number = self._opened(asked)
        token = message.inner("params", "_meta").get("progressToken")
        key = jsonrpc.key_of(token.value) if token else None
        if token is not None and key is not None:
            original = message.text[token.start : token.end]
            taken = self._tokens.get(key)
            if taken is not None and taken[0] is not upstream:
                mine = f"tripwire-{number}"
                edits.append((token, jsonrpc.dumps(mine)))
                key = ("str", mine)
            self._tokens[key] = (upstream, original)
            asked.token = original
        self._send(message.with_id(str(number), *edits))

    def withdraw(self, upstream: Upstream, message: Message) -> None:
        """An upstream cancels its own request."""
        key = jsonrpc.key_of(message.params.get("requestId"))
        place = message.inner("params").get("requestId")
        for number, asked in list(self._open.items()):
            if asked.upstream is upstream and asked.key == key and place is not None:
                self._close(number)
                self._send(message.spliced((place, str(number))))
                return
        note(f"upstream {upstream.name}: cancelled a request that is not open")

    def gone(self, upstream: Upstream) -> None:
        """The upstream has died: what it asked is withdrawn."""
        for number, asked in list(self._open.items()):
            if asked.upstream is upstream:
                self._close(number)
                self._cancel(number, "the server that asked has ended")

    # ── the client answers ───────────────────────────────────────────────────────────────────

    def answered(self, message: Message) -> None:
        """A response of the client."""
        number = message.get("id")
        asked = self._open.get(number) if type(number) is int else None
        if asked is None:
            note("dropped an answer of the client to no open request")
            return
        self._close(number)
        if asked.upstream is not None:
            asked.upstream.send(message.with_id(asked.id_text))
        elif asked.answer is not None and not asked.answer.done():
            asked.answer.set_result(message)

    def progressed(self, message: Message) -> Upstream | None:
        """A progress notification of the client: sent to whoever gave the token; None if nobody."""
        place = message.inner("params").get("progressToken")
        key = jsonrpc.key_of(place.value) if place else None
        found = self._tokens.get(key) if key else None
        if found is None or place is None:
            return None
        upstream, original = found
        upstream.send(message.spliced((place, original)))
        return upstream

    # ── the gateway asks ─────────────────────────────────────────────────────────────────────

    async def ask_person(
        self, hold: approval.Hold, verdict: Verdict, call: Open, said: Callable[[], str]
    ) -> str:
        """`yes`, `no`, `timeout`, `cancelled`; `elsewhere` for a yes that the journal has already.

        "" if nobody can be asked. `said` tells what was answered in a terminal or on the web page.
        """
        if not self.can_ask and not hold.elsewhere:
            return ""
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()

        def withdraw() -> None:
            answer.cancel()

        call.on_cancel.append(withdraw)
        number = self._opened(Asked(answer=answer)) if self.can_ask else 0
        if number:
            asked = approval.params(hold, verdict)
            self._send(jsonrpc.request(str(number), "elicitation/create", asked))
        given = await self._waited(answer, hold, call, said)
        call.on_cancel.remove(withdraw)
        if given in ("yes", "no"):
            return given
        if number:
            self._close(number)
            self._cancel(number, _WHY_WITHDRAWN[given])
        return "no" if given == "denied" else given

    async def _waited(
        self,
        answer: asyncio.Future[Message],
        hold: approval.Hold,
        call: Open,
        said: Callable[[], str],
    ) -> str:
        """Whichever answer comes first: yes, no, cancelled, elsewhere, denied; or timeout."""
        loop = asyncio.get_running_loop()
        end = loop.time() + hold.seconds
        step = LOOK_SECONDS if hold.elsewhere else PROGRESS_SECONDS
        told = loop.time()
        while (left := end - loop.time()) > 0:
            await asyncio.wait((answer,), timeout=min(left, step))
            if answer.cancelled():
                return "cancelled"
            if answer.done():
                return "yes" if approval.said_yes(answer.result()) else "no"
            given = said() if hold.elsewhere else ""
            if given in ("granted", "denied"):
                return "elsewhere" if given == "granted" else given
            if loop.time() - told >= PROGRESS_SECONDS:
                told = loop.time()
                self._tell_progress(call, end - told)
        return "timeout"

    def _tell_progress(self, call: Open, left: float) -> None:
        token = call.message.inner("params", "_meta").get("progressToken")
        if token is None or jsonrpc.key_of(token.value) is None:
            return
        # Progress must grow, and the upstream's own starts at 0: the seconds left, negated, fit.
        params = (
            f'{{"progressToken":{call.message.text[token.start : token.end]},'
            f'"progress":{-max(1, round(left))},"message":"Waiting for the user\'s approval"}}'
        )
        self._send(jsonrpc.notification("notifications/progress", params))

    # ── numbers ──────────────────────────────────────────────────────────────────────────────

    def _opened(self, asked: Asked) -> int:
        self._number += 1
        self._open[self._number] = asked
        return self._number

    def _close(self, number: int) -> None:
        asked = self._open.pop(number, None)
        if asked is None or not asked.token:
            return
        for key, (upstream, original) in list(self._tokens.items()):
            if upstream is asked.upstream and original == asked.token:
                del self._tokens[key]

    def _cancel(self, number: int, why: str) -> None:
        params = jsonrpc.dumps({"requestId": number, "reason": why})
        self._send(jsonrpc.notification("notifications/cancelled", params))
