"""act/access-after-untrusted — who may do what is changed by values that the user did not give.

A privileged call without a recipient: at least one value, and each one typed by the user
(flow-rules.md §3.5 step 7, flow.md AUTH-1). With a recipient its authority values must be typed.
Does not catch: a value that the user named for something else.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.act.arguments import all_texts, values_at
from tripwire.act.declared import Declared, declared
from tripwire.model.event import ToolCall
from tripwire.model.label import WriteClass
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule

ID = "act/access-after-untrusted"

_EITHER = frozenset({"true", "false", "none", "null"})


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """A finding for a change of access by values of somebody else."""
    found = declared(event, case)
    if found is None or WriteClass.PRIVILEGED not in found.classes:
        return
    values = _values(event, found)
    if found.facts.places and not values:
        return
    if not values and not event.args and found.wanted.spelled_out:
        return  # nothing is left to choose, and the user named the act by its words
    strange = [v for v in values if not _typed(v, case)]
    if values and not strange:
        return
    what = "by values that the user did not give" if values else "and names no value"
    yield Finding(
        ID,
        Action.ASK,
        f"{event.exposed} changes who may do what {what}, and this session has read untrusted text",
        remedy="Ask the user for the value, or let them make the change.",
        code="flow_violation",
    )


def _values(event: ToolCall, found: Declared) -> list[str]:
    named = [v for path in found.role.authority for v in values_at(event.args, path)]
    if found.facts.places:
        return named
    return [v for v in (named or all_texts(event.args)) if v.casefold() not in _EITHER]


def _typed(value: str, case: Case) -> bool:
    """The user's own word, be it short ("r", "rw" cannot be told from chance, so they are not)."""
    return case.memory.tokens.typed(value) or case.memory.held.said(value)


RULE = Rule(ID, ToolCall, check)
