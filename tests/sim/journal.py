"""A session without a disk: the port of io/session.py, for tests of doors and of users' own agents.

The same judge, modes, evidence and lesson; the records stay in memory. `fail` makes the next
appends fail, as a full disk does.
"""

from __future__ import annotations

from pathlib import Path

from tripwire.engine import Engine
from tripwire.errors import EvidenceUnavailable
from tripwire.ledger import receipt
from tripwire.ledger.chain import BEGINNING, Entry, Tip, link, parse
from tripwire.ledger.entry import Links, Redactor, entry
from tripwire.ledger.keys import SessionKeys
from tripwire.ledger.receipt import Receipt, Receipted
from tripwire.model.event import Event, OutcomeUnknown, ToolCall, ToolResult
from tripwire.model.policy import Policy
from tripwire.model.verdict import Action, Verdict

NOW = "2026-11-30T10:00:00.000Z"


class SimulatedSession:
    """`decide`, `sync` and `close` as a Session has them."""

    def __init__(self, policy: Policy, *, name: str = "simulated", attended: bool = True) -> None:
        self.engine = Engine(policy)
        self.name = name
        self.path = Path("/nowhere") / name
        self.entries: list[Entry] = []
        self.receipts: list[Receipt] = []
        self.fail = False
        self.closed = False
        self._attended = attended
        self._keys = SessionKeys.derive(name.encode().ljust(32, b"."))
        self._tip: Tip = BEGINNING
        self._attempts: dict[str, int] = {}

    def decide(self, event: Event, *, door: str = "") -> Verdict:
        """Judge, write the evidence, remember. Raises EvidenceUnavailable while `fail` is set."""
        event = receipt.recordable(event)
        judged = self.engine.judge(event)
        verdict = judged if self._attended else judged.unattended()
        if self.engine.policy.flow.mode == "monitor":
            verdict = judged.at_most(Action.INFORM)
        if self.fail:
            raise EvidenceUnavailable("the journal cannot be written (simulated)")
        verdict = self._write(event, judged, verdict, door)
        self.engine.learn(event, verdict)
        return verdict

    def sync(self) -> None:
        """Nothing to wait for."""

    def close(self) -> None:
        """No more decisions."""
        self.closed = True

    def _write(self, event: Event, judged: Verdict, verdict: Verdict, door: str) -> Verdict:
        seq = self._tip.seq + 1
        made = None
        if isinstance(event, Receipted):
            made = receipt.build(
                event, session=self.name, seq=len(self.receipts) + 1, ts=NOW, keys=self._keys,
                spans=receipt.secret_spans,
            )  # fmt: skip
            self.receipts.append(made)
        attempt = 0
        if isinstance(event, ToolResult | OutcomeUnknown):
            attempt = self._attempts.pop(event.call_id, 0)
        decision_id = self._keys.decision_id(seq)
        links = Links(decision_id, door, first=seq == 1, attempt=attempt, receipt=made)
        redactor = Redactor(self._keys, receipt.secret_spans)
        kind, data = entry(event, judged, verdict, links, redactor)
        line, self._tip = link(self._tip, NOW, kind, data, self._keys.audit)
        self.entries.append(parse(line))
        if isinstance(event, ToolCall) and verdict.passes:
            self._attempts[event.call_id] = seq
        return Verdict(verdict.findings, verdict.destinations, verdict.not_scanned, decision_id)
