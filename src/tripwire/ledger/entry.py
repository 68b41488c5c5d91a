"""The only redactor: what the audit says of an event (gateway.md §2, E-6).

An entry holds ids, hashes, codes, labels and counts, never a value. Names the agent chose enter as
they are only if they look like a tool's name; any other name or text is a keyed hash and a class.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tripwire.ledger.keys import SessionKeys
from tripwire.ledger.receipt import Receipt, Spans, printable
from tripwire.model.event import (
    Approved,
    ContextCleared,
    Denied,
    Event,
    FileTouched,
    IntentDeclared,
    OutcomeUnknown,
    SessionOpened,
    ToolCall,
    ToolResult,
    ToolsListed,
    UserSaid,
)
from tripwire.model.label import Label, Origin
from tripwire.model.verdict import Action, Destination, Finding, Verdict, Violation

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.:/@ -]{0,95}")
_PARAM = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_HASH = re.compile(r"[0-9a-f]{64}")
_LATE = ("timeout", "expired")
_MAX_SEEN = 4096
_MAX_WORDS = 1024
MAX_ORIGINS = 8
"""Origins listed per finding (gateway.md §2)."""


@dataclass(frozen=True, slots=True)
class Redactor:
    """What the redaction needs: the session's keys, and where secrets are in a text."""

    keys: SessionKeys
    spans: Spans
    seen: dict[str, str] = field(default_factory=dict, repr=False)
    """Names already judged; the same few come again with every call."""

    def name(self, text: str) -> str:
        """A name as it is, or `~` and its keyed hash if it could be anything."""
        known = self.seen.get(text)
        if known is None:
            known = self._name(text)
            if len(self.seen) < _MAX_SEEN:
                self.seen[text] = known
        return known

    def _name(self, text: str) -> str:
        if _NAME.fullmatch(text) and not any(True for _ in self.spans(text, "")):
            return text
        return f"~{self.keys.name_hash(text)}" if text else ""

    def words(self, text: str) -> str:
        """A path or glob of the repository as it is, a keyed hash if it holds a secret."""
        key = f"\0{text}"
        known = self.seen.get(key)
        if known is None:
            plain = len(text) <= _MAX_WORDS and not any(True for _ in self.spans(text, ""))
            known = printable(text) if plain else f"~{self.keys.name_hash(text)}"
            if len(self.seen) < _MAX_SEEN:
                self.seen[key] = known
        return known

    def param(self, path: str) -> str:
        """The last step of an argument path; the steps before it are the agent's choice."""
        last = path.rsplit(".", 1)[-1].split("[", 1)[0]
        return last if _PARAM.fullmatch(last) else f"~{self.keys.name_hash(path)}"


@dataclass(frozen=True, slots=True)
class Links:
    """What ties an entry to other records. `attempt` is the audit number of the attempt."""

    decision_id: str
    door: str = ""
    holder: str = ""
    first: bool = False
    attempt: int = 0
    receipt: Receipt | None = None
    args_hash: str = ""
    sealed: tuple[int, str] | None = None
    latency_us: int = 0
    labels: frozenset[Label] = field(default_factory=frozenset)
    policy: str = ""
    session: str = ""
    approval: str = ""


def entry(
    event: Event, judged: Verdict, verdict: Verdict, links: Links, redactor: Redactor
) -> tuple[str, dict[str, object]]:
    """Type and data of the audit entry of `event`."""
    kind, data = _of(event, verdict, links, redactor)
    data["decision_id"] = links.decision_id
    if links.door:
        data["door"] = redactor.name(links.door)
    if links.receipt is not None:
        data |= _receipt(links.receipt)
    if links.sealed is not None:
        data["sealed"] = {"n": links.sealed[0], "sha256": links.sealed[1]}
    if links.labels:
        data["labels"] = sorted(label.value for label in links.labels)
    data |= _verdict(judged, verdict, redactor)
    return kind, data


def labels_gained(labels: Iterable[Label], origins: Iterable[Origin]) -> dict[str, object]:
    """What `labels_gained` says: replay under another policy can then only add to these."""
    return {
        "labels": sorted(label.value for label in labels),
        "receipts": sorted({origin.receipt for origin in origins}),
    }


def approval_used(used: Iterable[Approved], decision_id: str, red: Redactor) -> dict[str, object]:
    """What `approval_used` says: which approvals the next attempt rests on."""
    return {"approvals": [red.name(a.approval_id) for a in used], "decision_id": decision_id}


def set_aside(why: str, name: str, size: int, digest: str) -> dict[str, object]:
    """What `state_reset` says: which file was set aside, where to, and the hash of its content."""
    return {"why": why, "file": name, "bytes": size, "sha256": digest}


def _of(
    event: Event, verdict: Verdict, links: Links, red: Redactor
) -> tuple[str, dict[str, object]]:
    match event:
        case ToolCall():
            return _call(event, verdict, links, red)
        case ToolResult():
            return _outcome(event, links, red)
        case OutcomeUnknown():
            return "tool_call_unknown_outcome", {
                **_tool(event, red),
                "attempt_seq": links.attempt,
                "why": red.name(event.why),
            }
        case SessionOpened():
            return _opened(event, links, red)
        case UserSaid():
            return "user_said", {"person": event.person}
        case IntentDeclared():
            return ("intent_declared" if verdict.passes else "intent_rejected"), {}
        case ToolsListed():
            listed = {"upstream": red.name(event.source), "count": len(event.tools)}
            waiting = sorted(red.name(tool) for tool in event.quarantined)
            return ("pin_quarantined" if waiting else "tools_listed"), (
                {**listed, "quarantined": waiting} if waiting else listed
            )
        case FileTouched():
            path = red.keys.name_hash(event.path)
            return "file_touched", {"path": f"~{path}", "access": event.access.value}
        case ContextCleared():
            return "context_cleared", {"why": red.name(event.why), "agent": red.name(event.agent)}
        case Approved() | Denied():
            return _answer(event, red)


