"""References: the invoice, order or contract a goal or a call names (gateway.md C-8, C-9).

Does not tell which reference is right; act/offline compares them.
"""

from __future__ import annotations

import functools

from tripwire.act import goal_clauses
from tripwire.memory.figures import reference, references_of
from tripwire.model.event import ToolCall
from tripwire.rule import Case
from tripwire.text import values
from tripwire.text.content import strings


def goal_references(case: Case) -> frozenset[str]:
    """The references that the goal names, but for what it forbids."""
    return _named(goal_clauses.asked(case.memory.goals.stated))


@functools.lru_cache(maxsize=256)
def _named(goal: str) -> frozenset[str]:
    return frozenset(references_of(goal))


def call_references(event: ToolCall) -> frozenset[str]:
    """The references in the texts of a call, amounts and accounts left out."""
    found = [
        reference(v.norm)
        for text in strings(dict(event.args))
        if len(text) <= 400
        for v in values.leaf(text)
        if v.kind == "id" and len(v.norm) <= 40
    ]
    return frozenset(found)


def known_references(names: frozenset[str], case: Case) -> frozenset[str]:
    """Those that evidence or the goal also names; else the goal's own.

    A reference that nobody else knows cannot make a second payment a different one.
    """
    goal = goal_references(case)
    figures = case.memory.provenance.figures
    known = {name for name in names if name in goal or figures.bound_to(frozenset({name}))}
    return frozenset(known) or goal
