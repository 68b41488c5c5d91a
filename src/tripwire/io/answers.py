"""The approvals of one session, kept in step with what other processes answered (gateway.md §3.7).

A person answers a held call in a terminal or a web page: that writes to approvals.jsonl. The
session takes such an answer in as an event of its own, so that the journal has it before it counts.
What a record grants is what was *held* under its id: nothing else in the grant is believed.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from tripwire.act.approval import call_hash, covering, reach
from tripwire.errors import EvidenceUnavailable, JournalTampered
from tripwire.io.home import iso, seconds_of
from tripwire.io.shared import Shared, state_of
from tripwire.ledger.approval import ENDED, OUTSIDE, Book, Standing
from tripwire.memory.memory import Memory
from tripwire.model.event import Approved, Denied, Event, ToolCall
from tripwire.model.label import Label
from tripwire.model.verdict import Action, Verdict
from tripwire.rule import Case

PATIENCE = 600.0
"""Seconds that a call of an unattended client can be approved for (flow.md §4.2: 10 min)."""


MOST_HELD = 1024
"""Held calls that one process remembers; older ones can still be approved, through the file."""


@dataclass(slots=True)
class Hold:
    """One held call that waits for an answer."""

    id: str
    call_hash: str
    rules: frozenset[str]
    expires: float


@dataclass(slots=True)
class Answers:
    """What is held in this session, and what was said to it."""

    shared: Shared
    session: str
    holds: dict[str, Hold] = field(default_factory=dict)
    """Approval id → the calls that this process holds."""
    written: set[str] = field(default_factory=set)
    """Ids of answers that stand in the file already."""

    # ── holding ──────────────────────────────────────────────────────────────────────────────

    def id_for(self, event: ToolCall, judged: Verdict, case: Case, *, attended: bool) -> str:
        """The id under which a person can approve this call from elsewhere, "" if nobody can.

        The same call held again keeps its id, so that a client that repeats it floods nobody.
        """
        question, offered = judged.question, case.policy.approvals
        if question is None or not OUTSIDE & set(offered.channels):
            return ""
        patience = offered.timeout_ms / 1000 if attended else PATIENCE
        digest, rules, now = call_hash(event, case.memory), frozenset(question.rules), time.time()
        for hold in self.holds.values():
            if (hold.call_hash, hold.rules) == (digest, rules) and hold.expires > now + 1:
                return hold.id
        while len(self.holds) >= MOST_HELD:
            del self.holds[next(iter(self.holds))]
        hold = Hold(f"ap-{secrets.token_hex(4)}", digest, rules, now + patience)
        self.holds[hold.id] = hold
        return hold.id

    def record(self, event: ToolCall, name: str, case: Case, decision: tuple[str, int]) -> None:
        """Write that the call is held. If that fails, nobody can approve it: it stays refused."""
        with suppress(EvidenceUnavailable, JournalTampered):
            if name not in self.shared.approvals.book():
                self._write(event, self.holds[name], case, decision)

    def _write(self, event: ToolCall, hold: Hold, case: Case, decision: tuple[str, int]) -> None:
        place = reach(event, case)
        self.shared.approvals.append(
            {
                "id": hold.id,
                "state": "pending",
                "session": self.session,
                "principal": event.principal,
                "tool": event.exposed if event.exposed.isprintable() else "",
                "call_hash": hold.call_hash,
                "rules": sorted(hold.rules),
                "labels": sorted(label.value for label in case.memory.labels.as_set()),
                "destinations": sorted(place.destinations),
                "sums": int(place.amount is not None),
                "max_ttl": round(case.policy.approvals.max_ttl),
                "scope": {"kind": "once"},
                "created": iso(time.time()),
                "expires": iso(hold.expires),
                "decision_id": decision[0],
                "audit_seq": decision[1],
            }
        )

    def state(self, name: str) -> str:
        """pending, granted, denied …; "" if nothing is known or the file is not genuine."""
        try:
            found = self.shared.approvals.book().get(name)
        except JournalTampered:
            return ""
        return found.state if found is not None else ""

    # ── what was said elsewhere ──────────────────────────────────────────────────────────────

    def news(self, event: Event, judged: Verdict, memory: Memory) -> list[Approved | Denied]:
        """The events that the session has not met: grants, refusals, ends. Journal, then use.

        Nothing is looked up for a verdict that no answer could change.
        """
        held = memory.approvals
        if not isinstance(event, ToolCall):
            return []
        if judged.question is None and not held.granted and not held.scoped:
            return []
        now = time.time()
        try:
            book = self.shared.approvals.book()
        except JournalTampered:
            return [
                self._ended(a, "tampered") for a in memory.approvals.all() if a.channel in OUTSIDE
            ]
        found: list[Approved | Denied] = list(self._ends(book, memory, event.at))
        known = {a.approval_id for a in memory.approvals.all()}
        for name, standing in book.items():
            if standing.held.get("session") == self.session and name not in known:
                found += self._answer(name, standing, now)
        return found

    def _ends(self, book: Book, memory: Memory, now: float) -> Iterator[Denied]:
        """Grants of the session that hold no longer at `now`, the time of the call."""
        for approval in memory.approvals.all():
            standing = book.get(approval.approval_id)
            if approval.expires and approval.expires < now:
                yield self._ended(approval, "expired", written=False)
            elif standing is None:
                if approval.channel in OUTSIDE:
                    yield self._ended(approval, "no record")
            elif standing.state in ENDED:
                why = "revoked" if standing.state == "revoked" else standing.state
                yield self._ended(approval, why)
            elif standing.state == "used" and approval.once:
                yield self._ended(approval, "used already")

    def _answer(self, name: str, standing: Standing, now: float) -> Iterator[Approved | Denied]:
        if standing.state == "granted" and standing.grant is not None:
            granted = _approved(name, standing)
            if granted.expires < now:
                yield self._ended(granted, "expired", written=False)
            else:
                self.written.add(name)
                self.holds.pop(name, None)
                yield granted
        elif name in self.holds and standing.state == "denied":
            hold = self.holds.pop(name)
            self.written.add(name)
            yield Denied(name, hold.call_hash, hold.rules, "cli", "denied")
        elif name in self.holds and self.holds[name].expires < now:
            hold = self.holds.pop(name)
            if standing.state == "pending":
                yield Denied(name, hold.call_hash, hold.rules, "", "expired")

    def _ended(self, approval: Approved, why: str, *, written: bool = True) -> Denied:
        if written:
            self.written.add(approval.approval_id)
        return Denied(
            approval.approval_id, approval.call_hash, approval.rules, approval.channel, why
        )

    def to_write(self, answer: Approved | Denied) -> bool:
        """Whether the answer is still to be written to the file."""
        if answer.approval_id in self.written:
            self.written.discard(answer.approval_id)
            return False
        self.holds.pop(answer.approval_id, None)
        same = isinstance(answer, Denied) and self.state(answer.approval_id) == state_of(answer.why)
        return not same


def used_by(event: Event, verdict: Verdict, case: Case) -> tuple[Approved, ...]:
    """The approvals that a passing call rests on."""
    if not isinstance(event, ToolCall) or not verdict.passes:
        return ()
    silenced = {f.rule for f in verdict.findings if f.action is Action.ALLOW}
    return tuple(a for a in covering(event, case) if a.rules & silenced) if silenced else ()


def _approved(name: str, standing: Standing) -> Approved:
    """The held call and its rules; of the grant only who gave it, until when, and its scope."""
    held, grant = standing.held, standing.grant or {}
    scope = grant.get("scope") or {}
    scoped = scope.get("kind") == "scoped"
    return Approved(
        approval_id=name,
        call_hash=str(held["call_hash"]),
        rules=frozenset(map(str, held["rules"])),
        approver=str(grant.get("approver", "")),
        channel=str(grant.get("channel", "")),
        labels=frozenset(Label(label) for label in held["labels"]),
        expires=seconds_of(str(grant.get("expires", ""))),
        once=not scoped,
        tool=str(held["tool"]) if scoped else "",
        destinations=frozenset(map(str, held["destinations"])) if scoped else frozenset(),
        max_amount=str(scope.get("max_amount", "")) if scoped else "",
        purpose=str(scope.get("purpose", "")) if scoped else "",
    )