def _tool(event: ToolCall | ToolResult | OutcomeUnknown, red: Redactor) -> dict[str, object]:
    exposed = f"{event.source}__{event.tool}" if event.source else event.tool
    return {
        "call": red.keys.name_hash(event.call_id),
        "tool": red.name(exposed),
        "upstream": red.name(event.source),
    }


def _call(
    event: ToolCall, verdict: Verdict, links: Links, red: Redactor
) -> tuple[str, dict[str, object]]:
    data = {**_tool(event, red), "args_hash": links.args_hash, "decision": decision(verdict)}
    if verdict.passes:
        return "tool_call_attempt", {**data, "holder": links.holder}
    held = verdict.question is not None
    if links.approval:
        data["approval"] = red.name(links.approval)
    return ("tool_call_held" if held else "tool_call_blocked"), data


def _outcome(event: ToolResult, links: Links, red: Redactor) -> tuple[str, dict[str, object]]:
    kind = "tool_call_failed" if event.is_error else "tool_call"
    data = {
        **_tool(event, red),
        "attempt_seq": links.attempt,
        "decision": "pass",
        "is_error": event.is_error,
        "latency_us": links.latency_us,
    }
    return kind, data


def _opened(event: SessionOpened, links: Links, red: Redactor) -> tuple[str, dict[str, object]]:
    data: dict[str, object] = {
        "client": red.name(event.client),
        "inherited": sorted(label.value for label in event.inherited),
        "policy": links.policy,
        "remotes": len(event.remotes),
        "session": links.session,
    }
    return ("session_opened" if links.first else "session_resumed"), data


def _answer(event: Approved | Denied, red: Redactor) -> tuple[str, dict[str, object]]:
    data: dict[str, object] = {
        "approval": red.name(event.approval_id),
        "call_hash": event.call_hash if _HASH.fullmatch(event.call_hash) else "",
        "channel": red.name(event.channel),
        "rules": sorted(red.name(rule) for rule in event.rules),
    }
    if isinstance(event, Denied):
        return _no(event.why), {**data, "why": red.name(event.why)}
    data |= {"approver": red.name(event.approver), "once": event.once}
    if event.tool:
        data |= {"tool": red.name(event.tool), "destinations": len(event.destinations)}
    return "approval_granted", data


def _no(why: str) -> str:
    if why in _LATE:
        return "approval_expired"
    return "approval_revoked" if why == "revoked" else "approval_denied"


def decision(verdict: Verdict) -> str:
    """pass, flag, hold or block: the gateway's word for an action (gateway.md §1)."""
    if verdict.question is not None:
        return "hold"
    if verdict.action is Action.INFORM:
        return "flag"
    return "pass" if verdict.passes else "block"


def _receipt(receipt: Receipt) -> dict[str, object]:
    return {
        "receipt_seq": receipt.seq,
        "receipt_sha256": receipt.line_hash,
        "args_hash": receipt.args_hash,
        "result_hash": receipt.result_hash,
    }


def _verdict(judged: Verdict, verdict: Verdict, red: Redactor) -> dict[str, object]:
    data: dict[str, object] = {}
    if verdict.findings:
        data["rule"] = red.name(verdict.findings[0].rule)
        data["findings"] = [_finding(finding, red) for finding in verdict.findings]
    if judged.action is not verdict.action:
        data["judged"] = judged.action.name
    if verdict.destinations:
        data["destinations"] = [_destination(place, red) for place in verdict.destinations]
    if verdict.not_scanned:
        data["not_scanned"] = len(verdict.not_scanned)
    return data


def _finding(finding: Finding, red: Redactor) -> dict[str, object]:
    data: dict[str, object] = {"rule": red.name(finding.rule), "action": finding.action.name}
    if finding.code:
        data["code"] = red.name(finding.code)
    if finding.at:
        data["at"] = printable(finding.at)
    if finding.evidence:
        data["evidence"] = [_origin(origin, red) for origin in finding.evidence[:MAX_ORIGINS]]
    if finding.violations:
        data["violations"] = [_violation(item, red) for item in finding.violations]
    if finding.checks:
        data["checks"] = [
            {"check": red.name(c.check), "passed": c.passed, "verifier": red.name(c.verifier)}
            for c in finding.checks
        ]
    if finding.earlier_receipt:
        data["earlier_receipt"] = finding.earlier_receipt
    return data


def _violation(violation: Violation, red: Redactor) -> dict[str, object]:
    return {
        "param": red.param(violation.param),
        "reason": red.name(violation.reason),
        "required": red.name(violation.required),
        "origins": [_origin(origin, red) for origin in violation.origins[:MAX_ORIGINS]],
    }


def _origin(origin: Origin, red: Redactor) -> dict[str, object]:
    return {
        "upstream": red.name(origin.source),
        "tool": red.name(origin.tool),
        "trust": origin.trust.word,
        "receipt_seq": origin.receipt,
    }


def _destination(place: Destination, red: Redactor) -> dict[str, object]:
    return {"hash": red.keys.name_hash(place.value), "trust": red.name(place.trust)}
