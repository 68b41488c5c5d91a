"""`tripwire explain`: one recorded decision, and why it fell as it did."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from tripwire.cli import check_path, show
from tripwire.cli.logs import in_few_words
from tripwire.errors import UsageError
from tripwire.io.keys import KeyStore
from tripwire.io.reading import Reader, Row, sessions_with, usual_roots
from tripwire.text.secrets import redact

_LONGEST = 400


def explain(
    decision: str,
    /,
    *,
    state: Path | None = None,
    keys_dir: Path | None = None,
    project: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """One decision: what was judged, why, by which rule, where the values came from, what now.

    Or a path: what an agent that reads it would be shown, and why.

    Args:
        decision: The id, `d-` and 8 hex digits; refusals and `logs --json` name it. Or a path (a
            file that is called like an id is reached as `./d-…`).
        state: A state or session directory to look in. Default: `.tripwire` here, then your own.
        keys_dir: Where the session's key is, if not in the usual place.
        project: For a path: its project, if not the nearest one around this directory.
        json: Print one JSON object instead of text.

    """
    if not decision.startswith("d-"):
        return check_path.explain_path(decision, project, as_json=json)
    found = sessions_with(decision, [state] if state is not None else usual_roots())
    if not found:
        raise UsageError(
            f"no session holds {decision}", fix="Name its state directory with --state."
        )
    store = KeyStore(keys_dir)
    readers = [Reader(path, store) for path in found]
    answers = [_answer(reader, decision) for reader in readers]
    if json:
        show.data({"ok": True, "decisions": answers})
        return 0
    for answer, reader in zip(answers, readers, strict=True):
        _print(answer, reader)
    return 0


def _answer(reader: Reader, decision: str) -> dict[str, Any]:
    rows = [row for row in reader.rows() if row.entry is not None]
    row, entry = next(
        (r, r.entry)
        for r in rows
        if r.entry is not None
        and r.entry.data.get("decision_id") == decision
        and r.entry.type != "approval_used"
    )
    judged = _attempt(row, rows)
    data = entry.data
    return {
        "decision_id": decision,
        "session": reader.path.name,
        "at": entry.ts,
        "type": entry.type,
        "action": judged.verdict.get("action") or str(data.get("decision", "pass")).upper(),
        "tool": data.get("tool", ""),
        "call": _call(judged),
        "findings": judged.verdict.get("findings") or data.get("findings", []),
        "destinations": judged.verdict.get("destinations") or data.get("destinations", []),
        "not_scanned": judged.verdict.get("not_scanned", []),
        "receipt": data.get("receipt_seq", 0),
        "key_at_hand": reader.has_key,
    }


def _attempt(row: Row, rows: list[Row]) -> Row:
    """The row that was judged: an outcome is explained by its attempt."""
    wanted = row.entry.data.get("attempt_seq") if row.entry is not None else None
    return next((r for r in rows if r.entry and r.entry.seq == wanted), row) if wanted else row


def _call(row: Row) -> dict[str, Any]:
    """The call's arguments, without credentials (flow.md DLP-9)."""
    if row.call is None:
        return {}
    return {"args": {redact(str(k)): _shown(v) for k, v in row.call.args.items()}}


def _shown(value: object) -> str:
    text = redact(value if isinstance(value, str) else repr(value))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"


def _print(answer: dict[str, Any], reader: Reader) -> None:
    show.line(f"{answer['decision_id']}  {answer['action']}  {answer['tool']}", style="bold")
    show.line(f"  when       {answer['at']} in session {answer['session']}")
    show.line(f"  record     {answer['type']}" + _receipt(answer["receipt"]))
    for name, value in answer["call"].get("args", {}).items():
        show.line(f"  argument   {name} = {value}")
    for place in answer["destinations"]:
        value = place.get("value") or f"(hash {place.get('hash', '')})"
        origin = f", first seen in {place['origin']}" if place.get("origin") else ""
        show.line(f"  goes to    {value} ({place['trust']}{origin})")
    for finding in answer["findings"]:
        _print_finding(finding, reader)
    if not answer["findings"]:
        show.line("  why        no rule had anything to say")
    for what in answer["not_scanned"]:
        show.line(f"  not read   {what}")
    if not answer["key_at_hand"]:
        show.line("  note       values and reasons are encrypted; the session's key is not at hand")


def _print_finding(finding: dict[str, Any], reader: Reader) -> None:
    where = f" at {finding['at']}" if finding.get("at") else ""
    show.line(f"  rule       {finding['rule']} {finding['action']}{where}")
    if finding.get("reason"):
        show.line(f"    why      {finding['reason']}")
    for origin in finding.get("evidence", ()):
        show.line(f"    from     {_origin(origin, reader)}")
    for violation in finding.get("violations", ()):
        shown = f" = {violation['preview']}" if violation.get("preview") else ""
        needs = f"needs {violation['required']}"
        show.line(f"    value    {violation['param']}{shown}: {violation['reason']}, {needs}")
        for origin in violation.get("origins", ()):
            show.line(f"      from   {_origin(origin, reader)}")
    for check in finding.get("checks", ()):
        outcome = "passed" if check["passed"] else "failed"
        why = f": {check['reason']}" if check.get("reason") else ""
        show.line(f"    check    {check['check']} {outcome} ({check['verifier']}){why}")
    if finding.get("remedy"):
        show.line(f"    do now   {finding['remedy']}")


def _origin(origin: dict[str, Any], reader: Reader) -> str:
    """Where a label or value came from; of a call without a place, what was called."""
    source = origin.get("source") or origin.get("upstream", "")
    number = origin.get("receipt", origin.get("receipt_seq", 0))
    args = reader.receipt(number).get("args") if reader.has_key else None
    where = origin.get("where") or (in_few_words(args) if isinstance(args, Mapping) else "")
    place = f" {where}" if where else ""
    return f"{source} {origin.get('tool', '')}{place} ({origin['trust']})" + _receipt(number)


def _receipt(number: int) -> str:
    return f", receipt {number}" if number else ""
