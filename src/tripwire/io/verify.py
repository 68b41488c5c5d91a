"""verify-log: the evidence of one session, or of all, against its keys (gateway.md E-7, E-8).

Reads files and keys; what the bytes prove is decided in ledger/verification.py.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tripwire.errors import JournalTampered, StateUnusable, TripwireError
from tripwire.io.files import FileLock, read_private, unusable
from tripwire.io.keys import KeyStore
from tripwire.io.nearby import store_for
from tripwire.io.witnesses import trust_of, witness
from tripwire.ledger import approval
from tripwire.ledger.chain import Entry, Tip
from tripwire.ledger.keys import InstallationKeys, SessionKeys
from tripwire.ledger.proofs import CHECKPOINTS, Trust, Witness, check_checkpoints
from tripwire.ledger.verification import (
    APPROVALS,
    AUDIT,
    HEAD,
    HEADS,
    RECEIPTS,
    SECRETS,
    Evidence,
    Outcome,
    Problem,
    check_answers,
    check_chain,
    check_heads,
    check_session,
)

OK, TAMPERED, UNREADABLE, INCOMPLETE = 0, 1, 2, 3
_STATUS = {OK: "ok", TAMPERED: "tampered", UNREADABLE: "unreadable", INCOMPLETE: "incomplete"}
_ROWS = (
    ("audit chain", AUDIT, "entries"),
    ("receipts", RECEIPTS, "receipts"),
    ("checkpoints", HEADS, ""),
    ("secrets", SECRETS, ""),
)
_NO_ANCHOR = "no anchor: state that was deleted together with heads.jsonl would not be noticed"


@dataclass(frozen=True, slots=True)
class Report:
    """What verification found; `code` is the exit code of `verify-log`."""

    path: str
    sessions: tuple[Outcome, ...]
    shared: tuple[Problem, ...]
    checkpoints: int
    not_checked: tuple[str, ...] = ()
    signed: int = 0
    """Signatures that are good."""
    anchors: int = 0
    key_note: str = ""
    keys: str = ""
    """Where the keys were found, if that is next to the log."""

    @property
    def findings(self) -> tuple[Problem, ...]:
        """Every finding, of the sessions and of the files they share."""
        return (*(p for outcome in self.sessions for p in outcome.problems), *self.shared)

    @property
    def code(self) -> int:
        """0 OK, 1 tampered, 3 incomplete."""
        if self.findings:
            return TAMPERED
        return INCOMPLETE if self._unchecked() else OK

    @property
    def ok(self) -> bool:
        """Nothing was changed, and nothing was left unchecked."""
        return self.code == OK

    @property
    def status(self) -> str:
        """ok, tampered or incomplete."""
        return _STATUS[self.code]

    def data(self) -> dict[str, Any]:
        """The JSON of gateway.md §4."""
        return {
            "ok": self.ok,
            "status": self.status,
            "path": self.path,
            "sessions": len(self.sessions),
            "audit": {"entries": sum(len(s.entries) for s in self.sessions)},
            "receipts": {"count": sum(len(s.receipts) for s in self.sessions)},
            "open_attempts": sum(s.open_attempts for s in self.sessions),
            "checkpoints": self.checkpoints,
            "signatures": self.signed,
            "anchors": self.anchors,
            "not_checked": self._unchecked(),
            "notes": self._notes(),
            "findings": [problem.data() for problem in self.findings],
        }

    def text(self) -> str:
        """The lines that people read."""
        data = self.data()
        signed = f", {self.signed} signatures good" if self.signed else ", none signed"
        counts = {
            AUDIT: f"({data['audit']['entries']} entries)",
            RECEIPTS: f"({data['receipts']['count']} receipts)",
            HEADS: f"({self.checkpoints}{signed})",
            SECRETS: "",
        }
        lines = [self._row(name, file, counts[file]) for name, file, _ in _ROWS]
        told = f"OK   ({self.anchors})" if self.anchors else f"NONE ({_NO_ANCHOR})"
        lines.append(f"{'anchors':<15}{told}")
        lines += [f"{'keys':<15}{note}" for note in self._notes() if note != _NO_ANCHOR]
        lines += [f"{p.kind:<15}{p.at}: {p.detail}" for p in self.findings]
        lines += [f"{'not checked':<15}{what}" for what in self._unchecked()]
        lines.append(f"{'verdict':<15}{self.status.upper()}")
        return "\n".join(lines)

    def _row(self, name: str, file: str, count: str) -> str:
        near = {HEADS: (HEADS, HEAD, APPROVALS, CHECKPOINTS)}.get(file, (file,))
        bad = any(p.file.rsplit("/", 1)[-1] in near for p in self.findings)
        return f"{name:<15}{'BAD' if bad else 'OK ':<5}{count}".rstrip()

    def _near(self) -> str:
        return f"from {self.keys}: whoever can change the log may be able to change them"

    def _notes(self) -> list[str]:
        found = [] if self.anchors else [_NO_ANCHOR]
        found += [self._near()] if self.keys else []
        return found + ([self.key_note] if self.key_note else [])

    def _unchecked(self) -> list[str]:
        prefix = len(self.sessions) > 1
        return [
            f"{s.session}: {what}" if prefix else what
            for s in self.sessions
            for what in s.not_checked
        ] + list(self.not_checked)


def verify_log(
    path: Path | str,
    *,
    keys_dir: Path | str | None = None,
    public_key: str = "",
    anchors: Sequence[Path | str] = (),
) -> Report:
    """Verify a session directory, or a state directory with all its sessions.

    `public_key` is the text of a verifier key or a file with one; `anchors` are files or git
    repositories that were told the checkpoints.

    Raises StateUnusable if `path` holds no journal or cannot be read, UsageError for a bad key
    or a bad key variable.
    """
    with _no_collections():
        return _verified(Path(path), keys_dir, public_key, anchors)


@contextmanager
def _no_collections() -> Iterator[None]:
    """A log becomes many objects and no cycles: looking for garbage costs a fifth of the time."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def _verified(
    path: Path, keys_dir: Path | str | None, public_key: str, anchors: Sequence[Path | str]
) -> Report:
    store, near = store_for(path, keys_dir)
    witnesses = tuple(witness(Path(each)) for each in anchors)
    root = path if (path / "sessions").is_dir() else path.resolve().parent.parent
    # What knows of another file is read before it: sessions may go on meanwhile.
    early = {folder.resolve(): _content(folder / HEAD) for folder in _folders(path, root)}
    heads = _heads(root, store)
    trust, key_note = trust_of(public_key, store, heads.records)
    look = _Look(store, heads, witnesses, trust, early)
    report = (_verify_state if root == path else _verify_one)(path, look)
    odd = tuple(problem for each in witnesses for problem in each.problems)
    return replace(
        report,
        keys=near,
        key_note=key_note,
        anchors=len(witnesses),
        shared=report.shared + odd,
        signed=look.signed,
    )


