"""Lint's fixes that a machine can make, as new texts of the file.

A fix is offered only if the new text loads (or loads no worse) and no longer has what it mends;
what asks for thought (an empty context, a cycle) has none.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tripwire.config.read_keys import READ
from tripwire.config.read_schema import parse_read_config
from tripwire.config.suggest import nearest
from tripwire.config.tripwire_schema import (
    CONDITION_KEYS,
    EXTENSION,
    name_of,
    parse_tripwire,
)
from tripwire.config.tripwire_text import Value, edited, quoted
from tripwire.model.tripwire import Tripwire
from tripwire.read.lint_codes import LintFinding
from tripwire.read.lint_groups import line_of
from tripwire.read.lint_tripwire import KEYS
from tripwire.read.places import CONFIG_FILE
from tripwire.read.render import is_tag
from tripwire.read.tripwire_set import TripwireSet
from tripwire.text.edit_distance import nearest as nearest_key
from tripwire.text.tripwire_name import normalise

_BLOCK_ITEM = re.compile(r"^(\s*-\s+)([!*].*?)(?=\s+#|\s*$)")
_FLOW_ITEM = re.compile(r"([\[,]\s*)([!*][^\s#,\]]*)")
_KEY = r"""(?P<before>(?:^|[{,])\s*["']?)%s(?P<after>["']?\s*:)"""


@dataclass(frozen=True, slots=True)
class Fix:
    """One way to mend a finding: a new text of its file, or a new name for it."""

    title: str
    text: str = ""
    rename: str = ""
    """The file's new path, from the root."""


_Change = tuple[str, Mapping[str, Value | None]]
"""A title, and keys with their new values."""


def fixes(finding: LintFinding, text: str, rules: TripwireSet) -> Iterator[Fix]:
    """The ways to mend a finding in a file whose text is `text`; never raises for what it says."""
    if finding.code == "TW006":
        yield from _renamed(finding)
    elif finding.code == "TW032":
        yield from _in_quotes(finding, text)
    elif finding.code == "TW042":
        yield from _known_setting(finding, text, rules)
    else:
        yield from _of_loaded(finding, text, rules)


def _of_loaded(finding: LintFinding, text: str, rules: TripwireSet) -> Iterator[Fix]:
    raw = text.encode("utf-8", "surrogatepass")
    tripwire, _ = parse_tripwire(raw, finding.file)
    if tripwire is None:
        return
    if finding.code == "TW007":
        yield from _known_key(finding, text, tripwire)
        return
    changes = _CHANGES.get(finding.code)
    for title, change in changes(finding, tripwire, rules) if changes else ():
        try:
            new = edited(raw, change)
        except ValueError:
            continue
        if parse_tripwire(new, finding.file)[0] is not None:
            yield Fix(title, new.decode("utf-8"))


# ── values of keys ───────────────────────────────────────────────────────────────────────────


def _by_human(title: str) -> Callable[[LintFinding, Tripwire, TripwireSet], Iterator[_Change]]:
    def change(_: LintFinding, __: Tripwire, ___: TripwireSet) -> Iterator[_Change]:
        yield title, {"created_by": "human"}

    return change


def _expiring(_: LintFinding, __: Tripwire, rules: TripwireSet) -> Iterator[_Change]:
    days = rules.config.auto_expire_days
    try:
        date = (datetime.fromtimestamp(time.time(), UTC) + timedelta(days=days)).date()
    except OverflowError:
        return
    yield f"Let it expire on {date}", {"expires": str(date)}


def _off(_: LintFinding, __: Tripwire, ___: TripwireSet) -> Iterator[_Change]:
    yield "Switch it off: active: false", {"active": False}


def _tags(finding: LintFinding, tripwire: Tripwire, _: TripwireSet) -> Iterator[_Change]:
    for at, tag in enumerate(tripwire.tags):
        if is_tag(tag) or line_of(tripwire, f"tags.{at}") != finding.line:
            continue
        rest = (tripwire.tags[:at], tripwire.tags[at + 1 :])
        good = normalise(tag)[:32]
        if is_tag(good) and good not in tripwire.tags:
            yield f'Write the tag as "{good}"', {"tags": [*rest[0], good, *rest[1]]}
        yield f"Drop the tag {quoted(tag)}", {"tags": [*rest[0], *rest[1]] or None}


def _dependencies(
    finding: LintFinding, tripwire: Tripwire, rules: TripwireSet
) -> Iterator[_Change]:
    for at, name in enumerate(tripwire.depends_on):
        if line_of(tripwire, f"depends_on.{at}") != finding.line:
            continue
        missing = name not in rules.by_name
        if missing != (finding.code == "TW016"):
            continue
        rest = (tripwire.depends_on[:at], tripwire.depends_on[at + 1 :])
        others = [other for other in rules.by_name if other != tripwire.name]
        near = nearest(name, others) if missing else ""
        if near and near not in tripwire.depends_on:
            yield f'Depend on "{near}" instead', {"depends_on": [*rest[0], near, *rest[1]]}
        yield f'Drop "{name}" from depends_on', {"depends_on": [*rest[0], *rest[1]] or None}


_CHANGES: Mapping[str, Callable[[LintFinding, Tripwire, TripwireSet], Iterator[_Change]]] = {
    "TW010": _by_human("Add created_by: human"),
    "TW012": _expiring,
    "TW013": _tags,
    "TW015": _by_human("Adopt it: created_by: human"),
    "TW016": _dependencies,
    "TW018": _dependencies,
    "TW020": _off,
}


# ── words of one line ────────────────────────────────────────────────────────────────────────


def _known_key(finding: LintFinding, text: str, tripwire: Tripwire) -> Iterator[Fix]:
    for key in tripwire.unknown_keys:
        above, dot, word = key.rpartition(".")
        near = nearest_key(word, CONDITION_KEYS if above == "match_content" else KEYS)
        if near and line_of(tripwire, key) == finding.line:
            new = _with_key(text, finding.line, word if dot else key, near)
            after, _ = parse_tripwire(new.encode("utf-8", "surrogatepass"), finding.file)
            if after is not None and key not in after.unknown_keys:
                yield Fix(f"Rename the key to {near}", new)


def _known_setting(finding: LintFinding, text: str, rules: TripwireSet) -> Iterator[Fix]:
    if finding.file != CONFIG_FILE:
        return
    for problem in rules.problems:
        if (problem.code, problem.file, problem.line) != ("TW042", finding.file, finding.line):
            continue
        near = nearest(problem.key, READ)
        if not near:
            continue
        new = _with_key(text, finding.line, problem.key, near)
        _, left = parse_read_config(new.encode("utf-8", "surrogatepass"), finding.file)
        if all(p.key != problem.key and p.code != "TW040" for p in left):
            yield Fix(f"Rename the key to {near}", new)


def _with_key(text: str, line: int, key: str, near: str) -> str:
    pattern = re.compile(_KEY % re.escape(key))
    return _on_line(text, line, lambda row: pattern.sub(rf"\g<before>{near}\g<after>", row, 1))


def _in_quotes(finding: LintFinding, text: str) -> Iterator[Fix]:
    """The patterns of a line that begin with `!` or `*` in quotes, as YAML needs them."""

    def change(row: str) -> str:
        pattern = _BLOCK_ITEM if _BLOCK_ITEM.match(row) else _FLOW_ITEM
        return pattern.sub(lambda found: found[1] + quoted(found[2]), row)

    new = _on_line(text, finding.line, change)
    _, left = parse_tripwire(new.encode("utf-8", "surrogatepass"), finding.file)
    if new != text and all(p.line != finding.line for p in left):
        yield Fix("Put the pattern in quotes", new)


def _on_line(text: str, number: int, change: Callable[[str], str]) -> str:
    rows = re.split(r"(?<=\n)", text)
    if 0 < number <= len(rows):
        rows[number - 1] = change(rows[number - 1])
    return "".join(rows)


def _renamed(finding: LintFinding) -> Iterator[Fix]:
    folder, _, name = finding.file.rpartition("/")
    good = name_of(name.rpartition(".")[0])
    if good and not name.endswith(EXTENSION):
        yield Fix(f"Rename the file to {good}{EXTENSION}", rename=f"{folder}/{good}{EXTENSION}")
