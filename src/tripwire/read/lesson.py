"""What the session remembers of READ: the other half of `learn` (CTX-34). Decides nothing."""

from __future__ import annotations

from tripwire.memory.memory import Memory
from tripwire.memory.shown import scope_of, settled
from tripwire.model.event import ContextCleared, Event
from tripwire.model.verdict import Verdict


def learn(event: Event, verdict: Verdict, memory: Memory) -> None:
    """Fold what was shown, or that the agent forgot it, into `memory`."""
    if isinstance(event, ContextCleared):
        memory.shown.clear(scope_of(event.agent))
    for finding in verdict.findings:
        firing = settled(finding.firing, verdict) if finding.firing else None
        if firing is not None:
            memory.shown.learn(firing)
