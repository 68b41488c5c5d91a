"""The library door: `Guard` puts the same engine around an agent's own Python tools (flow.md §4.5).

One Guard is one conversation. Thread- and task-safe. It decides nothing: it builds events, asks the
person through `on_ask`, and renders the verdict as a return value or an exception.
"""

from __future__ import annotations

import secrets
import threading
import time
import warnings
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, overload

from tripwire.act.approval import call_hash
from tripwire.config.load import load_policy
from tripwire.config.presets import policy_from_mapping, policy_from_preset
from tripwire.doors.asking import answer_async, answer_sync
from tripwire.doors.opened import opened, opened_args
from tripwire.doors.wrapping import wrap
from tripwire.errors import TripwireError, UsageError
from tripwire.io.home import session_name, state_home
from tripwire.io.session import open_session
from tripwire.model.event import (
    Approved,
    Denied,
    SessionOpened,
    ToolCall,
    ToolResult,
    UserSaid,
)
from tripwire.model.label import Label
from tripwire.model.policy import Policy
from tripwire.model.verdict import Action, Question, Verdict

P = ParamSpec("P")
R = TypeVar("R")


class Answer(StrEnum):
    """What a person answered to a question."""

    NO = "no"
    ONCE = "once"
    SESSION = "session"


OnAsk = Callable[[Question], Answer | Awaitable[Answer]]


