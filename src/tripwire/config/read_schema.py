"""`.tripwirerc.yml`, or `read:` of tripwire.yaml → ReadConfig (read.md §2.2).

A value that cannot be used takes its default and is a problem: nothing turns injection off.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from tripwire.config import tripwire_yaml
from tripwire.config.node import Node, Place
from tripwire.config.problems import printable
from tripwire.config.read_keys import READ
from tripwire.model.tripwire import Enforcement, Problem, ReadConfig, Repeat, Severity
from tripwire.text.edit_distance import nearest
from tripwire.text.path_glob import pattern_faults

FILE = ".tripwirerc.yml"
AUTHORING_LIMITS = ("allow_agent_create", "require_learned_from", "agent_max_severity")
"""Keys that refuse agent changes when their value cannot be read."""

_DEFAULT = ReadConfig()


class _BadValueError(Exception):
    """A value that cannot be used: what is wrong, what to do, and where if it is an entry."""

    def __init__(self, what: str, fix: str = "", *, entry: int | None = None) -> None:
        self.what, self.fix, self.entry, self.code = what, fix, entry, "TW041"
        super().__init__(what)


def parse_read_config(raw: bytes | None, file: str) -> tuple[ReadConfig, tuple[Problem, ...]]:
    """The configuration of a file's bytes (None = there is no file), and every problem in it."""
    if raw is None:
        return _DEFAULT, ()
    document = tripwire_yaml.read(raw)
    if document.faults:
        return _DEFAULT, tuple(
            Problem("TW040", file, fault.what, fault.line, fault.column, fix=fault.fix)
            for fault in document.faults
        )
    if document.root is None or document.root.value is None:
        return _DEFAULT, ()
    return read_config_of(document.root, file)


def read_config_of(
    root: Node, file: str, *, prefix: str = "", base: ReadConfig = _DEFAULT
) -> tuple[ReadConfig, tuple[Problem, ...]]:
    """The configuration of a mapping over `base`. `prefix` stands before key paths (`read.`)."""
    if not isinstance(root.value, Mapping):
        what = f"must be a mapping, not {root.kind}"
        place = root.place
        return base, (Problem("TW040", file, what, place.line, place.column, prefix.rstrip(".")),)
    values: dict[str, Any] = {}
    problems = []
    for key, node in root.items.items():
        if key not in _READERS:
            problems.append(_unknown(key, root.keys.get(key, node.place), file, prefix))
            continue
        try:
            values[key] = _READERS[key](node)
        except _BadValueError as bad:
            problems.append(_refused(key, node, bad, file, prefix))
    return replace(base, **values), tuple(problems)


def join_read_section(
    rc: tuple[ReadConfig, tuple[Problem, ...]], raw: bytes | None, section: Node, file: str
) -> tuple[ReadConfig, tuple[Problem, ...]]:
    """`.tripwirerc.yml` (as parsed, and its bytes) with `read:` of tripwire.yaml (`file`).

    A key that both set is a problem; the value of `.tripwirerc.yml` holds then.
    """
    config, problems = rc
    root = tripwire_yaml.read(raw).root if raw is not None else None
    both = [key for key in section.items if root is not None and key in root.items]
    if both:
        left = {key: node for key, node in section.items.items() if key not in both}
        section = replace(section, value=left)
    config, more = read_config_of(section, file, prefix="read.", base=config)
    return config, (*problems, *(_doubly(key, section, file) for key in both), *more)


def _doubly(key: str, section: Node, file: str) -> Problem:
    place = section.keys.get(key, section.place)
    what = f"{key} is set in {FILE} as well, which holds"
    fix = "keep one of the two"
    return Problem("TW041", file, what, place.line, place.column, f"read.{key}", fix)


def _unknown(key: str, place: Place, file: str, prefix: str) -> Problem:
    near = nearest(key, READ)
    fix = f'did you mean "{near}"?' if near else f"known keys: {', '.join(READ)}"
    what, path = printable(f'unknown key "{key}"'), f"{prefix}{printable(key)}"
    return Problem("TW042", file, what, place.line, place.column, path, fix)