@dataclass(slots=True)
class _Look:
    """What every session is verified with; `signed` counts good signatures."""

    store: KeyStore
    heads: _Listing
    witnesses: tuple[Witness, ...]
    trust: Trust
    early: dict[Path, bytes | None]
    """head.json of each session, from before heads.jsonl was read."""
    signed: int = 0
    notes: int = 0


def _verify_one(path: Path, look: _Look) -> Report:
    if not path.is_dir():
        raise StateUnusable(
            "no such directory", where=str(path), fix="Give a session or a state directory."
        )
    if not any((path / name).exists() for name in (AUDIT, RECEIPTS, HEAD)):
        raise StateUnusable("holds no journal", where=str(path), fix="Give a session directory.")
    heads = look.heads
    outcome = _verify_session(path, look)
    listed = sum(1 for r in heads.records if r.data.get("session") == outcome.session)
    problems, skipped = list(heads.problems), list(heads.skipped)
    if not heads.there and path.resolve().parent.name != "sessions":
        problems, skipped = [], [*skipped, f"{HEADS}: this is a copy without it"]
    return Report(str(path), (outcome,), tuple(problems), look.notes or listed, tuple(skipped))


def _verify_state(root: Path, look: _Look) -> Report:
    heads = look.heads
    shared = list(heads.problems)
    directories = _folders(root, root)
    outcomes = tuple(_verify_session(path, look) for path in directories)
    there = {path.name for path in directories}
    listed = {str(r.data["session"]): HEADS for r in heads.records if "session" in r.data}
    for each in look.witnesses:
        listed |= {n.checkpoint.session: each.name for n in each.notes} | listed
    shared += [
        Problem("missing", f"sessions/{name}", 0, f"listed in {where}, but gone")
        for name, where in listed.items()
        if name not in there
    ]
    answers = _content(root / APPROVALS) or b""
    shared += _approvals(answers, heads.keys)
    shared += check_answers(outcomes, answers)
    shared += [
        Problem("reset", path.name, 0, "set aside because it was changed; a new one was begun")
        for path in sorted(root.glob("*.jsonl.aside-*"))
    ]
    skipped = list(heads.skipped)
    if not answers.endswith(b"\n") and answers:
        skipped.append(f"{APPROVALS}: the last line is unfinished; the next writer mends it")
    checkpoints = look.notes or len(heads.records)
    return Report(str(root), outcomes, tuple(shared), checkpoints, tuple(skipped))


