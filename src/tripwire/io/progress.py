"""How far a session's evidence is known outside its own files (gateway.md E-5).

Signs a checkpoint every `checkpoint_every` entries, at gained labels, approvals and the session's
end, and gives it to `checkpoints.txt`, `heads.jsonl` and every anchor.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field

from tripwire.errors import EvidenceUnavailable, StateUnusable
from tripwire.io.anchors import Anchors
from tripwire.io.files import AppendFile
from tripwire.io.heads import Heads
from tripwire.io.journal import Journal
from tripwire.ledger.checkpoint import Checkpoint
from tripwire.ledger.entry import labels_gained
from tripwire.memory.memory import Memory
from tripwire.model.label import Label

FILE = "checkpoints.txt"


@dataclass(slots=True)
class Progress:
    """What is owed to the files that tell how long the journal is."""

    journal: Journal
    heads: Heads
    anchors: Anchors
    every: int = 100
    known_labels: frozenset[Label] = field(default_factory=frozenset)
    """Labels that the journal says were gained."""
    noted: int = -1
    """Audit number at the last checkpoint; -1 if one is owed."""
    owed: str = "head"
    """The kind of the next record in heads.jsonl."""

    def start_empty(self) -> None:
        """The journal begins again."""
        self.known_labels, self.noted, self.owed = frozenset(), -1, "head"

    def owing(self, memory: Memory) -> bool:
        """Whether labels or a checkpoint are still to be written."""
        return self._due() or memory.labels.as_set() != self.known_labels

    def note(self, memory: Memory) -> None:
        """Record gained labels, and how far the session is. Raises EvidenceUnavailable."""
        held = memory.labels
        gained = held.as_set() - self.known_labels
        if gained:
            origins = [origin for label in gained for origin in held.origins(label)[:1]]
            self.journal.append([("labels_gained", labels_gained(gained, origins))])
            self.known_labels |= gained
            self.noted = -1
        if self._due():
            self.checkpoint(self.owed)

    def checkpoint(self, kind: str) -> None:
        """Sign how far the session is. Raises EvidenceUnavailable."""
        journal = self.journal
        point = Checkpoint(journal.directory.name, journal.tree.size, journal.tree.root())
        note = self.heads.signer.note(point)
        self._append(note)  # first: heads.jsonl must never know one that is not here
        journal.heads_tip = self.heads.note(kind, point.session, *journal.tips, note)
        self.noted, self.owed = journal.tips[0].seq, "head"
        self.anchors.post(note)

    def require_anchors(self) -> None:
        """Raises EvidenceUnavailable while a required anchor does not take checkpoints."""
        if broken := self.anchors.broken():
            raise EvidenceUnavailable(
                f"the required anchor {broken} does not take checkpoints",
                where="audit.anchors",
                fix="Make it reachable; guarded and writing calls are refused until then.",
            )

    def _due(self) -> bool:
        return self.noted < 0 or self.journal.tips[0].seq - self.noted >= self.every

    def _append(self, note: bytes) -> None:
        """To checkpoints.txt. Raises EvidenceUnavailable; then nothing was written."""
        path = self.journal.directory / FILE
        try:
            file = AppendFile(path)
        except StateUnusable as error:
            raise EvidenceUnavailable(error.what, where=error.where, fix=error.fix) from None
        before = file.length()
        try:
            before = self._mended(file, before)
            file.append((b"\n" if before else b"") + note)
        except OSError as error:
            with suppress(OSError):
                file.cut(before)
            raise EvidenceUnavailable(
                f"cannot be written ({error.strerror})",
                where=str(path),
                fix="Make room on the disk or make the directory writable.",
            ) from None
        finally:
            file.close()

    def _mended(self, file: AppendFile, length: int) -> int:
        """Move a note that a dying writer left unfinished to `checkpoints.txt.torn`."""
        file.size = max(0, length - _TAIL)
        tail = file.tail()
        whole = _SIGNED.search(tail)
        good = file.size + whole.end() if whole else 0
        file.size = length
        if good == length:
            return length
        torn = AppendFile(file.path.with_name(f"{FILE}.torn"))
        try:
            torn.append(tail[good - length :] + b"\n")
            torn.sync()
        finally:
            torn.close()
        file.cut(good)
        return good


_TAIL = 4096
"""Bytes in which the last whole note ends: a note has some 250, with cosignatures 2,000."""
_SIGNED = re.compile(rb".*\n\xe2\x80\x94 [^\n]+\n", re.DOTALL)
"""Everything up to the end of the last signature line."""
