"""`tripwire logs`: what happened in a session, one line per call."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.io.home import state_home
from tripwire.io.keys import KeyStore
from tripwire.io.reading import Reader, Row, session_directories, usual_roots
from tripwire.text.secrets import redact

_WORDS = {
    "tool_call_attempt": "RUNNING",
    "tool_call": "ALLOWED",
    "tool_call_failed": "FAILED",
    "tool_call_unknown_outcome": "FAILED",
    "tool_call_rejected": "REFUSED",
    "tool_call_blocked": "BLOCKED",
    "tool_call_held": "HELD",
    "approval_granted": "APPROVED",
    "approval_denied": "REFUSED",
    "approval_expired": "REFUSED",
    "intent_rejected": "REFUSED",
    "state_reset": "RESET",
}
_STYLES = {
    "BLOCKED": "red",
    "HELD": "yellow",
    "FAILED": "magenta",
    "REFUSED": "red",
    "RESET": "red",
}
_MAIN = ("command", "file_path", "notebook_path", "path", "url", "pattern", "query")
"""Arguments that tell alone what a call is about."""
_NAME_SECRETS = frozenset({"act/known-secret", "act/secret-shape"})
_BRIEF = 60
"""Characters of a call in a line."""
_POLL = 0.3
_BAD = "BAD LINE"


def logs(
    directory: Path | None = None,
    /,
    *,
    follow: Annotated[bool, Parameter(negative="")] = False,
    keys_dir: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """What happened in a session, one line per call, then totals.

    Args:
        directory: A session directory, or a state directory with sessions. Default: `.tripwire`
            here, if there is one, then your own state.
        follow: Keep printing new lines until you press ^C.
        keys_dir: Where the session's key is, if not in the usual place.
        json: Print one JSON object instead of text.

    """
    sessions = _sessions(directory)
    store = KeyStore(keys_dir)
    if json:
        show.data({"ok": True, "sessions": [_session_data(path, store) for path in sessions]})
        return 0
    for path in sessions:
        if len(sessions) > 1:
            show.line(f"── {path}", style="bold")
        _print(Reader(path, store))
    if follow:
        _follow(sessions[-1], store)
    return 0


def _sessions(directory: Path | None) -> list[Path]:
    """The sessions of one directory, else all that are where state usually is, oldest first."""
    if directory is not None:
        return session_directories(directory)
    held = [root for root in usual_roots() if any((root / "sessions").glob("*/audit.jsonl"))]
    found = {path for root in held or [state_home()] for path in session_directories(root)}
    return sorted(found, key=lambda path: (path / "audit.jsonl").stat().st_mtime)


def log_text(session: Path, *, keys_dir: Path | None = None) -> str:
    """The lines of one session with their totals."""
    found = list(told(Reader(session, KeyStore(keys_dir))))
    return "\n".join([*(one.line for one in found), _totals(found)])


@dataclass(frozen=True, slots=True)
class Told:
    """What `logs` has to say about one line of the audit."""

    row: Row
    word: str
    call: str
    """The arguments in few words."""
    why: str

    @property
    def line(self) -> str:
        """The line of text."""
        entry = self.row.entry
        if entry is None:
            return f"{'-' * 19}  {_BAD}  line {self.row.line} is no entry; see verify-log"
        subject = entry.data.get("tool") or entry.data.get("approval") or ""
        known = " — ".join(part for part in (f"{subject}  {self.call}".strip(), self.why) if part)
        explained = bool(self.why) and entry.type.startswith("tool_call")
        decision = f" ({entry.data.get('decision_id')})" if explained else ""
        return f"{entry.ts[:10]} {entry.ts[11:19]}  {self.word:<8} {known}{decision}".rstrip()

    @property
    def style(self) -> str:
        """How it looks on a terminal; what passed with a remark stands out too."""
        return _STYLES.get(self.word) or ("yellow" if self.why else "")


def told(reader: Reader, *, skip: int = 0) -> Iterator[Told]:
    """Every row but the first `skip`, if it is no call in progress that has a line of its own.

    An outcome carries what was said about its attempt: a policy that only watches stops nothing,
    and what it would have stopped is to be seen here.
    """
    rows = list(reader.rows())
    attempts = {row.entry.seq: row for row in rows if row.entry is not None}
    ended = {row.entry.data.get("attempt_seq") for row in rows if row.entry is not None}
    for row in rows[skip:]:
        if row.entry is None:
            yield Told(row, _BAD, "", "")
            continue
        word = _WORDS.get(row.entry.type)
        if word is None or (word == "RUNNING" and row.entry.seq in ended):
            continue
        attempt = attempts.get(row.entry.data.get("attempt_seq", 0), row)
        why = reason(row) or reason(attempt)
        yield Told(row, word, "" if _names_secret(attempt) else brief(row, reader), why)


def _print(reader: Reader) -> None:
    found = list(told(reader))
    for one in found:
        show.line(one.line, style=one.style)
    show.line(_totals(found))


def _names_secret(row: Row) -> bool:
    return bool(
        {finding.get("rule") for finding in row.verdict.get("findings", ())} & _NAME_SECRETS
    )


def brief(row: Row, reader: Reader) -> str:
    """The call's arguments in few words, "" if it is none or the key is not at hand.

    Credentials are left out: what ran is read from its receipt, where known ones are commitments.
    """
    args: object = row.call.args if row.call is not None else None
    if row.entry is not None and (number := row.entry.data.get("receipt_seq")):
        args = reader.receipt(number).get("args") if reader.has_key else None
    return in_few_words(args) if isinstance(args, Mapping) else ""


def in_few_words(args: Mapping[str, object]) -> str:
    """The one argument that tells what a call is about, else all of them, cut to fit a line."""
    main = [text for name in _MAIN if isinstance(text := args.get(name), str)]
    told = main[0] if main else ", ".join(f"{key}={value}" for key, value in args.items())
    text = " ".join(redact(told).split())
    return text if len(text) <= _BRIEF else f"{text[: _BRIEF - 1]}…"


def reason(row: Row) -> str:
    """Why, in full with the key at hand, else as rule ids."""
    if row.entry is None:
        return ""
    data = row.entry.data
    told = [f"{f['reason']} [{f['rule']}]" for f in row.verdict.get("findings", ())]
    if told:
        return "; ".join(told)
    rules = [str(f["rule"]) for f in data.get("findings", ())]
    if rules:
        return ", ".join(rules)
    if row.entry.type == "tool_call_unknown_outcome":
        return "outcome unknown"
    return str(data.get("why", ""))


def _totals(found: list[Told]) -> str:
    counts = sorted(Counter(one.word for one in found).items())
    return ", ".join(f"{count} {word.lower()}" for word, count in counts) or "nothing happened yet"


def _session_data(path: Path, store: KeyStore) -> dict[str, Any]:
    found = list(told(Reader(path, store)))
    counts = dict(Counter(one.word for one in found))
    events = [_event_data(one) for one in found]
    return {"session": path.name, "path": str(path), "events": events, "totals": counts}


def _event_data(one: Told) -> dict[str, Any]:
    row = one.row
    if row.entry is None:
        return {"line": row.line, "outcome": one.word}
    return {
        "line": row.line,
        "ts": row.entry.ts,
        "outcome": one.word,
        "type": row.entry.type,
        "tool": row.entry.data.get("tool", ""),
        "call": one.call,
        "decision_id": row.entry.data.get("decision_id", ""),
        "reason": one.why,
    }


def _follow(session: Path, store: KeyStore) -> None:
    seen = sum(1 for _ in Reader(session, store).rows())
    while True:
        time.sleep(_POLL)
        reader = Reader(session, store)
        for one in told(reader, skip=seen):
            show.line(one.line, style=one.style)
        seen = sum(1 for _ in reader.rows())
