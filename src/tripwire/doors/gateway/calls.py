"""One guarded request from start to end: judge, ask, forward, record the outcome, deliver.

Tool calls, and the reads that bring an upstream's text to the agent (resources, prompts, task
results; R-1). The usual path runs in callbacks, without a task of its own; only listing and asking
wait. Decides nothing: `Record` does, and without its verdict nothing passes (E-1).
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, Final, Protocol

from tripwire.doors.gateway import approval, intent, jsonrpc, refusal
from tripwire.doors.gateway.catalogue import Catalogue
from tripwire.doors.gateway.jsonrpc import Member, Message
from tripwire.doors.gateway.listing import TOOLS
from tripwire.doors.gateway.names import INTENT_TOOL
from tripwire.doors.gateway.open import NOTHING, Open
from tripwire.doors.gateway.record import Record
from tripwire.doors.gateway.upstream import Lost, Reply, Upstream
from tripwire.io.links import links_of
from tripwire.model.event import Approved, OutcomeUnknown, ToolCall, ToolResult
from tripwire.model.policy import Policy
from tripwire.model.verdict import Verdict

MOST_QUESTIONS: Final = 5
"""Rounds of asking about one call; a call that still has a question then is refused."""


class Client(Protocol):
    """The agent's side, as a call sees it."""

    @property
    def can_ask(self) -> bool:
        """Whether the client can ask its user."""

    def answer(self, call: Open, text: str) -> None:
        """Send the answer of a request; "" if it gets none."""

    async def ask_person(
        self, hold: approval.Hold, verdict: Verdict, call: Open, said: Callable[[], str]
    ) -> str:
        """`yes`, `no`, `timeout`, `cancelled`, `elsewhere`, or "" if no person can be asked."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run work that has to wait for something."""


