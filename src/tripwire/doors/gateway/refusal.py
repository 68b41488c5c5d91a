"""What the agent is told when a call does not pass: the block result of gateway.md §2.

Renders a verdict, decides nothing. Findings never hold a raw secret, so neither does this.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from tripwire.doors.gateway import jsonrpc
from tripwire.model.event import ToolCall
from tripwire.model.label import Origin
from tripwire.model.policy import Policy
from tripwire.model.verdict import Action, CheckOutcome, Finding, Verdict, Violation

CODES: Final[Mapping[str, str]] = {
    "act/sensitive-params": "provenance_violation",
    "act/consensus": "consensus_failed",
    "act/intent": "intent_required",
    "act/unmatched-tool": "unmatched_tool",
    "act/policy": "policy_block",
    "act/pin": "pin_quarantined",
    "act/repeat": "duplicate_action",
}
"""Rule → wire code, where the finding does not name one; every other rule is `flow_violation`."""
MOST_ORIGINS: Final = 8


def body(
    verdict: Verdict,
    call: ToolCall,
    policy: Policy,
    *,
    code: str = "",
    message: str = "",
    approval: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """The block JSON. With `code` (a hold that was not lifted) the finding's goes underneath."""
    finding = _strictest(verdict)
    own = _code(finding)
    said: dict[str, object] = {
        "tripwire": "blocked",
        "code": code or own,
        "tool": call.exposed,
        "message": message or finding.reason,
        "decision_id": verdict.decision_id,
        "rule": _rule(finding, policy),
    }
    details = _details(finding, verdict)
    if code:
        said["underlying"] = {"code": own, "message": finding.reason, **details}
    else:
        said |= details
    said["findings"] = [_finding(f) for f in verdict.findings if f.action > Action.ALLOW]
    if approval is not None:
        said["approval"] = approval
    remedies = dict.fromkeys(f.remedy for f in verdict.findings if f.remedy and _stops(f))
    said["remediation"] = " ".join(remedies) or "Do not repeat the call unchanged; ask the user."
    return said


def fault(
    code: str, tool: str, message: str, remediation: str, **extra: object
) -> dict[str, object]:
    """The block JSON of a fault of the door or an upstream: no rule spoke."""
    return {
        "tripwire": "blocked",
        "code": code,
        "tool": tool,
        "message": message,
        **extra,
        "remediation": remediation,
    }


def tool_result(said: Mapping[str, object]) -> str:
    """A tool result that is an error, with the JSON as its one text block."""
    text = json.dumps(said, ensure_ascii=False, indent=1)
    return jsonrpc.dumps({"content": [{"type": "text", "text": text}], "isError": True})


def _stops(finding: Finding) -> bool:
    return finding.action > Action.INFORM


def _strictest(verdict: Verdict) -> Finding:
    if verdict.findings:
        return verdict.findings[0]
    return Finding("act/internal", Action.BLOCK, "the call was refused without a finding")


def _code(finding: Finding) -> str:
    return finding.code or CODES.get(finding.rule, "flow_violation")


def _rule(finding: Finding, policy: Policy) -> dict[str, str]:
    named = next((r.id for r in policy.call_rules if r.at and r.at == finding.at), finding.rule)
    return {"id": named, "at": finding.at}


def _details(finding: Finding, verdict: Verdict) -> dict[str, Any]:
    details: dict[str, Any] = {}
    violations = [v for f in verdict.findings if _stops(f) for v in f.violations]
    if violations:
        details["violations"] = [_violation(v) for v in violations]
    checks = [c for f in verdict.findings if _stops(f) for c in f.checks]
    if checks:
        details["checks"] = [_check(c) for c in checks]
    if _code(finding) == "pin_quarantined":
        details["diff"] = [finding.reason]
    if finding.earlier_receipt:
        details["receipt_seq"] = finding.earlier_receipt
    return details


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "rule": finding.rule,
        "action": finding.action.name,
        "reason": finding.reason,
        "evidence": _origins(finding.evidence),
    }


def _violation(violation: Violation) -> dict[str, object]:
    return {
        "param": violation.param,
        "reason": violation.reason,
        "required_provenance": violation.required,
        "value_preview": violation.preview,
        "observed_origins": _origins(violation.origins),
        "origins_total": violation.origins_total,
    }


def _check(check: CheckOutcome) -> dict[str, object]:
    return {
        "check": check.check,
        "passed": check.passed,
        "reason": check.reason,
        "verifier": check.verifier,
    }


def _origins(origins: tuple[Origin, ...]) -> list[dict[str, object]]:
    """Each place once: a value that stands there twice came from there all the same."""
    said: list[dict[str, object]] = []
    for each in map(_origin, origins):
        if each not in said:
            said.append(each)
    return said[:MOST_ORIGINS]


def _origin(origin: Origin) -> dict[str, object]:
    prefix = f"{origin.source}__" if origin.source else ""
    tool = origin.tool if origin.tool.startswith(prefix) else prefix + origin.tool
    said: dict[str, object] = {
        "upstream": origin.source,
        "tool": tool,
        "trust": origin.trust.word,
        "receipt_seq": origin.receipt,
    }
    if origin.where:
        said["where"] = origin.where
    return said
