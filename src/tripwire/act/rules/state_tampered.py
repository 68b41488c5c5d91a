"""act/state-tampered — a session whose past could not be verified starts from the worst labels.

Does not catch: a journal and a head that were both replaced by whoever holds the key.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.model.event import SessionOpened
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule

ID = "act/state-tampered"


def check(event: SessionOpened, case: Case) -> Iterator[Finding]:
    """An INFORM where a session was opened with inherited labels (flow.md STATE-3, STATE-4)."""
    del case
    if event.inherited:
        labels = ", ".join(sorted(label.value for label in event.inherited))
        reason = f"this session starts with the labels {labels}"
        yield Finding(
            ID,
            Action.INFORM,
            f"{reason}: {event.why}" if event.why else reason,
            remedy="Run `tripwire verify-log`; a new session starts without them.",
        )


RULE = Rule(ID, SessionOpened, check)
