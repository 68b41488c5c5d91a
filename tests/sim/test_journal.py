"""The simulated session decides and remembers as a real one does."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws.strategies import events
from tests.laws.test_session_laws import POLICY, Place
from tests.sim.journal import SimulatedSession

from tripwire.errors import EvidenceUnavailable
from tripwire.model.event import UserSaid


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(events, max_size=6))
def test_same_verdicts_and_same_memory(happened):
    simulated = SimulatedSession(POLICY)
    with Place() as place:
        real = place.open()
        for event in happened:
            assert simulated.decide(event) == real.decide(event)
        left, right = simulated.engine.memory.snapshot(), real.engine.memory.snapshot()
        for key in ("labels", "receipts", "tokens", "files", "approvals", "goals", "deeds"):
            assert left[key] == right[key]
        real.close()


def test_a_full_disk():
    session = SimulatedSession(POLICY)
    session.fail = True
    with pytest.raises(EvidenceUnavailable):
        session.decide(UserSaid("x"))
    assert (session.receipts, session.engine.memory.receipts) == ([], 0)
    session.fail = False
    assert session.decide(UserSaid("x")).decision_id == session.entries[0].data["decision_id"]
