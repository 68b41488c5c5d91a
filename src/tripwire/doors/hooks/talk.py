"""One client session at the hook door: the events of one hook in order, and the answer to it.

Remembers only what the wire makes necessary: which call was asked about (APR-3), what was judged
under a call id, and the latest answers (HOOK-7). What the session knows is the Session's.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from tripwire.act.approval import call_hash
from tripwire.doors.hooks import events
from tripwire.doors.hooks.hook import Client, Hook, Phase
from tripwire.doors.hooks.lookout import Lookout
from tripwire.errors import MalformedInput
from tripwire.io import links, live, remotes
from tripwire.io.session import Session
from tripwire.model.event import (
    Access,
    Approved,
    ContextCleared,
    Event,
    FileTouched,
    OutcomeUnknown,
    SessionOpened,
    ToolCall,
)
from tripwire.model.label import ALL_LABELS, Label
from tripwire.model.tripwire import FileAccess
from tripwire.model.verdict import Action, Finding, Question, Verdict

REPEAT = 10.0
"""Seconds in which the same delivery counts once (flow.md HOOK-7)."""
KEPT = 4096
"""Calls in flight that are remembered."""
FORGOTTEN = ("compact", "clear")
"""How a session starts whose agent no longer sees what it was shown (CTX-34)."""
READ_AGAIN = "beforeReadFile"
"""Cursor's second event for one read, which has no call id."""

K_ = TypeVar("K_")
V_ = TypeVar("V_")
Key = tuple[str, str, str]
"""Phase, call id, hash of the call (and of its result)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question the client was told to ask."""

    question: Question
    labels: frozenset[Label]


@dataclass(frozen=True, slots=True)
class Delivered:
    """What was answered: when, with how many receipts, and the verdict without its texts."""

    at: float
    receipts: int
    verdict: Verdict


def first_sight(client: str, hook: Hook, project: str, home: str) -> SessionOpened:
    """How a session without a journal begins: clean if the client says it is new.

    A resumed, compacted or forked session of which nothing is known, and a first event that is no
    start, may have read anything: they begin with all labels (flow.md STATE-4).
    """
    if hook.phase is Phase.STARTED and hook.source in ("startup", "clear", ""):
        known = remotes.remotes_of(project)
        return SessionOpened(client, project, home, known, why=hook.source or "startup")
    why = "what this session read before is unknown"
    return SessionOpened(client, project, home, inherited=ALL_LABELS, why=why)


