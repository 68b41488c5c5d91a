"""What a person has approved in this session; a use ends a single-use approval (gateway.md A-4)."""

from __future__ import annotations

from dataclasses import dataclass, field

from tripwire.model.event import Approved


@dataclass(slots=True)
class Approvals:
    """Call hash → the approvals granted for exactly that call."""

    granted: dict[str, list[Approved]] = field(default_factory=dict)

    def add(self, approval: Approved) -> None:
        """Remember a grant."""
        self.granted.setdefault(approval.call_hash, []).append(approval)

    def use(self, call_hash: str) -> None:
        """The call went through: its single-use approvals are spent."""
        kept = [a for a in self.granted.pop(call_hash, []) if not a.once]
        if kept:
            self.granted[call_hash] = kept

    def snapshot(self) -> object:
        """A comparable copy."""
        return {key: tuple(value) for key, value in sorted(self.granted.items())}
