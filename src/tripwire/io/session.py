"""Session.decide: the one call that every door makes."""

from __future__ import annotations

from tripwire.engine import Engine
from tripwire.model.event import Event
from tripwire.model.verdict import Verdict


class Session:
    """One conversation of one agent: an engine, its journal, and the mode of its policy."""

    engine: Engine
    name: str

    def decide(self, event: Event, *, door: str = "") -> Verdict:
        """Judge, write the evidence, remember.

        Thread- and process-safe: under the journal's lock it first folds in what other doors of the
        same session have written. The verdict carries `decision_id`.

        Raises EvidenceUnavailable if the record cannot be written: nothing passes then.
        """
        raise NotImplementedError
