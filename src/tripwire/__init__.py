"""Tripwire: the guard that every AI agent runs behind."""
