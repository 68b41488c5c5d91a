"""Hooks of agent clients: the shim and one adapter per client."""