def _refused(key: str, node: Node, bad: _BadValueError, file: str, prefix: str) -> Problem:
    path, place = f"{prefix}{key}", node.place
    if bad.entry is not None and isinstance(node.value, tuple):
        path, place = f"{path}.{bad.entry}", node.value[bad.entry].place
    default = getattr(_DEFAULT, key)
    holds = "refuses changes by agents" if key in AUTHORING_LIMITS else f"{_shown(default)} holds"
    what = printable(f"{bad.what}; {holds}")
    return Problem(bad.code, file, what, place.line, place.column, path, printable(bad.fix))


def _shown(value: object) -> str:
    if value is None:
        return "its default"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(str, value))}]"
    return str(value) if not isinstance(value, str) else f'"{value}"'


def _text(node: Node) -> str:
    if not isinstance(node.value, str):
        raise _BadValueError(f"must be text, not {node.kind}", "put it in quotes")
    return node.value


def _flag(node: Node) -> bool:
    if not isinstance(node.value, bool):
        raise _BadValueError(
            f"must be true or false, not {node.kind}", "write true or false, without quotes"
        )
    return node.value


def _word(*words: str) -> Callable[[Node], str]:
    def read(node: Node) -> str:
        if not isinstance(node.value, str) or node.value not in words:
            raise _BadValueError(f"must be one of {', '.join(words)}")
        return node.value

    return read


def _whole(least: int, most: int = 2**53) -> Callable[[Node], int]:
    def read(node: Node) -> int:
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int):
            raise _BadValueError(f"must be a whole number, not {node.kind}")
        if not least <= value <= most:
            top = f" and at most {most}" if most < 2**53 else ""
            raise _BadValueError(f"must be at least {least}{top}")
        return value

    return read


def _ratio(node: Node) -> float:
    value = node.value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise _BadValueError("must be a number from 0 to 1")
    return float(value)


def _patterns(node: Node) -> tuple[str, ...]:
    if not isinstance(node.value, tuple):
        raise _BadValueError(f"must be a list, not {node.kind}", 'write ["dist/**"]')
    found = []
    for number, entry in enumerate(node.value):
        if not isinstance(entry.value, str):
            raise _BadValueError(f"must be text, not {entry.kind}", entry=number)
        negated = entry.value.startswith("!")
        pattern = entry.value[1:] if negated else entry.value
        for code, message in pattern_faults(pattern, in_negation=negated):
            if code in ("TW008", "TW035"):
                raise _BadValueError(message, entry=number)
        found.append(entry.value)
    return tuple(found)


def _inside(node: Node) -> str:
    """A directory relative to the project, without `.` and `..`. Raises _BadValueError."""
    text = _text(node)
    folded = posixpath.normpath(text) if text else ""
    if folded in ("", ".") or "\0" in text:
        raise _BadValueError("names no directory in the project", "for example .tripwires")
    if folded.startswith("/") or folded.split("/")[0] == "..":
        bad = _BadValueError(f'"{text}" leaves the project', "name a directory inside it")
        bad.code = "TW043"
        raise bad
    return folded


_READERS: Mapping[str, Callable[[Node], Any]] = {
    "inject_mode": _word("prepend", "metadata"),
    "separator": _text,
    "max_context_length": _whole(0),
    "allow_agent_create": _flag,
    "require_learned_from": _flag,
    "auto_expire_days": _whole(0),
    "enforcement_mode": lambda node: Enforcement(_word(*Enforcement)(node)),
    "exclude_paths": _patterns,
    "tripwires_dir": _inside,
    "max_dependency_depth": _whole(1, 10),
    "match_case": _flag,
    "on_broken": _word("inform", "block"),
    "agent_max_severity": lambda node: Severity(_word(*Severity)(node)),
    "protect_tripwires": _flag,
    "repeat": lambda node: Repeat(_word(*Repeat)(node)),
    "max_file_bytes": _whole(1),
    "stale_commits": _whole(1),
    "stale_ratio": _ratio,
}
