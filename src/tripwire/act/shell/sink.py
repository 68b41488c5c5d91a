"""Collects effects while a command line is walked; each effect is kept once, in order."""

from __future__ import annotations

from tripwire.act.shell.effects import Deletion, Egress, FileWrite, Opaque, ShellEffects
from tripwire.act.shell.text import known
from tripwire.model.label import Label, WriteClass

_MAX_OPAQUE = 200


class Sink:
    """The growing answer of one classification."""

    __slots__ = (
        "classes",
        "deletions",
        "egress",
        "labels",
        "opaque",
        "programs",
        "reads",
        "words",
        "writes",
    )

    def __init__(self) -> None:
        self.programs: dict[str, None] = {}
        self.reads: dict[str, None] = {}
        self.writes: dict[FileWrite, None] = {}
        self.deletions: dict[Deletion, None] = {}
        self.egress: dict[Egress, None] = {}
        self.classes: set[WriteClass] = set()
        self.labels: set[Label] = set()
        self.opaque: dict[Opaque, None] = {}
        self.words: dict[str, None] = {}

    def cannot_tell(self, key: str, why: str) -> None:
        """A command is opaque (SH-9): its effect is unknown, never harmless."""
        if len(self.opaque) < _MAX_OPAQUE:
            self.opaque[Opaque(known(key)[:200], why)] = None
        self.classes.add(WriteClass.UNKNOWN)

    def effects(self) -> ShellEffects:
        """Everything collected, frozen."""
        return ShellEffects(
            programs=tuple(self.programs),
            reads=tuple(self.reads),
            writes=tuple(self.writes),
            deletions=tuple(self.deletions),
            egress=tuple(self.egress),
            classes=frozenset(self.classes),
            labels=frozenset(self.labels),
            opaque=tuple(self.opaque),
            words=tuple(self.words),
        )
