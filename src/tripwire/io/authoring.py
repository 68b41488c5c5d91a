"""Changes of tripwires: which an agent may make, and making them (read.md CTX-38 to CTX-42).

Everything is checked again under the lock, on the bytes that are about to be replaced. A change
that needs a person raises NeedsPerson with the diff. `approved` is the diff that a person allowed:
only a change that does exactly that is made, whatever became of the file meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from difflib import unified_diff
from pathlib import Path

from tripwire.config import tripwire_yaml
from tripwire.config.problems import printable
from tripwire.config.tripwire_schema import EXTENSION, name_of, parse_tripwire
from tripwire.config.tripwire_text import Value, edited, new_text
from tripwire.errors import AuthoringRefused
from tripwire.io.agent_limits import (
    check_allowed,
    check_author,
    check_expiry,
    check_learned,
    check_severity,
    checked_name,
    default_expiry,
)
from tripwire.io.tripwire_files import Held, locked
from tripwire.model.tripwire import ContentCondition, Repeat, Severity, Tripwire
from tripwire.read.render import is_tag
from tripwire.read.tripwire_set import TripwireSet
from tripwire.text.tripwire_name import from_argument, normalise

CREATOR = "agent:mcp"
"""Who wrote what an agent creates here (CTX-40)."""

EDITABLE = (
    "triggers",
    "context",
    "severity",
    "learned_from",
    "tags",
    "depends_on",
    "expires",
    "match_content",
    "repeat",
)
"""Keys that an edit may change."""

_REPLACED = (*EDITABLE, "created_by", "active")
_DERIVED = frozenset({"digest", "lines", "file"})


@dataclass(frozen=True, slots=True)
class CreateRequest:
    """What an agent asks to record."""

    name: str
    triggers: tuple[str, ...]
    context: str
    severity: Severity | None = None
    learned_from: str | None = None
    tags: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    expires: str | None = None
    match_content: ContentCondition | None = None
    repeat: Repeat | None = None
    force: bool = False


@dataclass(frozen=True, slots=True)
class Created:
    """A tripwire as it was written; `replaced` if there was one of that name."""

    tripwire: Tripwire
    replaced: bool = False


@dataclass(frozen=True, slots=True)
class Pruned:
    """What pruning switched off or deleted, and (file, why) of what it could not."""

    tripwires: tuple[Tripwire, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Old:
    """An existing file, read under the lock."""

    name: str
    """Of the file, in the directory of tripwires."""
    raw: bytes
    tripwire: Tripwire


def create(
    root: Path, rules: TripwireSet, request: CreateRequest, *, now: float, approved: str = ""
) -> Created:
    """Write a new tripwire, or with `force` over an agent's own.

    Raises AuthoringRefused (nothing is written), NeedsPerson unless that is `approved`, OSError.
    """
    check_allowed(rules)
    name = checked_name(request.name)
    file = f"{rules.config.tripwires_dir}/{name}{EXTENSION}"
    values = _values(request, rules, now)
    text = _encoded(new_text(values))
    fresh = _checked(text, file)
    check_learned(rules, request.learned_from)
    with locked(root, rules.config.tripwires_dir) as held:
        target, before = f"{name}{EXTENSION}", b""
        old = _existing(held, rules, name)
        if old is not None:
            if not request.force:
                what = f'Tripwire "{name}" exists already ({old.tripwire.file})'
                raise AuthoringRefused(what, fix="choose another name, or set force")
            target, before, file = old.name, old.raw, old.tripwire.file
            text = _changed(old, {key: values.get(key) for key in _REPLACED})
        diff = _diff(before, text, file)
        if not diff or approved != diff:
            check_severity(rules, fresh.severity, name, file, diff)
            if old is not None:
                check_author(rules, old.tripwire, diff)
        held.write(target, text)
    return Created(_checked(text, file), old is not None)


def edit(
    root: Path,
    rules: TripwireSet,
    name: str,
    changes: Mapping[str, object],
    *,
    now: float,
    approved: str = "",
) -> Tripwire:
    """Change some keys of a tripwire (those of EDITABLE); everything else in its file stays.

    Raises AuthoringRefused, NeedsPerson unless `approved`, OSError.
    """
    if unknown := sorted(changes.keys() - set(EDITABLE)):
        raise AuthoringRefused(f'"{printable(unknown[0])}" cannot be changed', fix="leave it out")
    values = {key: _plain(value) for key, value in changes.items() if value is not None}
    if "learned_from" in values:
        check_learned(rules, str(values["learned_from"]))
    if "expires" in values:
        check_expiry(rules, str(values["expires"]), now)
    return _rewrite(root, rules, name, values, approved=approved)


def deactivate(root: Path, rules: TripwireSet, name: str, *, approved: str = "") -> Tripwire:
    """Switch a tripwire off. Raises AuthoringRefused, NeedsPerson unless `approved`, OSError."""
    return _rewrite(root, rules, name, {"active": False}, approved=approved)


def reactivate(root: Path, rules: TripwireSet, name: str, *, approved: str = "") -> Tripwire:
    """Switch it on again. Raises AuthoringRefused, NeedsPerson unless `approved`, OSError."""
    return _rewrite(root, rules, name, {"active": True}, approved=approved)


def prune(root: Path, rules: TripwireSet, now: float, *, delete: bool = False) -> Pruned:
    """Switch off (or delete) what has expired and is active; for people, so nobody is asked.

    Raises AuthoringRefused if the directory stays locked, OSError.
    """
    expired = [t for t in rules.tripwires if t.active and not t.alive(now)]
    if not expired:
        return Pruned()
    done: list[Tripwire] = []
    refused: list[tuple[str, str]] = []
    with locked(root, rules.config.tripwires_dir) as held:
        for tripwire in expired:
            try:
                old = _existing(held, rules, tripwire.name)
                if old is None or old.tripwire.alive(now) or not old.tripwire.active:
                    continue
                if delete:
                    held.remove(old.name)
                else:
                    held.write(old.name, _changed(old, {"active": False}))
                done.append(tripwire)
            except (AuthoringRefused, OSError) as error:
                refused.append((tripwire.file, str(error)))
    return Pruned(tuple(done), tuple(refused))


# ── making ───────────────────────────────────────────────────────────────────────────────────


def _rewrite(
    root: Path, rules: TripwireSet, written: str, changes: Mapping[str, Value], *, approved: str
) -> Tripwire:
    check_allowed(rules)
    name = from_argument(written)
    with locked(root, rules.config.tripwires_dir) as held:
        old = _existing(held, rules, name) if name else None
        if old is None:
            raise AuthoringRefused(f"Tripwire not found: {printable(written)}")
        text = _changed(old, changes)
        fresh = _checked(text, old.tripwire.file)
        diff = _diff(old.raw, text, old.tripwire.file)
        if not diff or approved != diff:
            check_author(rules, old.tripwire, diff)
            check_severity(rules, fresh.severity, name, old.tripwire.file, diff)
        if text != old.raw:
            held.write(old.name, text)
    return fresh


def _existing(held: Held, rules: TripwireSet, name: str) -> _Old | None:
    """The file that has a name, as it is now. Raises AuthoringRefused if it does not load."""
    known = rules.by_name.get(name)
    for entry in held.names():
        if not entry.endswith(EXTENSION) or name_of(entry) != name:
            continue
        file = f"{rules.config.tripwires_dir}/{entry}"
        if known is not None and known.file != file:
            continue
        raw, fault = held.read(entry, tripwire_yaml.MAX_BYTES)
        tripwire, problems = parse_tripwire(raw, file) if raw is not None else (None, ())
        if raw is None or tripwire is None:
            why = fault or f"{problems[0].key} {problems[0].message}".strip()
            raise AuthoringRefused(
                f"{file} does not load: {why}", fix="a person must mend it first"
            )
        return _Old(entry, raw, tripwire)
    return None


def _changed(old: _Old, changes: Mapping[str, Value | None]) -> bytes:
    """The old file with changed keys; what says the same already is not touched.

    Raises AuthoringRefused if the result does not say exactly what it should.
    """
    before = old.tripwire
    differing = {key: value for key, value in changes.items() if value != _says(before, key)}
    if not differing:
        return old.raw
    try:
        text = edited(old.raw, differing)
    except (ValueError, UnicodeEncodeError) as error:
        raise _cannot_edit(before) from error
    problems = parse_tripwire(text, before.file)[1]
    if any(problem.key.partition(".")[0] not in changes for problem in problems):
        raise _cannot_edit(before)
    after = _checked(text, before.file)
    for each in fields(Tripwire):
        key = each.name
        if key in changes or key in _DERIVED or (key == "dead_from" and "expires" in changes):
            continue
        if getattr(after, key) != getattr(before, key):
            raise _cannot_edit(before)
    wanted = {key: value for key, value in changes.items() if value is not None}
    if any(_normal(key, value) != _normal(key, _says(after, key)) for key, value in wanted.items()):
        raise _cannot_edit(before)
    return text


def _normal(key: str, value: Value | None) -> Value | None:
    if key == "depends_on" and isinstance(value, list):
        return [normalise(each) for each in value]
    return value


def _cannot_edit(tripwire: Tripwire) -> AuthoringRefused:
    what = f"{tripwire.file} is not laid out so that it could be changed safely"
    return AuthoringRefused(what, fix="a person must change it")


def _says(tripwire: Tripwire, key: str) -> Value | None:
    """What a file says under a key, None where it says nothing but the default."""
    if key not in tripwire.lines:
        return None
    return _plain(getattr(tripwire, key))


def _plain(value: object) -> Value:
    """A value as it is written."""
    if isinstance(value, ContentCondition):
        mode = value.mode if value.mode != "any" else ""
        given = {
            "regex": list(value.regex),
            "keywords": list(value.keywords),
            "semantic": value.semantic,
            "mode": mode,
        }
        return {key: each for key, each in given.items() if each}
    if isinstance(value, Mapping):
        return {key: each for key, each in value.items() if each and (key, each) != ("mode", "any")}
    if isinstance(value, bool):
        return value
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [str(each) for each in value]
    return str(value)


def _values(request: CreateRequest, rules: TripwireSet, now: float) -> dict[str, Value]:
    """The keys of a new file, those with defaults left out. Raises AuthoringRefused."""
    if request.expires is not None:
        check_expiry(rules, request.expires, now)
    expires = request.expires if request.expires is not None else default_expiry(rules, now)
    given: dict[str, Value] = {
        "triggers": list(request.triggers),
        "context": request.context,
        "created_by": CREATOR,
    }
    optional: dict[str, object] = {
        "severity": request.severity if request.severity is not Severity.WARNING else None,
        "learned_from": request.learned_from,
        "tags": request.tags,
        "expires": expires,
        "depends_on": request.depends_on,
        "match_content": request.match_content,
        "repeat": request.repeat,
    }
    return given | {key: _plain(value) for key, value in optional.items() if value}


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        what = "an argument holds half of a surrogate pair"
        raise AuthoringRefused(what, fix="write whole characters") from None


def _checked(text: bytes, file: str) -> Tripwire:
    """The tripwire of a text that is about to be written. Raises AuthoringRefused."""
    tripwire, problems = parse_tripwire(text, file)
    if tripwire is None:
        first = problems[0]
        where = f"{first.key}: " if first.key else ""
        raise AuthoringRefused(f"{where}{first.message}", fix=first.fix)
    for number, tag in enumerate(tripwire.tags):
        if not is_tag(tag):
            what = f'tags.{number}: bad tag "{printable(tag)}"'
            raise AuthoringRefused(what, fix="lower-case letters, digits and -, at most 32")
    return tripwire


def _diff(before: bytes, after: bytes, file: str) -> str:
    """A unified diff for people; what a terminal would obey or hide is spelt out."""
    old, new = (raw.decode("utf-8", "replace").splitlines() for raw in (before, after))
    lines = unified_diff(old, new, file if before else "/dev/null", file, lineterm="")
    return "\n".join(map(_visible, lines))


def _visible(line: str) -> str:
    return "".join(c if c.isprintable() or c == "\t" else f"\\u{ord(c):04x}" for c in line)
