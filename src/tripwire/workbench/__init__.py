"""Offline study: drafts of policies from what tools say of themselves. Judges no call."""
