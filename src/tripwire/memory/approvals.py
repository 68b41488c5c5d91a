"""What a person has approved in this session; a use ends a single-use approval (gateway.md A-4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from tripwire.model.event import Approved


@dataclass(slots=True)
class Approvals:
    """Call hash → the approvals granted for exactly that call; and those with a scope.

    `key` keys the hashes of destinations, `conversation` is part of every call hash (A-2); a
    session sets both before the first event.
    """

    granted: dict[str, list[Approved]] = field(default_factory=dict)
    scoped: dict[str, Approved] = field(default_factory=dict)
    spent: dict[str, Decimal] = field(default_factory=dict)
    """Approval id → what was moved under it so far."""
    key: bytes = field(default=b"tripwire", repr=False)
    conversation: str = ""

    def add(self, approval: Approved) -> None:
        """Remember a grant."""
        if approval.tool:
            self.scoped[approval.approval_id] = approval
        else:
            self.granted.setdefault(approval.call_hash, []).append(approval)

    def drop(self, approval_id: str) -> None:
        """It was revoked, has expired, or was never one."""
        self.scoped.pop(approval_id, None)
        for call_hash, held in list(self.granted.items()):
            self._keep(call_hash, [a for a in held if a.approval_id != approval_id])

    def use(self, call_hash: str) -> None:
        """The call went through: its single-use approvals are spent."""
        if call_hash in self.granted:
            self._keep(call_hash, [a for a in self.granted[call_hash] if not a.once])

    def spend(self, approval_id: str, amount: Decimal) -> None:
        """A call under a scoped approval went through."""
        self.spent[approval_id] = self.spent.get(approval_id, Decimal(0)) + amount

    def all(self) -> tuple[Approved, ...]:
        """Every grant that has not ended."""
        exact = (a for held in self.granted.values() for a in held)
        return (*exact, *self.scoped.values())

    def _keep(self, call_hash: str, kept: list[Approved]) -> None:
        if kept:
            self.granted[call_hash] = kept
        else:
            del self.granted[call_hash]

    def snapshot(self) -> object:
        """A comparable copy."""
        exact = {key: tuple(value) for key, value in sorted(self.granted.items())}
        return exact, dict(sorted(self.scoped.items())), dict(sorted(self.spent.items()))
