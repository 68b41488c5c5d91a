"""act/sensitive-params — under construction.

Does not catch: anything yet.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.model.event import ToolCall
from tripwire.model.verdict import Finding
from tripwire.rule import Case, Rule

ID = "act/sensitive-params"


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """Findings of this rule."""
    del event, case
    yield from ()


RULE = Rule(ID, ToolCall, check)
