"""What a person's yes covers: exactly one call, with at most the labels it was given under.

Does not ask anybody: a door does, and reports the answer as `Approved` (gateway.md §3.7).
"""

from __future__ import annotations

import hashlib
import json

from tripwire.errors import NotCanonical
from tripwire.model.event import Approved, ToolCall
from tripwire.rule import Case
from tripwire.text.canonical import canonical_bytes


def call_hash(event: ToolCall) -> str:
    """SHA-256 hex of the canonical {tool, arguments, principal}: what an approval is bound to.

    Arguments that RFC 8785 cannot express are hashed in a form of their own, which no canonical
    form can equal.
    """
    bound = {"tool": event.exposed, "arguments": dict(event.args), "principal": event.principal}
    try:
        data = canonical_bytes(bound)
    except NotCanonical:
        data = b"\x00" + json.dumps(bound, sort_keys=True, default=repr).encode(
            "utf-8", "surrogatepass"
        )
    return hashlib.sha256(data).hexdigest()


def approved_rules(event: ToolCall, case: Case) -> tuple[frozenset[str], str]:
    """The rules a person has silenced for exactly this call, and a note for the record.

    A grant counts while it has not expired and the session holds no label it did not hold then
    (flow.md APR-1, FLOW-3). A BLOCK stays whatever was approved: see `Verdict.approved`.
    """
    granted = case.memory.approvals.granted
    if not granted:
        return frozenset(), ""
    held = case.memory.labels.as_set()
    valid = [a for a in granted.get(call_hash(event), ()) if _covers(a, event, held)]
    rules = frozenset(rule for a in valid for rule in a.rules)
    return rules, "; ".join(dict.fromkeys(f"approved by {a.approver}" for a in valid))


def _covers(approval: Approved, event: ToolCall, held: frozenset[object]) -> bool:
    fresh = not approval.expires or event.at <= approval.expires
    return fresh and held <= approval.labels
