"""One client session at the hook door: the events of one hook in order, and the answer to it.

Remembers only what the wire makes necessary: which call was asked about (APR-3), what was judged
under a call id, and the latest answers (HOOK-7). What the session knows is the Session's.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tripwire.act.approval import call_hash
from tripwire.doors.hooks import claude_code as wire
from tripwire.doors.hooks.claude_code import Hook
from tripwire.errors import MalformedInput
from tripwire.io import links, live, remotes
from tripwire.io.session import Session
from tripwire.model.event import (
    Access,
    Approved,
    FileTouched,
    OutcomeUnknown,
    SessionOpened,
    ToolCall,
)
from tripwire.model.label import ALL_LABELS, Label
from tripwire.model.verdict import Question, Verdict

DOOR = "hooks/claude-code"
REPEAT = 10.0
"""Seconds in which the same delivery counts once (flow.md HOOK-7)."""
KEPT = 4096
"""Calls in flight that are remembered."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question the client was told to ask."""

    question: Question
    labels: frozenset[Label]


def first_sight(hook: Hook, project: str, home: str) -> SessionOpened:
    """How a session without a journal begins: clean if the client says it is new.

    A resumed, compacted or forked session of which nothing is known, and a first event that is no
    start, may have read anything: they begin with all labels (flow.md STATE-4).
    """
    if hook.name == "SessionStart" and hook.source in ("startup", "clear", ""):
        known = remotes.remotes_of(project)
        return SessionOpened(wire.CLIENT, project, home, known, why=hook.source or "startup")
    why = "what the session read before is not known"
    return SessionOpened(wire.CLIENT, project, home, inherited=ALL_LABELS, why=why)


