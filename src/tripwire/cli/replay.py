"""`tripwire replay`: what a policy would have asked about or stopped in a recorded session."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.config.load import load_policy
from tripwire.errors import UsageError
from tripwire.model.policy import Policy
from tripwire.workbench.replay import Recording, Stop, recording, stops

_FLAG = Parameter(negative="")


def replay(
    *files: Path,
    policy: Path | None = None,
    prompt: Literal["trusted", "untrusted"] = "trusted",
    max_interruptions: float | None = None,
    json: Annotated[bool, _FLAG] = False,
) -> int:
    """Play transcripts of Claude Code through the policy of this project, and a new one.

    Runs nothing and writes nothing. Exit code 1 if the new policy decides otherwise anywhere, or
    more calls are interrupted than allowed; 2 if a file holds nothing that can be read.

    Args:
        files: Transcripts, one JSON object a line.
        policy: A policy file to compare with the one in force.
        prompt: Whether the user's words count as the user's; untrusted leaves them out.
        max_interruptions: The largest share of calls that may be interrupted, 0 to 1.
        json: Print one JSON object instead of text.

    """
    if not files:
        raise UsageError("no transcript", fix="Name one or more files.")
    held = load_policy(None, project=Path.cwd())
    other = load_policy(policy) if policy is not None else None
    told = [_told(file, held, other, trusted=prompt == "trusted") for file in files]
    if json:
        show.data({"files": told})
    else:
        for each in told:
            _print(each)
    calls = sum(each["calls"] for each in told)
    stopped = sum(len(each["new" if other is not None else "stops"]) for each in told)
    over = max_interruptions is not None and stopped > max_interruptions * calls
    return 1 if over or any(each.get("differs") for each in told) else 0


def _told(file: Path, held: Policy, other: Policy | None, *, trusted: bool) -> dict[str, Any]:
    found = _read(file, trusted=trusted)
    before = [_data(stop) for stop in stops(found, held)]
    unread = [{"line": line, "why": why} for line, why in found.unread]
    told: dict[str, Any] = {"file": str(file), "calls": found.calls, "unread": unread}
    told["stops"] = before
    if other is not None:
        told["new"] = [_data(stop) for stop in stops(found, other)]
        told["differs"] = _differing(before, told["new"])
    return told


def _read(file: Path, *, trusted: bool) -> Recording:
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        why = getattr(problem, "strerror", None) or "not UTF-8"
        raise UsageError(f"cannot be read ({why})", where=str(file)) from None
    found = recording(text, home=str(Path.home()), trusted=trusted)
    if not found.events:
        fix = "Give a transcript of Claude Code, one JSON object a line."
        raise UsageError("holds no event that can be read", where=str(file), fix=fix)
    return found


def _differing(before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]) -> list[int]:
    """Numbers of the calls on which the policies disagree."""
    old, new = ({each["number"]: each["action"] for each in told} for told in (before, after))
    return sorted(number for number in old | new if old.get(number) != new.get(number))


def _data(stop: Stop) -> dict[str, Any]:
    findings = [
        {"rule": f.rule, "action": f.action.name, "reason": f.reason} for f in stop.verdict.findings
    ]
    action = stop.verdict.action.name
    return {
        "number": stop.number,
        "call": stop.call,
        "tool": stop.tool,
        "action": action,
        "findings": findings,
    }


def _print(told: dict[str, Any]) -> None:
    head = f"{told['file']}: {told['calls']} calls, {len(told['stops'])} interrupted"
    show.line(head, style="bold")
    for name in ("stops", "new"):
        if name == "new" and name in told:
            show.line(f"  with the new policy: {len(told[name])} interrupted")
        for stop in told.get(name, ()):
            why = "; ".join(f"{f['reason']} [{f['rule']}]" for f in stop["findings"])
            show.line(f"  {stop['action']} call {stop['number']} {stop['tool']}: {why}")
    if told.get("differs"):
        show.line(f"  decided otherwise: calls {', '.join(map(str, told['differs']))}")
    if told["unread"]:
        first = told["unread"][0]
        many = len(told["unread"])
        show.warning(f"{many} line(s) not read, the first: line {first['line']}, {first['why']}")
