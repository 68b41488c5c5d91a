"""Nouns: events, verdicts, labels, policy. Frozen data without behaviour that needs a room."""
