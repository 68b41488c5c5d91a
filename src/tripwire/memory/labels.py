"""Which labels a session holds, each with its first and latest origin. Labels only grow."""

from __future__ import annotations

from dataclasses import dataclass, field

from tripwire.model.label import Label, Origin


@dataclass(slots=True)
class Labels:
    """Label → (first origin, latest origin)."""

    held: dict[Label, tuple[Origin, Origin]] = field(default_factory=dict)

    def add(self, label: Label, origin: Origin) -> None:
        """Hold `label`; the first origin stays."""
        first, _ = self.held.get(label, (origin, origin))
        self.held[label] = (first, origin)

    def __contains__(self, label: Label) -> bool:
        return label in self.held

    def as_set(self) -> frozenset[Label]:
        """The labels alone."""
        return frozenset(self.held)

    def origins(self, label: Label) -> tuple[Origin, ...]:
        """First and latest origin, once if they are the same."""
        return tuple(dict.fromkeys(self.held.get(label, ())))

    def snapshot(self) -> object:
        """A comparable copy."""
        return {label.value: pair for label, pair in sorted(self.held.items())}
