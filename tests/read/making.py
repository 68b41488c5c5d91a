"""Tripwires, sets and accesses from their short forms; no YAML, no files."""

from tripwire.model.tripwire import (
    ContentCondition,
    Enforcement,
    FileAccess,
    Problem,
    ReadConfig,
    Repeat,
    Severity,
    Tripwire,
)
from tripwire.read.tripwire_set import TripwireSet

NOW = 1_781_524_800.0
_TYPES = {
    "severity": Severity,
    "agent_max_severity": Severity,
    "repeat": Repeat,
    "enforcement_mode": Enforcement,
}
_TUPLES = {"triggers", "tags", "depends_on", "exclude_paths", "unknown_keys", "regex", "keywords"}


def _value(key, value):
    if key == "match_content":
        return ContentCondition(**_typed(value))
    if key in _TUPLES:
        return tuple(value)
    return _TYPES[key](value) if key in _TYPES else value


def _typed(fields):
    return {key: _value(key, value) for key, value in fields.items() if value is not None}


def tripwire(name, triggers=("**",), context="ctx", **fields):
    """A tripwire, by a person unless said otherwise."""
    file = fields.pop("file", f".tripwires/{name}.yml")
    fields = {"created_by": "human", **fields}
    return Tripwire(name, file, tuple(triggers), context, **_typed(fields))


def problem(file=".tripwires/bad.yml", code="TW002", message="it is broken", **fields):
    """Something that does not load."""
    if "triggers" in fields:
        fields["triggers"] = tuple(fields["triggers"])
    return Problem(code, file, message, **fields)


def config(**fields):
    """A configuration; everything else as by default."""
    return ReadConfig(**_typed(fields))


def rules(*tripwires, problems=(), similar=None, **fields):
    """A set of these tripwires."""
    return TripwireSet("/r", config(**fields), tripwires, problems, similar=similar)


def rules_of(case):
    """The set that a case file describes."""
    made = [tripwire(name, **fields) for name, fields in (case.get("tripwires") or {}).items()]
    problems = [problem(**fields) for fields in case.get("problems") or ()]
    return rules(*made, problems=problems, **(case.get("config") or {}))


def access(path="src/a.ts", **fields):
    """A touched path, its spelled form the only one."""
    forms = tuple(fields.pop("forms", (path,)))
    fields = {"real": forms[-1] if forms else "", **fields}
    return FileAccess(path, forms, **fields)


def access_of(entry):
    """The same from a case file."""
    return access(entry) if isinstance(entry, str) else access(**entry)


def names(blocks):
    """Names of blocks, groups or matches in order."""
    return [getattr(each, "tripwire", None) or each.root.tripwire for each in blocks]
