"""Memory: everything a session knows; a fold over its journal. It decides nothing.

`snapshot()` gives a comparable copy: replaying the journal gives an equal one (flow.md STATE-1).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tripwire.memory.approvals import Approvals
from tripwire.memory.deeds import Deeds
from tripwire.memory.files import Files
from tripwire.memory.goals import Goals
from tripwire.memory.held_records import HeldRecords
from tripwire.memory.known_secrets import KnownSecrets
from tripwire.memory.labels import Labels
from tripwire.memory.listings import Listings
from tripwire.memory.provenance import Provenance
from tripwire.memory.shown import ShownTripwires
from tripwire.memory.tokens import Tokens


@dataclass(slots=True)
class Memory:
    """One part a question; each part knows nothing of the others.

    `receipts` counts what has been receipted: the number of the next receipt is one more.
    """

    labels: Labels = field(default_factory=Labels)
    tokens: Tokens = field(default_factory=Tokens)
    provenance: Provenance = field(default_factory=Provenance)
    secrets: KnownSecrets = field(default_factory=KnownSecrets)
    goals: Goals = field(default_factory=Goals)
    held: HeldRecords = field(default_factory=HeldRecords)
    files: Files = field(default_factory=Files)
    deeds: Deeds = field(default_factory=Deeds)
    approvals: Approvals = field(default_factory=Approvals)
    listings: Listings = field(default_factory=Listings)
    shown: ShownTripwires = field(default_factory=ShownTripwires)
    receipts: int = 0

    def snapshot(self) -> dict[str, object]:
        """A comparable copy of every part."""
        return {
            "labels": self.labels.snapshot(),
            "tokens": self.tokens.snapshot(),
            "provenance": self.provenance.snapshot(),
            "secrets": self.secrets.snapshot(),
            "goals": self.goals.snapshot(),
            "held": self.held.snapshot(),
            "files": self.files.snapshot(),
            "deeds": self.deeds.snapshot(),
            "approvals": self.approvals.snapshot(),
            "listings": self.listings.snapshot(),
            "shown": self.shown.snapshot(),
            "receipts": self.receipts,
        }
