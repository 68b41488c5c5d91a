"""What the shell classifier knows of programs, as data (flow.md §3.6 tables).

Filled from `config/presets/shell.yaml`; `act/shell/` interprets it. Empty tables make every
program unknown, hence opaque: a missing table is never a free pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A program that runs another one: its options with a value, the words before the command."""

    values: frozenset[str] = frozenset()
    skip: int = 0
    assigns: bool = False
    """`NAME=value` words may stand before the command (`env`, `sudo`)."""


@dataclass(frozen=True, slots=True)
class ShellTables:
    """See flow.md SH-4, SH-6, SH-9 and the tables of §3.6."""

    local: frozenset[str] = frozenset()
    """Programs that stay on the machine; their words are paths they may read."""
    silent: frozenset[str] = frozenset()
    """Local programs that show nothing of any file (`echo`, `mkdir`); their words are no reads."""
    runners: frozenset[str] = frozenset()
    """Local build tools and test runners: their words are targets, no files they show."""
    egress: Mapping[str, str] = field(default_factory=dict)
    """Program → kind: url, host, remote, mail, dns, database, socket."""
    wrappers: Mapping[str, Wrapper] = field(default_factory=dict)
    values: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Program → options that take a value in the next word."""
    sends: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Program → options that make it send more than a URL."""
    subcommands: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Program → subcommand (`*` = any other) → effect words, see `act/shell/programs`."""
    programs: Mapping[str, str] = field(default_factory=dict)
    """Program without subcommands → effect words."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variable → command (its value is run), code (it names code), endpoint (data goes there)."""
    python_modules: Mapping[str, str] = field(default_factory=dict)
    """Module → network, process, dynamic, delete or environment (flow.md SH-8)."""
    markers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Kind (network, process, dynamic, …) → words in code of other languages (flow.md SH-8)."""
    package_runners: frozenset[str] = frozenset()
    """Programs that fetch a package and run it (`npx`)."""
    shown_variables: frozenset[str] = frozenset()
    """Environment variables that hold no secret (`PATH`)."""