def _verify_session(path: Path, look: _Look) -> Outcome:
    directory, store, heads = path.resolve(), look.store, look.heads
    secret = store.session(directory) or KeyStore("beside").session(directory)
    keys = SessionKeys.derive(secret) if secret is not None else None
    evidence = _read_session(directory, look.early.get(directory))
    outcome = check_session(evidence, keys)
    if keys is None:
        outcome.not_checked.append(f"no key at {store.session_path(directory)}")
    if heads.there:
        check_heads(heads.records, heads.lines, outcome)
    proven = check_checkpoints(
        outcome,
        evidence.audit,
        evidence.checkpoints,
        heads.records,
        look.witnesses,
        look.trust,
        keyed=keys is not None,
    )
    look.signed += proven.signed
    look.notes += sum(1 for each in proven.good if each.file == CHECKPOINTS)
    return outcome


def _folders(path: Path, root: Path) -> list[Path]:
    """The session directories that are asked about."""
    if path != root:
        return [path]
    return sorted(p for p in (root / "sessions").iterdir() if p.is_dir())


def _read_session(directory: Path, head: bytes | None) -> Evidence:
    """All files of a session as of one moment; `head` is what head.json held before, if any."""
    lock = directory / "lock"
    try:
        held: Any = FileLock(lock).held() if lock.exists() else nullcontext()
    except StateUnusable:  # a copy on read-only media: nobody writes there
        held = nullcontext()
    with held:
        audit, receipts, secrets, now, checkpoints = (
            _content(directory / n) for n in (AUDIT, RECEIPTS, SECRETS, HEAD, CHECKPOINTS)
        )
    head = head if now is not None and head is not None else now
    return Evidence(directory.name, audit, receipts, secrets, head, checkpoints)


def _content(path: Path) -> bytes | None:
    try:
        return read_private(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unusable(path, error) from None


def _installation(store: KeyStore) -> InstallationKeys | None:
    secret = store.installation(create=False)
    return InstallationKeys.derive(secret) if secret is not None else None


@dataclass(frozen=True, slots=True)
class _Listing:
    """What heads.jsonl holds."""

    there: bool
    lines: int
    records: list[Entry]
    problems: list[Problem]
    keys: InstallationKeys | None = None
    skipped: tuple[str, ...] = ()


def _heads(root: Path, store: KeyStore) -> _Listing:
    content = _content(root / HEADS)
    if content is None:
        return _Listing(
            False, 0, [], [Problem("missing", HEADS, 0, "the list of sessions is gone")]
        )
    whole, _, rest = content.rpartition(b"\n")
    lines = [line + b"\n" for line in whole.split(b"\n")] if whole else []
    keys, skipped = _fitting(_installation(store), lines, store)
    if rest:
        skipped = (*skipped, f"{HEADS}:{len(lines) + 1} is unfinished; the next writer mends it")
    entries, problems = check_chain(lines, HEADS, keys.heads if keys else None)
    records = [entry for entry in entries if entry is not None]
    return _Listing(True, len(lines), records, problems, keys, skipped)


def _fitting(
    keys: InstallationKeys | None, lines: list[bytes], store: KeyStore
) -> tuple[InstallationKeys | None, tuple[str, ...]]:
    """The keys, if any line says that it was written with them, and what is not checked if not.

    A line may lie about that, which only makes the verification incomplete: never OK.
    """
    hint = "give --keys-dir, the keys_dir of its configuration"
    if keys is None:
        return None, (f"MACs of {HEADS}: no installation key in {store.directory}; {hint}",)
    own = b'"key":"%s"' % keys.fingerprint.encode()
    if any(own in line or b'"key":"' not in line for line in lines):
        return keys, ()
    why = f"the key in {store.directory} is not the one that wrote it"
    return None, tuple(f"MACs of {file}: {why}; {hint}" for file in (HEADS, APPROVALS))


def _approvals(content: bytes, keys: InstallationKeys | None) -> list[Problem]:
    """The findings in the whole lines of approvals.jsonl."""
    if keys is None:
        return []
    problems, tip = [], Tip()
    for number, line in enumerate(content.split(b"\n")[:-1], start=1):
        try:
            _, tip = approval.check(line + b"\n", tip, keys.approvals)
        except JournalTampered as error:
            kind, _, detail = error.what.partition(": ")
            problems.append(Problem(kind, APPROVALS, number, detail))
            try:
                _, tip = approval.genuine(line + b"\n", keys.approvals)
            except JournalTampered:
                break
    return problems


def unreadable(error: TripwireError, path: Path) -> dict[str, Any]:
    """The JSON of a journal that cannot be read."""
    return {"ok": False, "status": "unreadable", "path": str(path), "error": str(error)}
