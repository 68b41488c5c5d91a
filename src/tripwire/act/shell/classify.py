"""What one shell command line would do, told from its text alone (flow.md §3.6).

Pure: nothing is run, no file is read. What cannot be told is opaque, never harmless (SH-9).
"""

from __future__ import annotations

from tripwire.act.shell.effects import Opaque, ShellEffects
from tripwire.model.label import WriteClass
from tripwire.model.shell_tables import ShellTables


def classify(
    command: str,
    *,
    cwd: str,
    home: str,
    tables: ShellTables,
    created: frozenset[str] = frozenset(),
) -> ShellEffects:
    """The effects of `command` run by a POSIX shell in `cwd`.

    `created` are paths the agent wrote in this session. Never raises on any text.
    """
    del cwd, home, tables, created
    if not command.strip():
        return ShellEffects()
    return ShellEffects(classes=frozenset({WriteClass.UNKNOWN}), opaque=(Opaque("", "not parsed"),))