class Calls:
    """Works on guarded requests."""

    def __init__(
        self,
        policy: Policy,
        upstreams: Mapping[str, Upstream],
        catalogue: Catalogue,
        record: Record,
        client: Client,
        *,
        home: str,
    ) -> None:
        self._policy = policy
        self._catalogue = catalogue
        self._record = record
        self._client = client
        self._home = home
        self._upstreams = upstreams

    # ── from the client ──────────────────────────────────────────────────────────────────────

    def tool(self, call: Open) -> None:
        """A tools/call."""
        name = call.message.params.get("name")
        args = call.message.params.get("arguments", {})
        if not isinstance(name, str) or not isinstance(args, dict):
            self._error(call, jsonrpc.INVALID_PARAMS, "tools/call needs a name and arguments")
            return
        if name == INTENT_TOOL and "declared" in self._policy.intent_sources:
            self._client.spawn(self._intent(call, args))
            return
        target = self._catalogue.tool(name)
        if target is not None and self._catalogue.is_fresh(TOOLS, target.upstream):
            self._tool(call, name, args)
            return
        self._client.spawn(self._listed_tool(call, name, args))

    async def _listed_tool(self, call: Open, name: str, args: dict[str, Any]) -> None:
        await self._catalogue.ready(TOOLS)
        if not call.closed:
            self._tool(call, name, args)

    def _tool(self, call: Open, name: str, args: dict[str, Any]) -> None:
        target = self._catalogue.tool(name)
        if target is None:
            near = self._catalogue.by_prefix(name)
            if near is not None and not near.up:
                self._unavailable(call, name, near.down())
                return
            self._error(call, jsonrpc.INVALID_PARAMS, f"Unknown tool: {name}")
            return
        edits: tuple[tuple[Member, str], ...] = ()
        if target.name != name:
            edits = ((call.message.inner("params")["name"], jsonrpc.quoted(target.name)),)
        self.read(call, self._upstreams[target.upstream], target.name, args, *edits)

    def read(
        self,
        call: Open,
        upstream: Upstream,
        tool: str,
        args: dict[str, Any],
        *edits: tuple[Member, str],
    ) -> None:
        """Judge and forward one guarded request to `upstream`."""
        cwd = upstream.policy.cwd or os.getcwd()  # noqa: PTH109 — the string is what events hold
        call.upstream, call.edits = upstream, edits
        call.event = ToolCall(
            call_id=f"c-{os.urandom(8).hex()}",
            source=upstream.name,
            tool=tool,
            args=args,
            cwd=cwd,
            at=time.time(),
            links=links_of(args, cwd=cwd, home=self._home),
        )
        if not upstream.up:
            self._unavailable(call, call.event.exposed, upstream.down())
            return
        self._record.decide(
            call.event, lambda verdict: self._judged(call, verdict), size=len(call.message.text)
        )

    def _judged(self, call: Open, verdict: Verdict | None) -> None:
        if verdict is not None and verdict.passes:
            self._forward(call)
        elif verdict is not None and verdict.question is not None and not call.closed:
            self._client.spawn(self._held(call, verdict))
        else:
            self._refuse(call, verdict)

    async def _held(self, call: Open, verdict: Verdict | None) -> None:
        """Ask, report the answer, judge again; until the call passes or is refused."""
        for _ in range(MOST_QUESTIONS):
            if verdict is None or verdict.question is None:
                break
            session = self._record.session
            labels = session.memory.labels.as_set()
            hold = approval.Hold.of(call.event, verdict, self._policy.approvals, session.memory)
            said = partial(session.approval_state, hold.id)
            answer = await self._client.ask_person(hold, verdict, call, said)
            if answer not in ("yes", "elsewhere"):
                await self._not_approved(call, verdict, hold, answer)
                return
            granted: Approved = hold.approved(f"os:{os.getuid()}", labels)
            if answer == "yes" and await self._record.verdict(granted) is None:
                verdict = None
                break
            verdict = await self._record.verdict(call.event)
        if verdict is not None and verdict.passes:
            self._forward(call)
        else:
            self._refuse(call, verdict)

    async def _not_approved(
        self, call: Open, verdict: Verdict, hold: approval.Hold, answer: str
    ) -> None:
        code, message, why = {
            "no": ("approval_denied", "The user was asked and did not allow it.", "denied"),
            "timeout": ("approval_timeout", "The user was asked and did not answer.", "timeout"),
            "cancelled": ("approval_denied", "The call was cancelled.", "cancelled"),
            "": ("hold_required", "A person has to allow this, and none can be asked.", "no one"),
        }[answer]
        channels = tuple(
            each
            for each in self._policy.approvals.channels
            if (each == approval.CHANNEL and self._client.can_ask)
            or (each != approval.CHANNEL and hold.elsewhere)
        )
        await self._record.verdict(hold.denied(why))
        said = refusal.body(
            verdict,
            hold.call,
            self._policy,
            code=code,
            message=message,
            approval=hold.shown(channels),
        )
        self._answer_refusal(call, said)

    async def _intent(self, call: Open, args: dict[str, Any]) -> None:
        self._reply(call, await intent.declared(self._record, args, self._policy))

    # ── to the upstream and back ─────────────────────────────────────────────────────────────

    def _forward(self, call: Open) -> None:
        call.attempted = True
        if call.closed or call.upstream is None:
            self._unknown(call, "cancelled before it was sent")
            return
        call.waiting = call.upstream.send_request(
            call.message, lambda reply: self._came(call, reply), *call.edits
        )

    def _came(self, call: Open, reply: Reply) -> None:
        if isinstance(reply, Lost):
            self._lost(call, reply)
            return
        self._record.decide(
            self._outcome(call.event, reply),
            lambda verdict: self._deliver(call, reply, verdict),
            size=len(reply.text),
        )

    def _outcome(self, event: ToolCall, reply: Message) -> ToolResult:
        """The result as evidence; what is too large or too deep is named, not held (§7)."""
        part = reply.parts.get("result") or reply.parts["error"]
        limits = self._policy.limits
        omitted = ""
        if larger_than(reply.text, limits.message_bytes):
            omitted = "size"
        elif jsonrpc.deeper_than(reply.text, part.value, limits.depth):
            omitted = "depth"
        raw = reply.text[part.start : part.end].encode("utf-8", "surrogatepass") if omitted else b""
        value = part.value
        failed = "result" not in reply.parts or (
            isinstance(value, dict) and value.get("isError") is True
        )
        return ToolResult(
            call_id=event.call_id,
            source=event.source,
            tool=event.tool,
            args=event.args,
            result=None if omitted else value,
            is_error=failed,
            cwd=event.cwd,
            links=event.links,
            omitted=omitted,
            omitted_bytes=len(raw),
            omitted_sha256=hashlib.sha256(raw).hexdigest() if omitted else "",
        )

    def _deliver(self, call: Open, reply: Message, verdict: Verdict | None) -> None:
        if verdict is None:
            self._refuse(call, None)
        elif not verdict.passes:
            self._refuse(call, verdict)
        elif not call.closed:
            self._client.answer(call, reply.with_id(call.id_text))

    def _lost(self, call: Open, lost: Lost) -> None:
        if lost.why == "down":
            self._unknown(call, "never sent: the upstream is down")
            self._unavailable(call, call.event.exposed, lost)
            return
        self._unknown(call, lost.why)
        if call.closed:
            return
        said = refusal.fault(
            "upstream_unavailable",
            call.event.exposed,
            f"{lost.text}. Whether the call took effect is unknown.",
            "Do not repeat a call that changes something before you have looked whether it "
            "happened.",
            upstream=call.event.source,
            retry_in_ms=lost.retry_in_ms,
            outcome="unknown",
        )
        self._answer_refusal(call, said)

    def _unknown(self, call: Open, why: str) -> None:
        event = call.event
        outcome = OutcomeUnknown(event.call_id, event.source, event.tool, why)
        self._record.decide(outcome, lambda _: None)

    # ── answers ──────────────────────────────────────────────────────────────────────────────

    def cancelled(self, call: Open, notice: Message) -> None:
        """The client does not wait any more: no answer; a late result is still recorded (G-8)."""
        if call.closed:
            return
        self._client.answer(call, "")
        for withdraw in call.on_cancel:
            withdraw()
        if call.waiting is not None and call.upstream is not None:
            call.upstream.cancel(call.waiting, notice)
            if call.event is not NOTHING:
                self._unknown(call, "cancelled")

    def _refuse(self, call: Open, verdict: Verdict | None) -> None:
        if verdict is None:
            self._answer_refusal(call, self._no_evidence(call))
            return
        self._answer_refusal(call, refusal.body(verdict, call.event, self._policy))

    def _no_evidence(self, call: Open) -> dict[str, object]:
        what = "The call's result was withheld" if call.attempted else "The call was not sent"
        return refusal.fault(
            "evidence_unavailable",
            call.event.exposed,
            f"{what}: its record cannot be written ({self._record.fault}).",
            "Ask the operator to make the state directory writable; calls are refused until then.",
        )

    def _unavailable(self, call: Open, tool: str, lost: Lost) -> None:
        said = refusal.fault(
            "upstream_unavailable",
            tool,
            f"{lost.text}. Nothing was sent.",
            "Try again later, or go on without this tool.",
            upstream=call.upstream.name if call.upstream else tool.partition("__")[0],
            retry_in_ms=lost.retry_in_ms,
        )
        self._answer_refusal(call, said)

    def _answer_refusal(self, call: Open, said: Mapping[str, object]) -> None:
        if call.is_tool:
            self._reply(call, refusal.tool_result(said))
        else:
            self._error(call, jsonrpc.SERVER_ERROR, str(said["message"]), said)

    def _reply(self, call: Open, value: str) -> None:
        if not call.closed:
            self._client.answer(call, jsonrpc.result(call.id_text, value))

    def _error(self, call: Open, code: int, why: str, data: object = None) -> None:
        if not call.closed:
            self._client.answer(call, jsonrpc.error(call.id_text, code, why, data))


def larger_than(text: str, limit: int) -> bool:
    """Whether a text has more bytes than `limit` in UTF-8."""
    if len(text) * 4 <= limit:
        return False
    return len(text) > limit or len(text.encode("utf-8", "surrogatepass")) > limit
