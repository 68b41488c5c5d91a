"""Asking a person through the client: the text, the form, and how the answer is read (A-1, A-3).

Only the client's own elicitation reaches a person here; nothing an agent or an upstream sends can
be taken for an answer. Decides nothing: the answer goes back to the session as an event.
"""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass
from typing import Any, Final

from tripwire.act.approval import call_hash
from tripwire.doors.gateway import jsonrpc
from tripwire.doors.gateway.jsonrpc import Message
from tripwire.memory.memory import Memory
from tripwire.model.event import Approved, Denied, ToolCall
from tripwire.model.label import Label
from tripwire.model.policy import Approvals
from tripwire.model.verdict import Action, Question, Verdict

CHANNEL: Final = "mcp"
LONGEST_VALUE: Final = 16_000
"""Characters of the arguments that are shown; beyond, their middle is named by its length."""


@dataclass(frozen=True, slots=True)
class Hold:
    """One held call: the question to a person, and what an answer would be about."""

    id: str
    call: ToolCall
    question: Question
    seconds: float
    expires: float
    call_hash: str
    elsewhere: bool = False
    """A person can answer in a terminal or on the web page (A-1)."""

    @classmethod
    def of(cls, call: ToolCall, verdict: Verdict, approvals: Approvals, memory: Memory) -> Hold:
        """A hold that ends with `approvals.timeout_ms`. The verdict must ask."""
        seconds = approvals.timeout_ms / 1000
        name = verdict.approval or f"ap-{secrets.token_hex(4)}"
        question = verdict.question or Question(verdict.action, (), "")
        return cls(
            name,
            call,
            question,
            seconds,
            time.time() + seconds,
            call_hash(call, memory),
            elsewhere=bool(verdict.approval),
        )

    def approved(self, approver: str, labels: frozenset[Label]) -> Approved:
        """The yes, for exactly this call, once."""
        return Approved(
            approval_id=self.id,
            call_hash=self.call_hash,
            rules=frozenset(self.question.rules),
            approver=approver,
            channel=CHANNEL,
            labels=labels,
            expires=self.expires,
            once=True,
        )

    def denied(self, why: str) -> Denied:
        """The no: `denied`, `timeout` or `cancelled`."""
        rules = frozenset(self.question.rules)
        return Denied(self.id, self.call_hash, rules, CHANNEL, why)

    def shown(self, channels: tuple[str, ...]) -> dict[str, object]:
        """The `approval` member of a block result."""
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.expires))
        return {"id": self.id, "channels": list(channels), "expires": when}


def can_ask(capabilities: object) -> bool:
    """Whether the client has said that it can show a form to its user."""
    if not isinstance(capabilities, dict):
        return False
    offered = capabilities.get("elicitation")
    if not isinstance(offered, dict):
        return False
    return not offered or "form" in offered  # 2025-11-25: `{}` means forms, `{"url": {}}` does not


def params(hold: Hold, verdict: Verdict) -> str:
    """The params of `elicitation/create`."""
    form = {
        "type": "object",
        "properties": {
            "approve": {
                "type": "boolean",
                "title": "Allow this one call",
                "description": "Yes lets exactly this call run once. Anything else refuses it.",
                "default": False,
            }
        },
        "required": ["approve"],
    }
    return jsonrpc.dumps({"message": text(hold, verdict), "requestedSchema": form})


def text(hold: Hold, verdict: Verdict) -> str:
    """What the person reads: tool, reasons and rules, the full value, what yes means."""
    call = hold.call
    lines = [f"Tripwire holds a call of {_visible(call.exposed)}.", "", "Why:"]
    for finding in verdict.findings:
        if finding.action not in (Action.VERIFY, Action.ASK):
            continue
        lines.append(f"- {_visible(finding.reason)} [{finding.rule}]")
        for violation in finding.violations:
            lines.append(f"  {_visible(violation.param)}: {violation.reason}")
            lines += [f"    seen in {_origin(o)}" for o in violation.origins]
        lines += [f"    seen in {_origin(o)}" for o in finding.evidence]
    if verdict.destinations:
        lines += ["", "Where it would go:"]
        lines += [
            f"- {_visible(d.value)} ({d.trust}{f', from {_visible(d.origin)}' if d.origin else ''})"
            for d in verdict.destinations
        ]
    if verdict.not_scanned:
        lines += ["", "Not inspected: " + _visible(", ".join(verdict.not_scanned))]
    lines += ["", "Arguments:", _arguments(call), ""]
    lines.append("Approving lets exactly this call with exactly these arguments run once.")
    return "\n".join(lines)


def said_yes(answer: Message) -> bool:
    """Whether the form was accepted with an explicit yes."""
    given = answer.get("result")
    if not isinstance(given, dict) or given.get("action") != "accept":
        return False
    content = given.get("content")
    return isinstance(content, dict) and content.get("approve") is True


def _origin(origin: Any) -> str:
    place = f", {_visible(origin.where)}" if origin.where else ""
    return f"{_visible(origin.source)} {_visible(origin.tool)} ({origin.trust.word}{place})"


def _arguments(call: ToolCall) -> str:
    shown = _visible(json.dumps(call.args, ensure_ascii=False, indent=1), keep="\n")
    if len(shown) <= LONGEST_VALUE:
        return shown
    half = LONGEST_VALUE // 2
    hidden = len(shown) - 2 * half
    return f"{shown[:half]}\n[… {hidden} characters not shown …]\n{shown[-half:]}"


def _visible(value: str, keep: str = "") -> str:
    """Invisible and control characters escaped: they could rewrite what the person reads."""
    if value.isascii() and value.isprintable():
        return value
    return "".join(
        c if c in keep or c.isprintable() else c.encode("unicode_escape").decode() for c in value
    )
