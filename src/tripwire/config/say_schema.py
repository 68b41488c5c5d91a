"""Packs of SAY rules: YAML nodes → `model.say.Pack` (say.md §2.2, §2.5, §2.6)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from tripwire.config.keys import Key
from tripwire.config.node import plain_value
from tripwire.config.reading import Section, Value
from tripwire.config.suggest import did_you_mean
from tripwire.errors import PolicyError
from tripwire.model.say import STREAM_KINDS, LifeCycle, Pack, SayAction, SayRule
from tripwire.say.checks import CHECKS
from tripwire.say.compiled import StreamRule
from tripwire.text.pattern_ast import parse

_ID = re.compile(r"[A-Z][A-Z0-9_]*", re.ASCII)
_ACTIONS = tuple(action.value for action in SayAction)
_FLAGS = frozenset("ims")
KINDS = tuple(sorted({*STREAM_KINDS, *CHECKS}))
"""Every kind that there is: one that nothing looks for would be a hole."""

RULE: Mapping[str, Key] = {
    "id": Key("`[A-Z][A-Z0-9_]*`", "–", "Its name."),
    "label": Key("text", "the id", "The name that findings carry; rules may share one."),
    "kind": Key("word", "regex", "How it looks (say.md §2.3)."),
    "action": Key("observe \\| redact \\| replace \\| abort", "observe", "What a match does."),
    "pattern": Key("pattern", "–", "What it looks for."),
    "patterns": Key("list", "–", "Several patterns or phrases."),
    "others": Key("list", "–", "The second list of `near`."),
    "within": Key("whole number", "40", "Characters between the two of `near`."),
    "flags": Key("`i`, `m`, `s`", "–", "Ignore case, lines, dot takes newlines."),
    "before_not": Key("class or word", "–", "What must not stand before a match."),
    "after_not": Key("class or word", "–", "What must not stand after it."),
    "where": Key("list", "–", "Predicates that a match must pass."),
    "replacement": Key("text", "–", "What stands in its place."),
    "retry_hint": Key("text", "–", "What the caller may ask the model instead."),
    "bound": Key("1–1000", "256", "The limit of each repeat without one."),
    "detail": Key("text", "–", "What a violation says after the label."),
    "streams": Key("true \\| false", "true", "Whether it runs in a stream too."),
    "options": Key("mapping", "{}", "What its kind needs beside."),
    "tests": Key("mapping", "–", "Texts that it must and must not match."),
}
TESTS: Mapping[str, Key] = {
    "match": Key("list", "[]", "Texts that must match."),
    "no_match": Key("list", "[]", "Texts that must not."),
}
PACK: Mapping[str, Key] = {
    "name": Key("text", "–", "The pack's name."),
    "lists": Key("mapping", "{}", "Lists of words that its rules name."),
    "rules": Key("list", "[]", "Its rules, in the order of their findings."),
    "profiles": Key("mapping", "{}", "Profile → rule → action."),
    "transitions": Key("list", "[]", "Life cycles."),
}
LIFE_CYCLE: Mapping[str, Key] = {
    "name": Key("text", "–", "Its name."),
    "label": Key("text", "–", "How messages call it."),
    "states": Key("list", "–", "Every state."),
    "actions": Key("mapping", "–", "Action → state."),
    "terminal": Key("state", "–", "The state that only `undo` leaves."),
    "undo": Key("action", "–", "The action that leaves it."),
    "without_reason": Key("list", "[]", "Actions that need no reason."),
}


def pack_of(value: Value, profile: str = "default") -> Pack:
    """The Pack of a node; faults go into its problems."""
    section = value.section(PACK)
    lists = _lists(section)
    rules = rules_of(section.get("rules"), lists)
    profiles = _profiles(section, frozenset(rule.id for rule in rules))
    changed = profiles.get(profile, {})
    rules = tuple(_with_action(rule, changed.get(rule.id, "")) for rule in rules)
    cycles = section.get("transitions")
    return Pack(
        section.text("name"),
        rules,
        lists,
        tuple(_life_cycle(each) for each in cycles.each()) if cycles is not None else (),
        frozenset(profiles),
    )


def rules_of(value: Value | None, lists: Mapping[str, tuple[str, ...]]) -> tuple[SayRule, ...]:
    """The rules of a list. Faults: an id used twice (both lines are named), a bad pattern."""
    found: list[SayRule] = []
    lines: dict[str, int] = {}
    for each in value.each() if value is not None else ():
        rule = _rule(each)
        line = each.node.place.line
        if rule.id in lines:
            each.fail(
                f"the id {rule.id} is used twice, also on line {lines[rule.id]}", "rename one"
            )
        lines[rule.id] = line
        found.append(rule)
        if rule.kind in STREAM_KINDS:
            _try(each, rule, lists)
    return tuple(found)


def _try(value: Value, rule: SayRule, lists: Mapping[str, tuple[str, ...]]) -> None:
    """Whether its patterns and predicates can be used at all."""
    if not set(rule.flags) <= _FLAGS:
        value.fail(f"the flags {rule.flags!r} are none", "write i, m or s")
    if not rule.patterns or (rule.kind == "near" and not rule.others):
        value.fail("has no pattern", "write `pattern` or `patterns`, with `near` also `others`")
        return
    try:
        if rule.kind in CHECKS and not rule.streams:
            for source in (*rule.patterns, *rule.others):
                parse(source, rule.flags)
        else:
            StreamRule(rule, lists, 0)
    except PolicyError as error:
        value.fail_as(error)


def _rule(value: Value) -> SayRule:
    section = value.section(RULE)
    name = section.text("id", "UNNAMED")
    if not _ID.fullmatch(name):
        value.fail(f"the id {name!r} is none", "write capitals, digits and `_`")
    kind = section.word("kind", KINDS, "regex")
    action = SayAction(section.word("action", _ACTIONS, "observe"))
    streams = section.flag("streams", default=kind in STREAM_KINDS) and kind in STREAM_KINDS
    if action is not SayAction.OBSERVE and kind not in STREAM_KINDS:
        value.fail(f"kind {kind} runs on finished replies only", "use `action: observe`")
    patterns = (*section.texts("pattern"), *section.texts("patterns"))
    tests = section.inner("tests", TESTS)
    options = section.get("options")
    given = plain_value(options.node) if options is not None else {}
    return SayRule(
        id=name,
        label=section.text("label", name),
        kind=kind,
        action=action,
        patterns=patterns,
        others=section.texts("others"),
        within=section.whole("within", 40, least=0, most=1000),
        flags=section.text("flags"),
        before_not=section.text("before_not"),
        after_not=section.text("after_not"),
        where=section.texts("where"),
        replacement=section.text("replacement"),
        retry_hint=section.text("retry_hint"),
        bound=section.whole("bound", 256, least=1, most=1000),
        detail=section.text("detail"),
        streams=streams,
        options=given if isinstance(given, Mapping) else {},
        match=tests.texts("match"),
        no_match=tests.texts("no_match"),
    )


def _with_action(rule: SayRule, action: str) -> SayRule:
    return replace(rule, action=SayAction(action)) if action else rule


def _lists(section: Section) -> dict[str, tuple[str, ...]]:
    value = section.get("lists")
    return {name: each.texts() for name, _, each in value.pairs()} if value is not None else {}


def _profiles(section: Section, known: frozenset[str]) -> dict[str, dict[str, str]]:
    """Profile → rule → action."""
    value = section.get("profiles")
    found: dict[str, dict[str, str]] = {}
    for name, _, each in value.pairs() if value is not None else ():
        found[name] = {rule: one.word(_ACTIONS) for rule, _, one in each.pairs()}
        for rule in sorted(set(found[name]) - known):
            each.fail(f"no rule {rule}", did_you_mean(rule, known))
    return found


def _life_cycle(value: Value) -> LifeCycle:
    section = value.section(LIFE_CYCLE)
    actions = section.get("actions")
    return LifeCycle(
        section.text("name"),
        section.text("label"),
        section.texts("states"),
        {name: each.text() for name, _, each in actions.pairs()} if actions is not None else {},
        section.text("terminal"),
        section.text("undo"),
        frozenset(section.texts("without_reason")),
    )
