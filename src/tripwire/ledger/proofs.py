"""What signed checkpoints prove of a session: nothing before them was changed, cut or rolled back.

Checks notes of `checkpoints.txt`, of heads.jsonl and of anchors against the Merkle tree of the
audit (gateway.md E-7, E-8). Reads no files and knows no secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tripwire.ledger.chain import Entry
from tripwire.ledger.checkpoint import Note, PublicKey, Verify, notes_of
from tripwire.ledger.tree import roots_at
from tripwire.ledger.verification import AUDIT, HEADS, Outcome, Problem

CHECKPOINTS = "checkpoints.txt"


@dataclass(frozen=True, slots=True)
class Witness:
    """An anchor: its name for people, and the notes it has kept."""

    name: str
    notes: tuple[Note, ...]
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Trust:
    """Whose signatures count, and how they are checked."""

    keys: tuple[PublicKey, ...]
    verify: Verify


@dataclass(frozen=True, slots=True)
class Placed:
    """A note and where it stands. `local`: beside the log, and may be put back with it."""

    note: Note
    file: str
    line: int
    local: bool = True

    @property
    def at(self) -> str:
        """For messages."""
        return f"{self.file}:{self.line}"


@dataclass(slots=True)
class Proven:
    """What the checkpoints of one session come to."""

    signed: int = 0
    covered: int = 0
    """Entries that a good checkpoint covers."""
    good: list[Placed] = field(default_factory=list)


def check_checkpoints(
    found: Outcome,
    audit: bytes | None,
    own: bytes | None,
    records: Iterable[Entry],
    witnesses: Sequence[Witness],
    trust: Trust,
    *,
    keyed: bool,
) -> Proven:
    """Check every checkpoint of one session; findings go to `found`."""
    proven = Proven()
    of_heads = _of_heads(records, found)
    placed = [*_own(own, of_heads, found), *of_heads, *_of_witnesses(witnesses, found)]
    proven.good = [each for each in placed if _signed(each, trust, found, proven)]
    _forks(proven.good, found)
    _against_tree(proven, (audit or b"").split(b"\n")[:-1], found, keyed=keyed)
    if not keyed:
        _say_what_is_left(proven, found)
    return proven


def _own(own: bytes | None, of_heads: list[Placed], found: Outcome) -> list[Placed]:
    notes, strange = notes_of(own or b"")
    last = max((note.line for note in notes), default=0)
    for line in strange:
        if line > last and not (own or b"").endswith(b"\n"):
            found.not_checked.append(f"{CHECKPOINTS}:{line} is unfinished")
            break
        found.problem("edited", CHECKPOINTS, line, "the line belongs to no checkpoint")
        break
    sizes = [note.checkpoint.size for note in notes]
    for before, note in zip(sizes, notes[1:], strict=False):
        if note.checkpoint.size < before:
            found.problem("reordered", CHECKPOINTS, note.line, "a smaller one after a larger one")
    for note in notes:
        if note.checkpoint.session != found.session:
            found.problem("edited", CHECKPOINTS, note.line, "it belongs to another session")
    most = max((each.note.checkpoint.size for each in of_heads), default=-1)
    if own is None and of_heads:
        found.problem("missing", CHECKPOINTS, 0, "the file is gone")
    elif most > max(sizes, default=-1):
        detail = f"{HEADS} has a checkpoint of {most} entries, the file has none"
        found.problem("truncated", CHECKPOINTS, len((own or b"").split(b"\n")), detail)
    mine = (note for note in notes if note.checkpoint.session == found.session)
    return [Placed(note, CHECKPOINTS, note.line) for note in mine]


def _of_heads(records: Iterable[Entry], found: Outcome) -> list[Placed]:
    """Those of heads.jsonl since the session's journal was last begun again."""
    placed: list[Placed] = []
    for record in records:
        if record.data.get("session") != found.session:
            continue
        if record.type == "reset":
            placed = []
        text = record.data.get("checkpoint")
        if text is None:
            continue
        notes, strange = notes_of(str(text).encode())
        if strange or len(notes) != 1 or notes[0].checkpoint.session != found.session:
            found.problem("edited", HEADS, record.seq, "its checkpoint is none of this session")
            continue
        placed.append(Placed(notes[0], HEADS, record.seq))
    return placed


def _of_witnesses(witnesses: Sequence[Witness], found: Outcome) -> list[Placed]:
    placed = []
    for witness in witnesses:
        mine = [n for n in witness.notes if n.checkpoint.session == found.session]
        if not mine:
            found.not_checked.append(f"{witness.name} holds no checkpoint of this session")
        placed += [Placed(note, witness.name, note.line, local=False) for note in mine]
    return placed


def _signed(placed: Placed, trust: Trust, found: Outcome, proven: Proven) -> bool:
    """Whether the note counts; a bad signature is a finding."""
    if not trust.keys:
        return True  # said once: nothing signed can be checked
    if placed.note.signed_by(trust.keys, trust.verify):
        proven.signed += 1
        return True
    found.problem("bad_signature", placed.file, placed.line, "no trusted key has signed it")
    return False


def _forks(good: list[Placed], found: Outcome) -> None:
    """Two roots for one size: two histories were signed."""
    first: dict[int, Placed] = {}
    for placed in good:
        point = placed.note.checkpoint
        other = first.setdefault(point.size, placed)
        if other.note.checkpoint.root != point.root:
            detail = f"{other.at} has another root for {point.size} entries"
            found.problem("fork", placed.file, placed.line, detail)


def _against_tree(proven: Proven, lines: list[bytes], found: Outcome, *, keyed: bool) -> None:
    roots = roots_at(lines, (p.note.checkpoint.size for p in proven.good))
    spoilt = any(p.file == AUDIT for p in found.problems)
    beyond: list[Placed] = []
    wrong: list[Placed] = []
    for placed in proven.good:
        point = placed.note.checkpoint
        if point.size not in roots:
            beyond.append(placed)
        elif roots[point.size] != point.root:
            wrong.append(placed)
        else:
            proven.covered = max(proven.covered, point.size)
    if beyond:
        _cut(max(beyond, key=lambda p: p.note.checkpoint.size), beyond, lines, found)
    if wrong and not spoilt:
        _changed(min(wrong, key=lambda p: p.note.checkpoint.size), proven, found, keyed=keyed)


def _cut(last: Placed, beyond: list[Placed], lines: list[bytes], found: Outcome) -> None:
    """Fewer entries than were signed: cut off, or all files put back to an older state."""
    size = last.note.checkpoint.size
    detail = f"{last.at} was signed at {size} entries, the file has {len(lines)}"
    known = any(placed.local for placed in beyond)
    if not known:
        found.problem("rollback", AUDIT, len(lines) + 1, detail)
    elif not any(p.kind == "truncated" and p.file == AUDIT for p in found.problems):
        found.problem("truncated", AUDIT, len(lines) + 1, detail)


def _changed(first: Placed, proven: Proven, found: Outcome, *, keyed: bool) -> None:
    size = first.note.checkpoint.size
    if keyed:  # every hash fits: somebody with the key wrote another history
        found.problem("fork", AUDIT, size, f"{first.at} was signed over another history")
        return
    detail = f"changed between here and line {size}: {first.at} was signed over other lines"
    found.problem("edited", AUDIT, proven.covered + 1, detail)


def _say_what_is_left(proven: Proven, found: Outcome) -> None:
    rest = len(found.entries) - proven.covered
    if not proven.signed:
        found.not_checked.append("signatures: no checkpoint that a trusted key signed")
    elif rest > 0:
        found.not_checked.append(f"{rest} entries after the last checkpoint")