class Blocked(TripwireError):
    """A call was stopped; `verdict` says by which rule, and what the agent can do now."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        first = verdict.findings[0]
        super().__init__(first.reason, where=first.rule, fix=first.remedy)


class Guard:
    """Judges the tool calls of one conversation.

    `policy` is a Policy, a path to a `tripwire.yaml`, the name of a preset, or a mapping in the
    form of `tripwire.yaml`. `on_ask(question)` asks a person and may be async; without it, and
    when it raises or takes longer than `approvals.timeout_ms`, the answer is no.
    `blocked="raise"` raises Blocked, `"return"` gives the tool's caller a short text it can relay.
    `mode="monitor"` records what would have happened and stops nothing. `session` continues a
    named conversation. `journal` is the folder of sessions (default: `$TRIPWIRE_HOME`).

    Raises PolicyErrors for a broken policy, StateUnusable if no record could be kept.
    """

    def __init__(
        self,
        policy: Policy | Path | str | Mapping[str, Any],
        *,
        on_ask: OnAsk | None = None,
        blocked: str = "return",
        mode: str = "enforce",
        session: str | None = None,
        journal: Path | str | None = None,
    ) -> None:
        if blocked not in ("return", "raise"):
            raise UsageError(f"blocked={blocked!r}", fix='Use "return" or "raise".')
        if mode not in ("enforce", "monitor"):
            raise UsageError(f"mode={mode!r}", fix='Use "enforce" or "monitor".')
        self.policy = _policy(policy, mode)
        self._on_ask = on_ask
        self._raises = blocked == "raise"
        self._source = _only_source(self.policy)
        root = Path(journal) if journal is not None else state_home()
        name = session_name("library", session or secrets.token_hex(16))
        self.session = open_session(self.policy, root=root, name=name, client="library")
        self.session.decide(SessionOpened("library"), door="library")
        self._pending: dict[tuple[str, str], list[str]] = {}
        self._lock = threading.Lock()
        self._heard_user = False
        self._last = Verdict()

    # ── what the conversation says ──────────────────────────────────────────────────────────

    def user_message(self, text: str) -> None:
        """The user's own words: they choose destinations and are trusted evidence."""
        self._heard_user = True
        self.session.decide(UserSaid(text), door="library")

    @property
    def labels(self) -> frozenset[Label]:
        """What the session has met so far."""
        return self.session.engine.memory.labels.as_set()

    def explain(self) -> str:
        """Why the last call fell as it did, for people."""
        lines = [f"{self._last.action.name} {self._last.decision_id}".strip()]
        for finding in self._last.findings:
            lines.append(f"  {finding.action.name} {finding.rule}: {finding.reason}")
            if finding.remedy:
                lines.append(f"    {finding.remedy}")
        return "\n".join(lines)

    # ── a call, in two halves ───────────────────────────────────────────────────────────────

    def check(self, tool: str, args: Mapping[str, Any], *, source: str | None = None) -> Verdict:
        """Judge a call before it runs; asks `on_ask` if a person must decide."""
        event = self._call(tool, args, source)
        verdict = self._decide(event)
        while (question := verdict.question) is not None:
            answer = answer_sync(self._on_ask, question, self._patience)
            verdict = self._answered(event, verdict, question, answer)
        return verdict

    async def acheck(
        self, tool: str, args: Mapping[str, Any], *, source: str | None = None
    ) -> Verdict:
        """`check` for a running event loop: an async `on_ask` is awaited."""
        event = self._call(tool, args, source)
        verdict = self._decide(event)
        while (question := verdict.question) is not None:
            answer = await answer_async(self._on_ask, question, self._patience)
            verdict = self._answered(event, verdict, question, answer)
        return verdict

    def observe(
        self,
        tool: str,
        args: Mapping[str, Any],
        result: object,
        error: BaseException | str | None = None,
        *,
        source: str | None = None,
    ) -> Verdict:
        """Tell what a call gave back; a failure's text is a result as well (flow.md FLOW-5)."""
        plain, _ = opened_args(args)
        where = self._where(tool, source)
        call_id = self._settle(where, plain)
        given = result if error is None else error
        event = ToolResult(call_id, *where, plain, opened(given).value, is_error=error is not None)
        return self.session.decide(event, door="library")

    # ── a tool, wrapped ─────────────────────────────────────────────────────────────────────

    @overload
    def tool(self, function: Callable[P, R], /) -> Callable[P, R]: ...

    @overload
    def tool(
        self, /, *, name: str | None = None, source: str | None = None
    ) -> Callable[[Callable[P, R]], Callable[P, R]]: ...

    def tool(
        self,
        function: Callable[..., Any] | None = None,
        /,
        *,
        name: str | None = None,
        source: str | None = None,
    ) -> Any:
        """Guard a function: sync, async, generator or async generator; keeps name and signature."""
        if function is None:
            return partial(self.tool_named, name=name, source=source)
        return self.tool_named(function, name=name, source=source)

    def tool_named(
        self, function: Callable[..., Any], *, name: str | None, source: str | None
    ) -> Callable[..., Any]:
        """The wrapped function itself; `tool` is the decorator form."""
        return wrap(self, function, name or function.__name__, source)

    def refuse(self, verdict: Verdict) -> str:
        """What a stopped call gives its caller: a short text, or Blocked raised."""
        if self._raises:
            raise Blocked(verdict)
        first = verdict.findings[0]
        advice = f" {first.remedy}" if first.remedy else ""
        return f"Blocked by Tripwire ({first.rule}): {first.reason}.{advice}"

    # ── inside ──────────────────────────────────────────────────────────────────────────────

    @property
    def _patience(self) -> float:
        return self.policy.approvals.timeout_ms / 1000

    def _where(self, tool: str, source: str | None) -> tuple[str, str]:
        return (source if source is not None else self._source, tool)

    def _call(self, tool: str, args: Mapping[str, Any], source: str | None) -> ToolCall:
        self._warn_without_user()
        plain, unopened = opened_args(args)
        call_id = secrets.token_hex(8)
        return ToolCall(
            call_id,
            *self._where(tool, source),
            plain,
            at=time.time(),
            unopened=unopened,
        )

    def _decide(self, event: ToolCall) -> Verdict:
        self._last = verdict = self.session.decide(event, door="library")
        if verdict.passes:
            with self._lock:
                key = (f"{event.source}\0{event.tool}", call_hash(event))
                self._pending.setdefault(key, []).append(event.call_id)
        return verdict

    def _settle(self, where: tuple[str, str], args: dict[str, Any]) -> str:
        """The id of the oldest such call that is still running; a new one if there is none."""
        key = ("\0".join(where), call_hash(ToolCall("", *where, args)))
        with self._lock:
            running = self._pending.get(key, [])
            call_id = running.pop(0) if running else secrets.token_hex(8)
            if not running:
                self._pending.pop(key, None)
        return call_id

    def _answered(
        self, event: ToolCall, verdict: Verdict, question: Question, answer: str
    ) -> Verdict:
        """Feed the answer back: judged again after a yes, refused after anything else."""
        approval_id = f"ap-{secrets.token_hex(4)}"
        hashed = call_hash(event, self.session.memory)
        rules = frozenset(question.rules)
        if answer not in (Answer.ONCE, Answer.SESSION):
            denied = Denied(approval_id, hashed, rules, "library")
            self.session.decide(denied, door="library")
            self._last = verdict.unattended()
            return self._last
        approved = Approved(
            approval_id,
            hashed,
            rules,
            approver="on_ask",
            channel="library",
            labels=self.labels,
            expires=event.at + self.policy.flow.approval_ttl,
            once=answer == Answer.ONCE,
        )
        self.session.decide(approved, door="library")
        return self._decide(event)

    def _warn_without_user(self) -> None:
        if self._heard_user:
            return
        self._heard_user = True
        warnings.warn(
            "Guard has not been told the user's words; call guard.user_message(text) so that "
            "destinations the user chose are not asked about",
            stacklevel=4,
        )


def _policy(given: Policy | Path | str | Mapping[str, Any], mode: str) -> Policy:
    if isinstance(given, Policy):
        policy = given
    elif isinstance(given, Mapping):
        policy = policy_from_mapping(given)
    elif isinstance(given, Path) or given.endswith((".yaml", ".yml", ".json")):
        policy = load_policy(Path(given))
    else:
        policy = policy_from_preset(given)
    if mode == "monitor":
        policy = replace(policy, flow=replace(policy.flow, mode="monitor"))
    return policy


def _only_source(policy: Policy) -> str:
    """The source of tools that name none: the policy's only one, else "library"."""
    named = [source for source, roles in policy.flow.tools.items() if not roles.preset]
    return named[0] if len(named) == 1 else "library"


__all__ = ["Action", "Answer", "Blocked", "Guard", "OnAsk"]
