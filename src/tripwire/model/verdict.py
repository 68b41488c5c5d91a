"""Action, Finding, Verdict: what rules say, and how what they say combines.

Strictness is arithmetic: combining is `max`, a verdict is a join (commutative, associative,
idempotent, never more lenient). Modes are functions on a verdict, here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import IntEnum

from tripwire.model.label import Origin
from tripwire.model.tripwire import Firing


class Action(IntEnum):
    """What happens to an event, by strictness."""

    ALLOW = 0
    INFORM = 1
    VERIFY = 2
    ASK = 3
    BLOCK = 4


@dataclass(frozen=True, slots=True)
class Edit:
    """A span of the event's text to replace: `[start, end)` in code points."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Violation:
    """One guarded parameter that is not grounded (gateway.md §2, block result)."""

    param: str
    reason: str
    required: str
    preview: str
    origins: tuple[Origin, ...] = ()
    origins_total: int = 0


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """One consistency check of the offline verifier or a panel (gateway.md C-3)."""

    check: str
    passed: bool
    reason: str
    verifier: str = "offline"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rule says of one event.

    `reason` is for people, `remedy` says what the agent can do next, `tell` is text for the agent.
    `code` is the gateway's wire name of the finding (README of the specs, rule 4).
    No field may hold a raw secret.
    """

    rule: str
    action: Action
    reason: str
    remedy: str = ""
    evidence: tuple[Origin, ...] = ()
    tell: str = ""
    edits: tuple[Edit, ...] = ()
    code: str = ""
    at: str = ""
    violations: tuple[Violation, ...] = ()
    checks: tuple[CheckOutcome, ...] = ()
    earlier_receipt: int = 0
    firing: Firing | None = None
    """What READ showed, for the journal and the memory (read.md CTX-37)."""


@dataclass(frozen=True, slots=True, order=True)
class Destination:
    """Where a call would carry its payload, and who chose that place."""

    value: str
    trust: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What must be answered before the event may pass: data for the door, which asks it."""

    action: Action
    rules: tuple[str, ...]
    text: str


def _rank(finding: Finding) -> tuple[int, str, str, str]:
    return (-finding.action, finding.rule, finding.reason, repr(finding))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Findings, strictest first; the event falls as the strictest says.

    Build with `Verdict.of(...)`, combine with `|`.
    """

    findings: tuple[Finding, ...] = ()
    destinations: tuple[Destination, ...] = ()
    not_scanned: tuple[str, ...] = ()
    decision_id: str = field(default="", compare=False)
    approval: str = field(default="", compare=False)
    """The id under which a person can approve the held call (gateway.md A-1)."""

    @classmethod
    def of(
        cls,
        *findings: Finding,
        destinations: tuple[Destination, ...] = (),
        not_scanned: tuple[str, ...] = (),
    ) -> Verdict:
        """A verdict in normal form: no duplicates, strictest first."""
        return cls(
            tuple(sorted(set(findings), key=_rank)),
            tuple(sorted(set(destinations))),
            tuple(sorted(set(not_scanned))),
        )

    def __or__(self, other: Verdict) -> Verdict:
        if not (other.findings or other.destinations or other.not_scanned):
            return self
        return Verdict.of(
            *self.findings,
            *other.findings,
            destinations=self.destinations + other.destinations,
            not_scanned=self.not_scanned + other.not_scanned,
        )

    @property
    def action(self) -> Action:
        """The strictest finding's action; no finding allows."""
        if not self.findings:
            return Action.ALLOW
        return max(finding.action for finding in self.findings)

    @property
    def passes(self) -> bool:
        """Whether the event may go on as it is."""
        return not self.findings or self.action <= Action.INFORM

    @property
    def question(self) -> Question | None:
        """What the door has to ask, if the verdict waits for an answer."""
        if not self.findings or self.action not in (Action.VERIFY, Action.ASK):
            return None
        open_ = [f for f in self.findings if f.action in (Action.VERIFY, Action.ASK)]
        lines = dict.fromkeys(f"{f.reason} [{f.rule}]" for f in open_)
        return Question(self.action, tuple(dict.fromkeys(f.rule for f in open_)), "\n".join(lines))

    def at_most(self, limit: Action) -> Verdict:
        """Monitor mode: every finding above `limit` is lowered to it (flow.md FLOW-7)."""
        return self._mapped(lambda f: replace(f, action=min(f.action, limit)))

    def unattended(self) -> Verdict:
        """Nobody can answer: every open question is a refusal (flow.md ask_fallback)."""
        asks = (Action.VERIFY, Action.ASK)
        return self._mapped(lambda f: replace(f, action=Action.BLOCK) if f.action in asks else f)

    def approved(self, rules: frozenset[str], note: str) -> Verdict:
        """Silence the questions of exactly these rules (flow.md FLOW-3); a BLOCK stays."""
        if not rules:
            return self
        asks = (Action.VERIFY, Action.ASK)

        def silence(finding: Finding) -> Finding:
            if finding.action not in asks or finding.rule not in rules:
                return finding
            return replace(finding, action=Action.ALLOW, reason=f"{finding.reason} ({note})")

        return self._mapped(silence)

    def _mapped(self, change: Callable[[Finding], Finding]) -> Verdict:
        changed = Verdict.of(
            *(change(f) for f in self.findings),
            destinations=self.destinations,
            not_scanned=self.not_scanned,
        )
        return replace(changed, decision_id=self.decision_id, approval=self.approval)


ALLOWED = Verdict()
"""The empty verdict: nothing to say."""
