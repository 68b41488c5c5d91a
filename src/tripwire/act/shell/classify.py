"""What one shell command line would do, told from its text alone (flow.md §3.6).

Pure: nothing is run, no file is read. What cannot be told is opaque, never harmless (SH-9).
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from typing import Any, cast

from tripwire.act.shell.effects import ShellEffects
from tripwire.act.shell.parse import readings
from tripwire.act.shell.salvage import salvage
from tripwire.act.shell.scope import Scope
from tripwire.act.shell.walk import Walker
from tripwire.model.shell_tables import ShellTables


def classify(
    command: str,
    *,
    cwd: str,
    home: str,
    tables: ShellTables,
    created: Mapping[str, None] | frozenset[str] = frozenset(),
    scripts: Mapping[str, str] | None = None,
) -> ShellEffects:
    """The effects of `command` run by a POSIX shell in `cwd`. Never raises on any text.

    `created` are absolute paths the agent wrote in this session, `scripts` the text of those whose
    text is known: a script is judged by its text, one without is opaque (SH-8).
    """
    walker = Walker(tables)
    walk(walker, command, cwd=cwd, home=home, created=created, scripts=scripts)
    return walker.sink.effects()


def walk(
    walker: Walker,
    command: str,
    *,
    cwd: str,
    home: str,
    created: Mapping[str, None] | frozenset[str] = frozenset(),
    scripts: Mapping[str, str] | None = None,
) -> None:
    """Have `walker` walk `command`, every reading of it; see `classify`. Never raises."""
    if "\0" in command:
        walker.sink.cannot_tell("", "a NUL byte in the command")
        command = command.replace("\0", "")
    # Looked up, never copied: a session may have written any number of files.
    made = created if isinstance(created, Mapping) else dict.fromkeys(created)
    written: Mapping[str, str | None] = ChainMap(cast("Any", scripts or {}), cast("Any", made))
    for text in readings(command):
        scope = Scope(cwd, home, written)
        try:
            walker.text(text, scope, None)
            walker.uncalled(scope)
        except RecursionError:
            walker.sink.cannot_tell("", "nested too deeply")
            salvage(text, walker.sink, walker.tables)
