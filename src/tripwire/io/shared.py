"""What the sessions of one state directory share: the list of heads and the approvals."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tripwire.io.approvals import ApprovalsFile
from tripwire.io.heads import Heads
from tripwire.io.home import iso
from tripwire.io.keys import KeyStore
from tripwire.model.event import Approved, Denied

_LATE = ("timeout", "expired")


@dataclass(frozen=True, slots=True)
class Shared:
    """Both files; each is opened at first use."""

    heads: Heads
    approvals: ApprovalsFile

    @classmethod
    def of(cls, root: Path, store: KeyStore) -> Shared:
        """Those of the state directory `root`."""
        heads = Heads(root, store)
        return cls(heads, ApprovalsFile(root, heads))

    def answered(self, answer: Approved | Denied, session: str, audit_seq: int) -> None:
        """Record a grant or a refusal. Raises EvidenceUnavailable."""
        record: dict[str, object] = {
            "id": answer.approval_id,
            "session": session,
            "call_hash": answer.call_hash,
            "rules": sorted(answer.rules),
            "channel": answer.channel,
            "created": iso(time.time()),
            "audit_seq": audit_seq,
        }
        if isinstance(answer, Approved):
            record |= {
                "state": "granted",
                "approver": answer.approver,
                "scope": scope_of(answer),
                "expires": iso(answer.expires) if answer.expires else "",
                "labels": sorted(label.value for label in answer.labels),
            }
        else:
            record["state"] = state_of(answer.why)
            record["why"] = answer.why
        self.approvals.append(record)

    def used(self, approvals: Iterable[Approved], session: str, decision: tuple[str, int]) -> None:
        """Record that a call went through on these grants. Raises EvidenceUnavailable."""
        decision_id, audit_seq = decision
        for approval in approvals:
            record: dict[str, object] = {
                "id": approval.approval_id,
                "state": "used",
                "session": session,
                "call_hash": approval.call_hash,
                "created": iso(time.time()),
                "decision_id": decision_id,
                "audit_seq": audit_seq,
            }
            self.approvals.append(record)

    def close(self) -> None:
        """Let the files go."""
        self.approvals.close()
        self.heads.close()


def scope_of(answer: Approved) -> dict[str, object]:
    """What a grant covers, as its record says it."""
    if not answer.tool:
        return {"kind": "once" if answer.once else "session"}
    return {
        "kind": "scoped",
        "tool": answer.tool,
        "destinations": sorted(answer.destinations),
        "max_amount": answer.max_amount,
        "purpose": answer.purpose,
    }


def state_of(why: str) -> str:
    """The state that a no leaves an approval in."""
    if why in _LATE:
        return "expired"
    return "revoked" if why == "revoked" else "denied"
