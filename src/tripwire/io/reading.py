"""A session's record as rows for people: what `logs` lists and `explain` explains.

Verifies nothing: a line that is no entry is shown as such; see io/verify.py. Reasons and values are
read from `secrets.enc`, for whoever can read the session's key; others see rule ids and codes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from tripwire.errors import JournalTampered, StateUnusable
from tripwire.io.files import read_private, unusable
from tripwire.io.home import state_home
from tripwire.io.journal import AUDIT, RECEIPTS, SECRETS
from tripwire.io.keys import KeyStore
from tripwire.io.nearby import store_for
from tripwire.io.seal import Seal
from tripwire.ledger import codec
from tripwire.ledger.chain import Entry, parse
from tripwire.ledger.keys import SessionKeys, sha256
from tripwire.model.event import ToolCall


@dataclass(frozen=True, slots=True)
class Row:
    """One line of audit.jsonl; `entry` is None if it is none."""

    line: int
    entry: Entry | None
    verdict: dict[str, Any] = field(default_factory=dict)
    """The verdict in full, {} if it said nothing or the key is not at hand."""
    call: ToolCall | None = None


class Reader:
    """Reads one session directory."""

    def __init__(self, session: Path, store: KeyStore) -> None:
        self.path = session
        directory = session.resolve()
        secret = store.session(directory) or KeyStore("beside").session(directory)
        if secret is None and not store.given:
            secret = store_for(directory, None)[0].session(directory)
        self.has_key = secret is not None
        self._seal: Seal | None = None
        if secret is not None:
            self._seal = Seal(SessionKeys.derive(secret).seal, directory.name)
        self._sealed: dict[str, bytes] | None = None
        self._receipts: list[bytes] | None = None

    def rows(self) -> Iterator[Row]:
        """Every line in order. Raises StateUnusable."""
        for number, line in enumerate(_content(self.path / AUDIT).split(b"\n"), start=1):
            if line:
                yield self.row(number, line)

    def row(self, number: int, line: bytes) -> Row:
        """One line."""
        try:
            entry = parse(line)
        except JournalTampered:
            return Row(number, None)
        content = self._opened(entry)
        if content is None or "receipt_seq" in entry.data:
            return Row(number, entry)
        try:
            event = codec.opened_event(content)
            call = event if isinstance(event, ToolCall) else None
            return Row(number, entry, codec.opened_verdict(content), call)
        except (ValueError, TypeError, KeyError):
            return Row(number, entry)

    def receipt(self, number: int) -> dict[str, Any]:
        """The receipt of that number, {} if there is none."""
        if number < 1:
            return {}
        if self._receipts is None:
            self._receipts = _content(self.path / RECEIPTS).split(b"\n")
        try:
            found = orjson.loads(self._receipts[number - 1])
        except (IndexError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _opened(self, entry: Entry) -> bytes | None:
        wanted = entry.data.get("sealed")
        if self._seal is None or not isinstance(wanted, dict):
            return None
        line = self._sealed_lines().get(str(wanted.get("sha256")))
        try:
            return self._seal.open(line)[1] if line is not None else None
        except JournalTampered:
            return None

    def _sealed_lines(self) -> dict[str, bytes]:
        if self._sealed is None:
            try:
                lines = _content(self.path / SECRETS).split(b"\n")
            except StateUnusable:
                lines = []
            self._sealed = {sha256(line): line for line in lines if line}
        return self._sealed


def sessions_with(decision_id: str, roots: list[Path]) -> list[Path]:
    """The sessions under these state directories (or session directories) that hold a decision."""
    wanted = b'"decision_id":"%s"' % decision_id.encode("ascii", "replace")
    audits = (
        audit
        for root in roots
        for audit in (root / AUDIT, *sorted((root / "sessions").glob(f"*/{AUDIT}")))
    )
    return [audit.parent for audit in audits if audit.is_file() and wanted in _content(audit)]


def usual_roots() -> list[Path]:
    """Where state directories usually are: `.tripwire` here, and the user's own."""
    return [root for root in (Path(".tripwire"), state_home()) if root.is_dir()]


def session_directories(path: Path) -> list[Path]:
    """`path` itself if it is a session, else the sessions in it, oldest first.

    Raises StateUnusable if it is neither.
    """
    if (path / AUDIT).exists():
        return [path]
    inside = sorted((path / "sessions").glob(f"*/{AUDIT}"), key=lambda p: p.stat().st_mtime)
    if not inside:
        there = path.is_dir()
        raise StateUnusable(
            "holds no session" if there else "no such directory",
            where=str(path),
            fix=f"Give a session or a state directory; your own is {state_home()}.",
        )
    return [audit.parent for audit in inside]


def _content(path: Path) -> bytes:
    try:
        return read_private(path)
    except OSError as error:
        raise unusable(path, error) from None
