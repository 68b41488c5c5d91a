"""`tripwire say`: rules for what a model says, tried on texts."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.config.say_packs import pack_names, say_policy
from tripwire.doors import say_library
from tripwire.doors.say_lint import linted
from tripwire.errors import TripwireAbort, UsageError
from tripwire.model.say import SayPolicy, SayRule
from tripwire.say.compiled import StreamRule
from tripwire.say.found import SayFinding

_FLAG = Parameter(negative="")
_CAMEL = {
    "knownProjectNames": "known_project_names",
    "knownBuilderNames": "known_builder_names",
    "unverifiedProjectNames": "unverified_project_names",
    "buyerMessage": "buyer_message",
}
_OPTIONS = (*_CAMEL.values(), "classified")


def say(
    action: Literal["check", "stream", "rules", "explain", "lint"],
    target: str = "-",
    /,
    *,
    pack: tuple[str, ...] = (),
    profile: str = "default",
    options: Path | None = None,
    chunk: int = 4,
    json: Annotated[bool, _FLAG] = False,
) -> int:
    """Try the rules for what a model says: on a text, as a stream, or on their own tests.

    `check` reviews a finished reply, `stream` shows what a stream of it would let through, `rules`
    lists the rules, `explain` says what one of them does, `lint` runs the tests of each rule.
    Exit code 1 if a rule is violated, a stream is stopped or a test fails.

    Args:
        action: What to do.
        target: A file, `-` for standard input; of `explain` a rule's id.
        pack: Packs by name, or files; without one `default` and `property-sales`.
        profile: A profile of a pack: `default`, or `coding`, which only watches contacts.
        options: A JSON file with what is known of the conversation (`known_project_names`, …).
        chunk: Characters of a chunk in `stream`.
        json: Print one JSON object instead of text.

    """
    policy = say_policy(pack or ("default", "property-sales"), profile=profile, base=Path.cwd())
    if action == "check":
        return _check(_text(target), policy, _options(options), as_json=json)
    if action == "stream":
        return _stream(_text(target), policy, chunk, as_json=json)
    if action == "rules":
        return _rules(policy, as_json=json)
    if action == "explain":
        return _explain(target, policy, as_json=json)
    return _lint(policy, as_json=json)


def _text(target: str) -> str:
    if target == "-":
        return sys.stdin.read()
    try:
        return Path(target).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "is not UTF-8"
        raise UsageError(f"cannot be read ({why})", where=target, fix="Name a text file.") from None


def _options(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        given = jsonlib.loads(_text(str(path)))
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise UsageError("is no JSON object", where=str(path), fix="Write one object.")
    named = {_CAMEL.get(str(key), str(key)): value for key, value in given.items()}
    unknown = sorted(set(named) - set(_OPTIONS))
    if unknown:
        known = ", ".join(_OPTIONS)
        raise UsageError(f"unknown option {unknown[0]!r}", where=str(path), fix=f"Known: {known}.")
    return named


def _check(text: str, policy: SayPolicy, options: Mapping[str, Any], *, as_json: bool) -> int:
    try:
        found = say_library.check_response(text, policy=policy, **options)
    except ValueError as error:
        raise UsageError(str(error), where="--options") from None
    if as_json:
        show.data(
            {
                "passed": found.passed,
                "violations": list(found.violations),
                "findings": [_finding(one) for one in found.findings],
                "notes": list(found.notes),
            }
        )
    else:
        for line in found.violations:
            show.mark(good=False, words=line)
        for note in found.notes:
            show.warning(note)
        if found.passed:
            show.mark(good=True, words="no rule is violated")
    return 0 if found.passed else 1


def _finding(one: SayFinding) -> dict[str, Any]:
    return {
        "rule": one.rule,
        "id": one.id,
        "action": one.action.value,
        "start": one.start,
        "end": one.end,
        "reason": one.reason,
        "remedy": one.remedy,
        "evidence": list(one.evidence),
    }


def _stream(text: str, policy: SayPolicy, chunk: int, *, as_json: bool) -> int:
    if chunk < 1:
        raise UsageError("--chunk must be at least 1", fix="Give a number of characters.")
    guard = say_library.create_streaming_guard(policy=policy)
    steps: list[dict[str, Any]] = []
    abort: TripwireAbort | None = None
    try:
        for at in range(0, len(text), chunk):
            part = text[at : at + chunk]
            steps.append({"chunk": part, "released": guard.on_chunk(part), "held": guard.held})
        steps.append({"chunk": "", "released": guard.flush(), "held": guard.held})
    except TripwireAbort as stopped:
        abort = stopped
        steps.append({"chunk": "", "released": stopped.safe_text, "held": 0})
    delivered = "".join(step["released"] for step in steps)
    if as_json:
        facts = {"delivered": delivered, "aborted": abort is not None, "steps": steps}
        facts["rule"] = abort.rule if abort is not None else None
        facts["findings"] = [_finding(one) for one in guard.findings]
        show.data(facts)
    else:
        for step in steps:
            show.line(f"{step['chunk']!r:>16} → {step['released']!r}  (held {step['held']})")
        for one in guard.findings:
            show.mark(good=False, words=f"{one.rule} ({one.action.value}) at {one.start}")
        if not guard.findings:
            show.mark(good=True, words="everything was released")
    return 1 if abort is not None else 0


def _rules(policy: SayPolicy, *, as_json: bool) -> int:
    rows = [_row(rule, policy) for rule in policy.rules]
    if as_json:
        show.data({"rules": rows, "packs": list(pack_names())})
        return 0
    for row in rows:
        where = "stream and review" if row["streams"] else "review"
        span = f", waits for at most {row['max_span']} characters" if row["max_span"] else ""
        show.line(f"{row['id']:<36} {row['action']:<8} {row['kind']:<9} {where}{span}")
    return 0


def _row(rule: SayRule, policy: SayPolicy) -> dict[str, Any]:
    span = StreamRule(rule, policy.lists, 0).max_span if rule.streams else None
    return {
        "id": rule.id,
        "label": rule.label,
        "kind": rule.kind,
        "action": rule.action.value,
        "streams": rule.streams,
        "max_span": span,
    }


def _explain(name: str, policy: SayPolicy, *, as_json: bool) -> int:
    found = [rule for rule in policy.rules if name in (rule.id, rule.label)]
    if not found:
        known = ", ".join(sorted({rule.label for rule in policy.rules}))
        raise UsageError(f"no rule {name!r}", fix=f"Known: {known}.")
    rows = [
        {
            **_row(rule, policy),
            "patterns": list(rule.patterns),
            "before_not": rule.before_not,
            "after_not": rule.after_not,
            "where": list(rule.where),
            "match": list(rule.match),
            "no_match": list(rule.no_match),
        }
        for rule in found
    ]
    if as_json:
        show.data({"rules": rows})
        return 0
    for row in rows:
        show.line(f"{row['id']}  ({row['label']}, {row['kind']}, {row['action']})", style="bold")
        for key in ("patterns", "before_not", "after_not", "where", "match", "no_match"):
            value = row[key]
            for item in value if isinstance(value, list) else [value] if value else []:
                show.line(f"  {key.replace('_', ' ')}: {item}")
    return 0


def _lint(policy: SayPolicy, *, as_json: bool) -> int:
    faults = linted(policy)
    if as_json:
        show.data({"ok": not faults, "findings": [{"rule": r, "what": w} for r, w in faults]})
    else:
        for rule, what in faults:
            show.mark(good=False, words=f"{rule}: {what}")
        if not faults:
            show.mark(good=True, words=f"{len(policy.rules)} rules are sound")
    return 1 if faults else 0
