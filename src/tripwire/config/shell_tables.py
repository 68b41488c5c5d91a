"""Reads the packaged tables of programs, `presets/shell.yaml`, into typed values."""

from __future__ import annotations

from tripwire.model.shell_tables import ShellTables


def load_shell_tables() -> ShellTables:
    """The tables shipped with Tripwire (flow.md SH-4, SH-9 and the tables of §3.6)."""
    return ShellTables()
