"""A call of a tool that a policy describes, after a stranger's text: what several rules start from.

Shell lines, files and unknown tools have rules of their own (flow-rules.md §2: "unknown tool").
"""

from __future__ import annotations

from dataclasses import dataclass

from tripwire.act.arguments import values_at
from tripwire.act.facts import CallFacts, call_facts
from tripwire.act.purpose import Purpose
from tripwire.model.event import ToolCall
from tripwire.model.label import Label, WriteClass
from tripwire.model.policy import Role
from tripwire.rule import Case

_QUIET = frozenset({WriteClass.LOCAL})
_KEY = "declared"


@dataclass(frozen=True, slots=True)
class Declared:
    """The call, what it would do, and whether the user asked for such a thing."""

    facts: CallFacts
    role: Role
    wanted: Purpose

    @property
    def classes(self) -> frozenset[WriteClass]:
        """What it writes, `internal` where a recipient is absent (§3.5 step 4)."""
        return self.facts.classes

    @property
    def fetches(self) -> bool:
        """It opens an address and sends nothing else."""
        return self.role.carries_data and self.role.payload == self.role.destination

    @property
    def objects(self) -> list[tuple[str, str]]:
        """Each existing thing that it names, with its kind; attachments are files."""
        found = []
        for path in self.role.object:
            last = path.rpartition(".")[2]
            kind = last[: -len("_id")] if "." in path and last.endswith("_id") else self.role.kind
            found += [(value, kind) for value in values_at(self.wanted.event.args, path) if value]
        return found


def declared(event: ToolCall, case: Case) -> Declared | None:
    """None for calls that these rules leave alone: reads, tools without a role, clean sessions.

    From `case.memo` if this judgement has it already.
    """
    if _KEY not in case.memo:
        case.memo[_KEY] = _derive(event, case)
    found: Declared | None = case.memo[_KEY]
    return found


def _derive(event: ToolCall, case: Case) -> Declared | None:
    facts = call_facts(event, case)
    role = facts.role
    if role is None or not (facts.judged and facts.known) or role.classifier or role.harmless:
        return None
    if not role.writes - _QUIET or role.delegates:
        return None
    if Label.UNTRUSTED not in case.memory.labels:
        return None
    classes = facts.classes
    if not facts.objects:
        classes |= role.writes & {WriteClass.COMMIT}  # buying without a seller named is still that
    wanted = Purpose(event, role, classes, case, bool(facts.objects))
    return Declared(facts, role, wanted)
