"""Whether the user's words ask for what a call does (flow-rules.md §3.3).

Wording is fragile, so a hit alone lets nothing go: it only spares a question that would be asked
because nobody asked for such a call. Knows the call by its role, never by a server's name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tripwire.memory.held_records import HeldRecords
from tripwire.model.event import ToolCall
from tripwire.model.label import WriteClass
from tripwire.model.policy import Role
from tripwire.rule import Case
from tripwire.text import purpose

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"[^\W_]+")
_OUT = frozenset({WriteClass.EXTERNAL, WriteClass.PUBLIC})


@dataclass(frozen=True, slots=True)
class Purpose:
    """A call against what the user asked for."""

    event: ToolCall
    role: Role
    classes: frozenset[WriteClass]
    case: Case
    has_object: bool = False

    @property
    def held(self) -> HeldRecords:
        """The records of the session."""
        return self.case.memory.held

    @property
    def own_only(self) -> bool:
        """Only the user's own records vouch for a recipient."""
        return self.case.policy.flow.own_only

    @property
    def strict(self) -> bool:
        """Level strict: no people, no endorsed page, no delegation (flow-rules.md §1)."""
        return self.case.policy.flow.level == "strict"

    @property
    def concepts(self) -> tuple[str, ...]:
        """The kinds of action that would ask for this call."""
        if WriteClass.DESTRUCTIVE in self.classes:
            return ("del",)
        if WriteClass.COMMIT in self.classes:
            return ("pay", "book")
        if WriteClass.PRIVILEGED in self.classes:
            return (
                ("cred",)
                if self.role.authority and not self.role.destination
                else ("invite", "group", "cred")
            )
        if self.classes & _OUT:
            return ("send", "file")
        if self.has_object:
            return ("upd",)
        return ("event",) if self.role.kind in ("event", "reminder") else ("send", "file")

    @property
    def concept(self) -> str:
        """The first of them."""
        return self.concepts[0]

    @property
    def licensed(self) -> bool:
        """Whether the user's words hold a stem of a concept, and a word of the tool's name."""
        said = self.held.words
        if not said:
            return False
        named = [word.casefold() for word in _WORD.findall(_CAMEL.sub(" ", self.event.tool))]
        if self.spelled_out:
            return True
        if self.concept in ("del", "upd"):
            return purpose.asks_for(said, self.concept)
        if not any(word not in purpose.GENERIC for word in named):
            # "add" of a server called notes: the server says what it is about.
            named = [word.casefold() for word in _WORD.findall(self.event.source)]
            if not purpose.shares_word(said, named):
                return False
        if not (purpose.shares_word(said, named) or self._kindred(named)):
            return False
        return any(purpose.asks_for(said, concept) for concept in self.concepts)

    @property
    def spelled_out(self) -> bool:
        """Whether the user said every telling word of the tool's name, two at least."""
        named = [word.casefold() for word in _WORD.findall(_CAMEL.sub(" ", self.event.tool))]
        return purpose.all_said(self.held.words, named)

    def _kindred(self, named: list[str]) -> bool:
        """The user used another word of the same kind: "wire" for a tool that transfers."""
        for concept in self.concepts:
            if any(purpose.asks_for([word], concept) for word in named):
                return purpose.asks_for(self.held.words, concept)
        return False
