"""What the shell classifier knows of programs, as data (flow.md §3.6 tables).

Filled from `config/presets/shell.yaml`; `act/shell/` interprets it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ShellTables:
    """See flow.md SH-4, SH-9 and the tables of §3.6."""

    local: frozenset[str] = frozenset()
    egress: frozenset[str] = frozenset()
    wrappers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