@dataclass(slots=True)
class Talk:
    """The hook side of one Session."""

    session: Session
    root: Path
    client: Client
    lookout: Lookout
    process: live.Process
    clock: Callable[[], float]
    judged: OrderedDict[str, str] = field(default_factory=OrderedDict)
    """Call id → hash of the call that was judged under it."""
    asked: dict[str, Asked] = field(default_factory=dict)
    delivered: OrderedDict[Key, Delivered] = field(default_factory=OrderedDict)
    reads: OrderedDict[tuple[str, str], Delivered] = field(default_factory=OrderedDict)
    """Turn and path of a read → its answer."""
    untold: OrderedDict[str, tuple[Finding, ...]] = field(default_factory=OrderedDict)
    """Call id → what the client takes only after the call."""
    news: str = ""
    """What the agent is told once, with the first answer that can carry it (ADR 0013)."""
    told: bool = False
    """The news was told."""

    @property
    def project(self) -> str:
        """The directory the session was opened for."""
        return self.lookout.project

    def reopen(self, inherited: frozenset[Label], why: str) -> None:
        """Go on with at least these labels; remotes that appeared since are not trusted."""
        name, home = self.client.name, self.lookout.home
        self._decide(SessionOpened(name, self.project, home, inherited=inherited, why=why))

    def left_to_gateway(self, hook: Hook) -> bool:
        """Whether our gateway judges this call; only if one really runs under this client."""
        if hook.phase not in (Phase.BEFORE, Phase.AFTER):
            return False
        source, _ = events.source_and_tool(hook.tool, hook.server)
        return source == events.GATEWAY_ENTRY and live.gateway_runs(self.root, self.process)

    def answer(self, hook: Hook, gone: Callable[[], bool]) -> str:
        """Decide the events of `hook` and render the answer."""
        verdict = self._verdict(hook, gone)
        if self.news and hook.session:
            told = Finding("act/policy", Action.INFORM, self.news, tell=f"Tripwire: {self.news}")
            both = replace(verdict | Verdict.of(told), decision_id=verdict.decision_id)
            answer = self.client.render(hook, both)
            if self.news in answer:
                self.news, self.told = "", True
                return answer
        return self.client.render(hook, verdict)

    def _verdict(self, hook: Hook, gone: Callable[[], bool]) -> Verdict:
        if not hook.session:  # an event on its own: nothing was shown before (CTX-34)
            self._decide(ContextCleared("no session id", agent=hook.agent))
        match hook.phase:
            case Phase.BEFORE:
                return self._before(hook, gone)
            case Phase.AFTER:
                return self._after(hook)
            case Phase.PROMPT:
                return self._prompt(hook)
            case Phase.INSTRUCTIONS:
                return self._touch(self._there(hook.path, hook), hook)
            case Phase.COMPACTED:
                self._decide(ContextCleared(hook.name, agent=hook.agent))
            case Phase.STARTED if hook.source in FORGOTTEN:
                self._decide(ContextCleared(hook.source, agent=hook.agent))
        return Verdict()

    def _decide(self, event: Event) -> Verdict:
        return self.session.decide(event, door=f"hooks/{self.client.name}")

    # ── prompts ──────────────────────────────────────────────────────────────────────────────

    def _prompt(self, hook: Hook) -> Verdict:
        verdict = self._decide(events.user_said(hook))
        paths = tuple(dict.fromkeys(events.mentions(hook.prompt)))
        touched = self.lookout.of_prompt(paths, hook, self.session)
        for path in paths:
            if there := self._there(path, hook):
                # All of them make one plan, with the first (CTX-32).
                verdict |= self._touch(there, hook, touched)
                touched = ()
        return verdict

    def _there(self, path: str, hook: Hook) -> str:
        return links.existing(path, cwd=hook.cwd or self.project, home=self.lookout.home)

    def _touch(self, there: str, hook: Hook, touched: tuple[FileAccess, ...] = ()) -> Verdict:
        if not there:
            return Verdict()
        real = links.links_of({"path": there}, cwd="", home="").get(there, there)
        event = FileTouched(real, Access.READ, self.clock(), hook.agent, touched)
        return self._decide(event)

    # ── calls ────────────────────────────────────────────────────────────────────────────────

    def _call(self, hook: Hook) -> ToolCall:
        resolved = links.links_of(hook.args, cwd=hook.cwd, home=self.lookout.home)
        return events.tool_call(hook, at=self.clock(), links=resolved)

    def _before(self, hook: Hook, gone: Callable[[], bool]) -> Verdict:
        if gone():
            raise MalformedInput("the client did not wait", where="hook event")
        call = self._call(hook)
        key = (hook.phase.value, hook.call_id, call_hash(call))
        said = self._repeated(key) or self._read_again(hook)
        if said is not None:
            return said
        call = replace(call, touched=self.lookout.of_call(call, self.session))
        verdict = self._decide(call)
        self._remember(call, key[2], verdict)
        if verdict.passes and gone():
            why = "the client did not wait for the verdict"
            self._decide(OutcomeUnknown(call.call_id, call.source, call.tool, why))
        if not self.client.tells_before:
            told = (f for f in verdict.findings if f.tell and f.action is Action.INFORM)
            _keep(self.untold, hook.call_id, tuple(told))
        if hook.generation and hook.tool == "Read":
            path = str(hook.args.get("file_path", ""))
            _keep(self.reads, (hook.generation, path), self._quiet(verdict))
        return self._deliver(key, verdict)

    def _remember(self, call: ToolCall, digest: str, verdict: Verdict) -> None:
        self.judged[call.call_id] = digest
        while len(self.judged) > KEPT:
            old, _ = self.judged.popitem(last=False)
            self.asked.pop(old, None)
        self.asked.pop(call.call_id, None)
        if question := verdict.question:
            labels = self.session.engine.memory.labels.as_set()
            self.asked[call.call_id] = Asked(question, labels)

    def _after(self, hook: Hook) -> Verdict:
        call = self._call(hook)
        outcome = _fingerprint(hook.response)
        key = (hook.phase.value, hook.call_id, call_hash(call) + outcome)
        if (said := self._repeated(key, learnt=True)) is not None:
            return said
        asked = self.asked.pop(hook.call_id, None)
        judged = self.judged.pop(hook.call_id, "")
        if judged and judged != call_hash(call):
            rewritten = "act/rewritten-call: the arguments are not the judged ones"
            self.reopen(frozenset({Label.UNTRUSTED}), rewritten)
        elif asked and hook.mode in events.ATTENDED:
            self._approve(call, asked)
        result = events.tool_result(hook, call)
        result = replace(result, touched=self.lookout.of_result(result, call, self.session))
        verdict = self._decide(result)
        untold = self.untold.pop(hook.call_id, ())
        return self._deliver(key, verdict | Verdict.of(*untold) if untold else verdict)

    def _approve(self, call: ToolCall, asked: Asked) -> None:
        """The person was asked by the client, and the very call ran (flow.md APR-3)."""
        digest = call_hash(call, self.session.memory)
        grant = Approved(
            approval_id=f"ap-{digest[:12]}",
            call_hash=digest,
            rules=frozenset(asked.question.rules),
            approver="user",
            channel="client prompt",
            labels=asked.labels,
            expires=call.at + self.session.engine.policy.flow.approval_ttl,
            once=False,
        )
        self._decide(grant)
        self._decide(call)

    # ── what was answered ────────────────────────────────────────────────────────────────────

    def _repeated(self, key: Key, *, learnt: bool = False) -> Verdict | None:
        """The first verdict on the same delivery; what it tells was told (CTX-34, HOOK-7).

        A call is judged afresh once the session has learnt anything since: the second delivery must
        not pass by an answer that is no longer right.
        """
        found = self.delivered.get(key) if key[1] else None
        return self._still(found, learnt=learnt)

    def _read_again(self, hook: Hook) -> Verdict | None:
        """The verdict on a read of which Cursor sends a second event: same turn and path."""
        if hook.name != READ_AGAIN or not hook.generation:
            return None
        return self._still(self.reads.get((hook.generation, str(hook.args.get("file_path", "")))))

    def _still(self, found: Delivered | None, *, learnt: bool = False) -> Verdict | None:
        if found is None or self.clock() - found.at > REPEAT:
            return None
        right = learnt or found.receipts == self.session.engine.memory.receipts
        return found.verdict if right else None

    def _quiet(self, verdict: Verdict) -> Delivered:
        silent = Verdict.of(
            *(replace(f, tell="") if f.action is Action.INFORM else f for f in verdict.findings)
        )
        kept = replace(silent, decision_id=verdict.decision_id)
        return Delivered(self.clock(), self.session.engine.memory.receipts, kept)

    def _deliver(self, key: Key, verdict: Verdict) -> Verdict:
        _keep(self.delivered, key, self._quiet(verdict))
        return verdict


def _keep(kept: OrderedDict[K_, V_], key: K_, value: V_) -> None:
    """Remember the latest."""
    kept[key] = value
    while len(kept) > KEPT:
        kept.popitem(last=False)


def _fingerprint(value: object) -> str:
    """A short name of a result, to tell two deliveries apart."""
    return f"{hash(json.dumps(value, sort_keys=True, default=repr)):x}"