@dataclass(slots=True)
class Talk:
    """The hook side of one Session."""

    session: Session
    root: Path
    project: str
    home: str
    client: live.Process
    clock: Callable[[], float]
    judged: OrderedDict[str, str] = field(default_factory=OrderedDict)
    """Call id → hash of the call that was judged under it."""
    asked: dict[str, Asked] = field(default_factory=dict)
    delivered: OrderedDict[tuple[str, str, str], tuple[float, int, str]] = field(
        default_factory=OrderedDict
    )
    """(phase, call id, hash) → when, receipts then, answer."""

    def reopen(self, inherited: frozenset[Label], why: str) -> None:
        """Go on with at least these labels; remotes that appeared since are not trusted."""
        opened = SessionOpened(wire.CLIENT, self.project, self.home, inherited=inherited, why=why)
        self.session.decide(opened, door=DOOR)

    def left_to_gateway(self, hook: Hook) -> bool:
        """Whether our gateway judges this call; only if one really runs under this client."""
        if hook.name not in (*wire.BEFORE, *wire.AFTER):
            return False
        source, _ = wire.source_and_tool(hook.tool, hook.server)
        return source == wire.GATEWAY_ENTRY and live.gateway_runs(self.root, self.client)

    def answer(self, hook: Hook, gone: Callable[[], bool]) -> str:
        """Decide the events of `hook` and render the answer."""
        if hook.name in wire.BEFORE:
            return self._before(hook, gone)
        if hook.name in wire.AFTER:
            return self._after(hook)
        if hook.name == "UserPromptSubmit":
            return wire.render(hook, self._prompt(hook))
        if hook.name == "InstructionsLoaded":
            return wire.render(hook, self._touch(hook.path, hook.cwd))
        if hook.name in ("SessionStart", "SessionEnd"):
            return ""
        raise MalformedInput(f"unknown event {hook.name[:40]!r}", where="hook event")

    def _prompt(self, hook: Hook) -> Verdict:
        verdict = self.session.decide(wire.user_said(hook), door=DOOR)
        for path in dict.fromkeys(wire.mentions(hook.prompt)):
            verdict |= self._touch(path, hook.cwd)
        return verdict

    def _touch(self, path: str, cwd: str) -> Verdict:
        there = links.existing(path, cwd=cwd or self.project, home=self.home)
        if not there:
            return Verdict()
        real = links.links_of({"path": there}, cwd="", home="").get(there, there)
        return self.session.decide(FileTouched(real, Access.READ), door=DOOR)

    def _call(self, hook: Hook) -> ToolCall:
        resolved = links.links_of(hook.args, cwd=hook.cwd, home=self.home)
        return wire.tool_call(hook, at=self.clock(), links=resolved)

    def _before(self, hook: Hook, gone: Callable[[], bool]) -> str:
        if gone():
            raise MalformedInput("the client did not wait", where="hook event")
        call = self._call(hook)
        key = (hook.name, hook.call_id, call_hash(call))
        if (said := self._repeated(key)) is not None:
            return said
        verdict = self.session.decide(call, door=DOOR)
        self._remember(call, key[2], verdict)
        if verdict.passes and gone():
            why = "the client did not wait for the verdict"
            lost = OutcomeUnknown(call.call_id, call.source, call.tool, why)
            self.session.decide(lost, door=DOOR)
        return self._deliver(key, wire.render(hook, verdict))

    def _remember(self, call: ToolCall, digest: str, verdict: Verdict) -> None:
        self.judged[call.call_id] = digest
        while len(self.judged) > KEPT:
            old, _ = self.judged.popitem(last=False)
            self.asked.pop(old, None)
        self.asked.pop(call.call_id, None)
        if question := verdict.question:
            labels = self.session.engine.memory.labels.as_set()
            self.asked[call.call_id] = Asked(question, labels)

    def _after(self, hook: Hook) -> str:
        call = self._call(hook)
        outcome = _fingerprint(hook.response)
        key = (hook.name, hook.call_id, call_hash(call) + outcome)
        if (said := self._repeated(key, learnt=True)) is not None:
            return said
        asked = self.asked.pop(hook.call_id, None)
        judged = self.judged.pop(hook.call_id, "")
        if judged and judged != call_hash(call):
            rewritten = "act/rewritten-call: the arguments are not the judged ones"
            self.reopen(frozenset({Label.UNTRUSTED}), rewritten)
        elif asked and hook.mode in wire.ATTENDED:
            self._approve(call, asked)
        verdict = self.session.decide(wire.tool_result(hook, call), door=DOOR)
        return self._deliver(key, wire.render(hook, verdict))

    def _approve(self, call: ToolCall, asked: Asked) -> None:
        """The person was asked by the client, and the very call ran (flow.md APR-3)."""
        grant = Approved(
            approval_id=f"ap-{call_hash(call)[:12]}",
            call_hash=call_hash(call),
            rules=frozenset(asked.question.rules),
            approver="user",
            channel="client prompt",
            labels=asked.labels,
            expires=call.at + self.session.engine.policy.flow.approval_ttl,
            once=False,
        )
        self.session.decide(grant, door=DOOR)
        self.session.decide(call, door=DOOR)

    def _repeated(self, key: tuple[str, str, str], *, learnt: bool = False) -> str | None:
        """The first answer to the same delivery.

        A call is judged afresh once the session has learnt anything since: the second delivery must
        not pass by an answer that is no longer right.
        """
        at, receipts, said = self.delivered.get(key, (0.0, -1, ""))
        if not key[1] or self.clock() - at > REPEAT:
            return None
        return said if learnt or receipts == self.session.engine.memory.receipts else None

    def _deliver(self, key: tuple[str, str, str], said: str) -> str:
        receipts = self.session.engine.memory.receipts
        self.delivered[key] = (self.clock(), receipts, said)
        while len(self.delivered) > KEPT:
            self.delivered.popitem(last=False)
        return said


def _fingerprint(value: object) -> str:
    """A short name of a result, to tell two deliveries apart."""
    return f"{hash(json.dumps(value, sort_keys=True, default=repr)):x}"
