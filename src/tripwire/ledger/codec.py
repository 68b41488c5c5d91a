"""Events to JSON fields and back, losslessly: what replay reads is equal to what was learnt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, fields
from operator import attrgetter
from typing import Any

import orjson

from tripwire.ledger.pack import joined, stored, unpack
from tripwire.model.event import (
    Access,
    Approved,
    ContextCleared,
    Denied,
    Event,
    FileTouched,
    IntentDeclared,
    OutcomeUnknown,
    SessionOpened,
    ToolCall,
    ToolResult,
    ToolsListed,
    UserSaid,
)
from tripwire.model.label import Label, Origin
from tripwire.model.verdict import Finding, Verdict
from tripwire.text.canonical import is_plain

KINDS: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        SessionOpened,
        UserSaid,
        IntentDeclared,
        ToolsListed,
        FileTouched,
        ToolCall,
        ToolResult,
        Approved,
        Denied,
        OutcomeUnknown,
        ContextCleared,
    )
}
"""Event types by the name under which they are recorded."""

VALUES = frozenset({"args", "result"})
"""Fields that hold raw JSON values; they are packed on their own."""

UNRECORDED = frozenset({"touched"})
"""Fields that hold facts of the moment; what followed from them is recorded as a firing."""


def _labels(names: Any) -> frozenset[Label]:
    return frozenset(Label(name) for name in names)


_DECODE: dict[str, Callable[[Any], object]] = {
    "inherited": _labels,
    "labels": _labels,
    "rules": frozenset,
    "destinations": frozenset,
    "remotes": tuple,
    "tools": tuple,
    "unopened": tuple,
    "access": Access,
}


def _default(field: Any) -> object:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default


_FIELDS = {
    kind: tuple((f.name, _default(f)) for f in fields(kind) if f.name not in VALUES | UNRECORDED)
    for kind in KINDS.values()
}
_ALL_OF = {kind: attrgetter(*(n for n, _ in known), "__class__") for kind, known in _FIELDS.items()}
"""The values of those fields, and one more: a getter of one name would give no tuple."""


def facts(event: Event) -> dict[str, object]:
    """All fields of an event but `args` and `result`, defaults left out."""
    found: dict[str, object] = {}
    kind = type(event)
    for (name, default), value in zip(_FIELDS[kind], _ALL_OF[kind](event), strict=False):
        if value == default:
            continue
        found[name] = sorted(map(str, value)) if isinstance(value, frozenset) else value
    return found


def event_of(kind: str, known: Mapping[str, object], **values: object) -> Event:
    """The event again. Raises KeyError, TypeError or ValueError for fields that are no event."""
    plain = {name: _DECODE.get(name, _same)(value) for name, value in known.items()}
    event: Event = KINDS[kind](**plain, **values)
    return event


def _same(value: object) -> object:
    return value


def sealed_event(event: Event, verdict: Verdict) -> bytes:
    """An event as `secrets.enc` holds it; with the whole verdict where it says something."""
    kind = type(event).__name__
    values: dict[str, object] = {"call": facts(event)}
    for name in sorted(VALUES):
        if hasattr(event, name):
            values[name] = getattr(event, name)
    if verdict.findings or verdict.destinations or verdict.not_scanned:
        values["verdict"] = verdict_data(verdict)
    if is_plain(values, floats=True):  # at once what else is joined from its pieces
        values["kind"] = kind
        return orjson.dumps(dict(sorted(values.items())))
    pieces = {"kind": b'"%s"' % kind.encode()}
    for name, value in values.items():
        suffix, line = stored(value)
        pieces[name + suffix] = line
    return joined(pieces)


def opened_event(content: bytes) -> Event:
    """The event of a sealed record. Raises KeyError, TypeError or ValueError."""
    fields = orjson.loads(content)
    known = unpack(fields, "call")
    values = {n: unpack(fields, n) for n in VALUES if n in fields or f"{n}_raw" in fields}
    if not isinstance(known, dict):
        raise TypeError("no event")
    return event_of(fields["kind"], known, **values)


def opened_verdict(content: bytes) -> dict[str, Any]:
    """What `verdict_data` wrote, {} if the verdict said nothing."""
    fields = orjson.loads(content)
    found = unpack(fields, "verdict") if {"verdict", "verdict_raw"} & fields.keys() else {}
    return found if isinstance(found, dict) else {}


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """A verdict as JSON (flow.md §4.3), with everything `explain` shows."""
    return {
        "action": verdict.action.name,
        "findings": [_finding(finding) for finding in verdict.findings],
        "destinations": [asdict(place) for place in verdict.destinations],
        "not_scanned": list(verdict.not_scanned),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "action": finding.action.name,
        "reason": finding.reason,
        "remedy": finding.remedy,
        "code": finding.code,
        "at": finding.at,
        "evidence": [_origin(origin) for origin in finding.evidence],
        "violations": [
            {
                "param": v.param,
                "reason": v.reason,
                "required": v.required,
                "preview": v.preview,
                "origins": [_origin(origin) for origin in v.origins],
                "origins_total": v.origins_total,
            }
            for v in finding.violations
        ],
        "checks": [asdict(check) for check in finding.checks],
    }


def _origin(origin: Origin) -> dict[str, Any]:
    return {**asdict(origin), "trust": origin.trust.word}
