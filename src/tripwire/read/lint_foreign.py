"""Lint of other clients' rule files: what of them never reaches an agent (TW301 to TW309, §4.3).

A file that was imported is not minded: its tripwire arrives. Facts about clients are as of 2026-11.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator

from tripwire.read.foreign import FOLDERS, ForeignRule, Format, UnreadableRule
from tripwire.read.lint_codes import LintFinding, found
from tripwire.read.tripwire_set import TripwireSet

_IGNORED = re.compile(r"^(?:!|/|\.\.?/)|\\|[?*+@!]\(")
"""Forms that the editors' matchers do not take: negation, anchors, escapes, groups."""
_ONE_MODE = ("excludeAgent", "mode", "agent")


def of_rule_files(
    files: Iterable[ForeignRule | UnreadableRule], rules: TripwireSet, now: float
) -> Iterator[LintFinding]:
    """What is wrong with rule files that no tripwire was imported from."""
    known = {tripwire.source for tripwire in rules.tripwires if tripwire.alive(now)}
    for rule in files:
        if rule.file in known:
            continue
        if isinstance(rule, UnreadableRule):
            yield _unreadable(rule)
        elif rule.format in FOLDERS:
            yield from _scoped(rule)
        elif rule.directory:
            yield _at(rule, "TW301", 1, _NESTED[rule.format])


_NESTED = {
    Format.CLAUDE_MD: "Claude Code loads this only when its own Read tool opens a file beside it: "
    "not at an edit of a new file, not at cat or grep, and other clients never",
    Format.AGENTS_MD: "clients load this only if they are started here, or when their own read "
    "tool opens a file beside it: not at an edit of a new file, not at cat or grep",
}


def _unreadable(rule: UnreadableRule) -> LintFinding:
    code = "TW303" if rule.format is Format.CLAUDE_RULES else "TW304"
    text = f"{rule.why}: no client finds a scope in it"
    return found(code, rule.file, text, line=rule.line, column=rule.column, fix=_mend(rule.file))


def _scoped(rule: ForeignRule) -> Iterator[LintFinding]:
    if rule.format is Format.CLAUDE_RULES:
        yield from _claude(rule)
    elif rule.format is Format.CURSOR:
        yield from _cursor(rule)
    else:
        yield from _copilot(rule)
    for pattern in rule.patterns:
        if _IGNORED.search(pattern.text):
            text = f'"{pattern.text}" is a form that editors ignore, and with it the whole rule'
            yield _at(rule, "TW306", pattern.line, text)


def _claude(rule: ForeignRule) -> Iterator[LintFinding]:
    if not rule.patterns:
        text = "without paths Claude Code loads this at every start, for every file"
        yield _at(rule, "TW304", rule.scope_line or 1, text)
    elif not rule.is_list or not all(pattern.quoted for pattern in rule.patterns):
        text = "Claude Code loads this never: paths is no list of quoted strings"
        yield _at(rule, "TW303", rule.scope_line, text)
    else:
        text = "Claude Code loads this when it reads a matching file, not when it creates one"
        yield _at(rule, "TW302", rule.scope_line, text)


def _cursor(rule: ForeignRule) -> Iterator[LintFinding]:
    if rule.always:
        return
    if not rule.patterns:
        if rule.described:
            text = "Cursor's agent sees only the description and may ask for the rule; "
            yield _at(rule, "TW307", 1, f"{text}no file brings it up, and other clients never")
        else:
            text = "without globs, description and alwaysApply Cursor applies this to nothing"
            yield _at(rule, "TW304", rule.scope_line or 1, text)
        return
    yield _at(rule, "TW307", rule.scope_line, "only Cursor knows this rule, and only in agent mode")
    if "{" in rule.written or ", " in rule.written.strip():
        text = "Cursor splits globs at every comma and keeps the blank: braces and `, ` never match"
        yield _at(rule, "TW309", rule.scope_line, text)


def _copilot(rule: ForeignRule) -> Iterator[LintFinding]:
    if not rule.patterns:
        text = "without applyTo Copilot applies this to nothing by itself"
        yield _at(rule, "TW304", rule.scope_line or 1, text)
        return
    if rule.is_list:
        text = "applyTo must be one text with commas: Copilot ignores a YAML list"
        yield _at(rule, "TW308", rule.scope_line, text)
    else:
        text = "Copilot only lists this file to the model, which may or may not read it; "
        yield _at(rule, "TW305", rule.scope_line, f"{text}other clients never see it")
    for key, line in rule.others:
        if key in _ONE_MODE:
            yield _at(rule, "TW307", line, f"{key} hides this rule from some of Copilot's modes")


def _at(rule: ForeignRule, code: str, line: int, text: str) -> LintFinding:
    return found(code, rule.file, text, line=line, fix=_mend(rule.file))


def _mend(file: str) -> str:
    return f"tripwire import --from {shlex.quote(file)} --write"
