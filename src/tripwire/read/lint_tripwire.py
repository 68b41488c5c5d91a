"""Lint of one tripwire by itself: who wrote it, how it is written, what it would show."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tripwire.model.tripwire import Severity, Tripwire
from tripwire.read.lint_codes import ERROR, LintFinding, found
from tripwire.read.render import holds_delimiter, is_tag, trimmed
from tripwire.read.tripwire_set import TripwireSet
from tripwire.text.edit_distance import nearest
from tripwire.text.path_glob import pattern_faults

MAX_CONTEXT = 4_096
"""Code points of one context that a reader still takes in (TW023)."""
KEYS = (
    "triggers",
    "context",
    "created_by",
    "severity",
    "learned_from",
    "tags",
    "expires",
    "depends_on",
    "active",
    "repeat",
    "match_content",
    "source",
)
_CREATOR = re.compile(r"human|(?:agent|tool):[a-z0-9-]+")


def of_tripwire(tripwire: Tripwire, rules: TripwireSet, now: float) -> Iterator[LintFinding]:
    """What is wrong with one tripwire, whatever the others say."""
    yield from _authorship(tripwire, rules)
    yield from _keys(tripwire)
    yield from _patterns(tripwire)
    yield from _text(tripwire, rules)
    if tripwire.active and not tripwire.alive(now):
        yield _at(
            "TW020",
            tripwire,
            "expires",
            f"expired ({tripwire.expires}); it no longer fires",
            "renew the date, or run tripwire lint --prune",
        )


def is_agents(tripwire: Tripwire) -> bool:
    """Whether an agent wrote it; a missing author counts as a person (§2.1)."""
    return tripwire.created_by.startswith("agent:")


def agent_critical(rules: TripwireSet) -> Iterator[LintFinding]:
    """Critical tripwires that an agent wrote, however that is spelt; for `lint --forbid` (§4.6)."""
    for tripwire in rules.tripwires:
        author = tripwire.created_by.strip().casefold()
        if tripwire.severity is Severity.CRITICAL and author.startswith("agent"):
            line = tripwire.lines.get("severity", 0)
            text = "critical and written by an agent, which is forbidden here"
            fix = "a person who adopts it sets created_by: human"
            yield found("TW015", tripwire.file, text, line=line, fix=fix, level=ERROR)


def _authorship(tripwire: Tripwire, rules: TripwireSet) -> Iterator[LintFinding]:
    config, author = rules.config, tripwire.created_by
    if not author.strip():
        yield _at("TW010", tripwire, "created_by", "no created_by", "created_by: human")
    elif not _CREATOR.fullmatch(author):
        fix = "human, agent:<name> or tool:<name>, in lower-case letters, digits and -"
        yield _at("TW014", tripwire, "created_by", f'created_by "{author}" has no known form', fix)
    if not is_agents(tripwire):
        return
    if config.require_learned_from and not tripwire.learned_from.strip():
        text = "written by an agent, without learned_from"
        yield _at("TW011", tripwire, "learned_from", text, "say which correction taught it")
    if config.auto_expire_days and not tripwire.expires:
        text = "written by an agent, without expires"
        yield _at("TW012", tripwire, "expires", text, "set a date at which it is looked at again")
    if tripwire.severity.rank < config.agent_max_severity.rank:
        text = f"{tripwire.severity.value}, but agents may write at most "
        fix = "a person who adopts it sets created_by: human"
        text += config.agent_max_severity.value
        yield _at("TW015", tripwire, "severity", text, fix)


def _keys(tripwire: Tripwire) -> Iterator[LintFinding]:
    for key in tripwire.unknown_keys:
        near = nearest(key, KEYS)
        fix = f'did you mean "{near}"?' if near else f"known keys: {', '.join(KEYS)}"
        yield _at("TW007", tripwire, key, f'unknown key "{key}"', fix)
    for number, tag in enumerate(tripwire.tags):
        if not is_tag(tag):
            fix = "lower-case letters, digits and -, 1 to 32, not beginning with -"
            yield _at("TW013", tripwire, f"tags.{number}", f'bad tag "{tag}"', fix)


def _patterns(tripwire: Tripwire) -> Iterator[LintFinding]:
    for number, trigger in enumerate(tripwire.triggers):
        negated = trigger.startswith("!")
        pattern = trigger[1:] if negated else trigger
        for code, message in pattern_faults(pattern, in_negation=negated):
            yield _at(code, tripwire, f"triggers.{number}", f'"{trigger}": {message}', "")


def _text(tripwire: Tripwire, rules: TripwireSet) -> Iterator[LintFinding]:
    context = trimmed(tripwire.context)
    if holds_delimiter(context, rules.config.separator):
        text = "the context holds delimiter text, which is shown altered"
        yield _at("TW027", tripwire, "context", text, "write it without <<<")
    if len(context) > MAX_CONTEXT:
        text = f"a context of {len(context):,} code points (over {MAX_CONTEXT:,})"
        yield _at("TW023", tripwire, "context", text, "shorten it, or split it by path")
    condition = tripwire.match_content
    if condition is not None and condition.semantic and rules.similar is None:
        text = "the semantic model is not installed, so this condition is left out"
        yield _at("TW034", tripwire, "match_content.semantic", text, "use regex or keywords")


def _at(code: str, tripwire: Tripwire, key: str, message: str, fix: str) -> LintFinding:
    """A finding at a key's line, or at the line of the key around it."""
    while key and key not in tripwire.lines:
        key = key.rpartition(".")[0]
    return found(code, tripwire.file, message, line=tripwire.lines.get(key, 0), fix=fix)
