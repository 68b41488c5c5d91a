"""Ways in: wire to Event, Verdict to wire. A door never decides."""
