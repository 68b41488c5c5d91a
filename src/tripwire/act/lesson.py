"""What the session remembers of an event: the one place that teaches memory (skeleton)."""

from __future__ import annotations

from tripwire.model.event import Event
from tripwire.model.verdict import Verdict
from tripwire.rule import Case


def learn(event: Event, verdict: Verdict, case: Case) -> None:
    """Fold `event` into `case.memory`."""
