"""`tripwire logs`: what happened in a session, one line per call."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
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
_TO_EXPLAIN = frozenset({"BLOCKED", "HELD"})
"""Lines that name their decision, for `tripwire explain`."""
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
    lines, counts = [], Counter[str]()
    for word, line in _lines(Reader(session, KeyStore(keys_dir))):
        counts[word] += 1
        lines.append(line)
    return "\n".join([*lines, _totals(counts)])


def _print(reader: Reader) -> None:
    counts = Counter[str]()
    for word, line in _lines(reader):
        counts[word] += 1
        show.line(line, style=_STYLES.get(word, ""))
    show.line(_totals(counts))


def _lines(reader: Reader) -> list[tuple[str, str]]:
    rows = list(reader.rows())
    ended = {row.entry.data.get("attempt_seq") for row in rows if row.entry is not None}
    return [made for row in rows if (made := line_of(row, ended, brief(row, reader)))]


def line_of(row: Row, ended: set[Any], call: str = "") -> tuple[str, str] | None:
    """(word, line) of a row; None for what has a line of its own elsewhere, or is no call.

    `call` are the arguments in few words.
    """
    if row.entry is None:
        return _BAD, f"{'-' * 19}  {_BAD}  line {row.line} is no entry; see verify-log"
    entry = row.entry
    word = _WORDS.get(entry.type)
    if word is None or (word == "RUNNING" and entry.seq in ended):
        return None
    when = f"{entry.ts[:10]} {entry.ts[11:19]}"
    why = reason(row)
    subject = entry.data.get("tool") or entry.data.get("approval") or ""
    known = " — ".join(part for part in (f"{subject}  {call}".strip(), why) if part)
    decision = f" ({entry.data.get('decision_id')})" if word in _TO_EXPLAIN else ""
    return word, f"{when}  {word:<8} {known}{decision}".rstrip()


def brief(row: Row, reader: Reader) -> str:
    """The call's arguments in few words, "" if it is none or the key is not at hand.

    Credentials are left out: what ran is read from its receipt, where known ones are commitments,
    and a call that was stopped because of one is not shown.
    """
    args: object = row.call.args if row.call is not None else None
    if row.entry is not None and (number := row.entry.data.get("receipt_seq")):
        args = reader.receipt(number).get("args") if reader.has_key else None
    named = {finding.get("rule") for finding in row.verdict.get("findings", ())}
    if not isinstance(args, Mapping) or named & _NAME_SECRETS:
        return ""
    main = next((args[name] for name in _MAIN if isinstance(args.get(name), str)), None)
    told = main if main is not None else ", ".join(f"{k}={v}" for k, v in args.items())
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


def _totals(counts: Counter[str]) -> str:
    words = [f"{count} {word.lower()}" for word, count in sorted(counts.items())]
    return ", ".join(words) or "nothing happened yet"


def _session_data(path: Path, store: KeyStore) -> dict[str, Any]:
    reader = Reader(path, store)
    rows = list(reader.rows())
    ended = {row.entry.data.get("attempt_seq") for row in rows if row.entry is not None}
    events, counts = [], Counter[str]()
    for row in rows:
        made = line_of(row, ended)
        if made is None:
            continue
        counts[made[0]] += 1
        events.append(_event_data(row, made[0], brief(row, reader)))
    return {"session": path.name, "path": str(path), "events": events, "totals": dict(counts)}


def _event_data(row: Row, word: str, call: str) -> dict[str, Any]:
    if row.entry is None:
        return {"line": row.line, "outcome": word}
    return {
        "line": row.line,
        "ts": row.entry.ts,
        "outcome": word,
        "type": row.entry.type,
        "tool": row.entry.data.get("tool", ""),
        "call": call,
        "decision_id": row.entry.data.get("decision_id", ""),
        "reason": reason(row),
    }


def _follow(session: Path, store: KeyStore) -> None:
    seen = sum(1 for _ in Reader(session, store).rows())
    while True:
        time.sleep(_POLL)
        reader = Reader(session, store)
        rows = list(reader.rows())
        ended = {row.entry.data.get("attempt_seq") for row in rows if row.entry is not None}
        for row in rows[seen:]:
            made = line_of(row, ended, brief(row, reader))
            if made is not None:
                show.line(made[1], style=_STYLES.get(made[0], ""))
        seen = len(rows)
