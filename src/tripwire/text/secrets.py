"""Which parts of a text are credentials (flow.md DLP-1, DLP-2).

One pass of an automaton over all shapes says which can be there; only those are searched for.
Does not catch: a password in prose ("it is hunter2"), outside of a place that holds secrets.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import re2

from tripwire.text import plausible, secret_pairs
from tripwire.text.secret_patterns import KEYED, PATTERNS
from tripwire.text.secret_shapes import ALPHABETS, SHAPES, Shape
from tripwire.text.well_formed import well_formed


@dataclass(frozen=True, slots=True, order=True)
class SecretSpan:
    """A credential at `[start, end)` of a text, in code points, and the rule that knows it."""

    start: int
    end: int
    rule: str

    def text(self, of: str) -> str:
        """The credential itself; `of` is the text that was searched."""
        return of[self.start : self.end]


def find(text: str, *, secret_source: bool = False, name: str = "") -> tuple[SecretSpan, ...]:
    """Credentials in `text`, left to right, without overlaps.

    With `secret_source` the text comes from a place that holds credentials (a `.env`, a keychain
    tool): every plausible value counts. `name` is the key the whole text stands under.
    """
    if len(text) < plausible.MIN_SOURCE_CHARS:
        return ()
    text = well_formed(text)
    if name and len(text) <= 1024 and "\n" not in text:
        judge = plausible.plausible_in_source if secret_source else plausible.plausible
        if judge(name, text):
            return (SecretSpan(0, len(text), "named-value"),)
    return without_overlaps(_candidates(text, secret_source=secret_source))


KEY = "\0"
"""Stands for the name of a text that is itself the name of a field."""


def named_texts(value: object, name: str = "", depth: int = 128) -> Iterator[tuple[str, str]]:
    """Each text of a JSON value with the key it stands under; keys too, under the name KEY."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict) and depth > 0:
        for key, item in value.items():
            yield KEY if _names(str(key)) else "", str(key)
            yield from named_texts(item, str(key), depth - 1)
    elif isinstance(value, list | tuple) and depth > 0:
        for item in value:
            yield from named_texts(item, name, depth - 1)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield name, json.dumps(value)
    elif isinstance(value, dict | list | tuple):
        yield "", json.dumps(value, default=str)


def _names(key: str) -> bool:
    """A key of letters alone is the name of a field (`stdout`), even where secrets lie."""
    return key.replace("_", "").replace("-", "").replace(" ", "").isalpha()


def find_shapes(text: str) -> tuple[SecretSpan, ...]:
    """Only credentials that a format proves, names beside a value left aside."""
    if len(text) < plausible.MIN_CHARS:
        return ()
    table = _table()
    text = well_formed(text)
    rules = [i for i in table.present(text) if i < table.shape_count]
    return without_overlaps(span for i in rules for span in table.spans(i, text))


def possible(texts: Iterable[str]) -> bool:
    """Whether `find` or `find_shapes` may find anything in one of the texts: one pass over all.

    Each pattern that matches in a text matches in all of them together, line by line.
    """
    return bool(_table().present(well_formed("\n".join(texts))))


def redact(text: str, *, secret_source: bool = False) -> str:
    """The text with each credential replaced by `[secret:<rule>:<length>]` (DLP-9)."""
    return replace(text, find(text, secret_source=secret_source))


def replace(text: str, spans: Iterable[SecretSpan]) -> str:
    """The text with the given spans replaced by `[secret:<rule>:<length>]`."""
    out, last = [], 0
    for span in spans:
        out += [text[last : span.start], f"[secret:{span.rule}:{span.end - span.start}]"]
        last = span.end
    return "".join([*out, text[last:]])


def _candidates(text: str, *, secret_source: bool) -> Iterator[SecretSpan]:
    table = _table()
    present = table.present(text)
    for i in present:
        if i < table.rule_count:
            yield from table.spans(i, text)
    if table.pem_at in present:
        for start, end in secret_pairs.pem_lines(text):
            yield SecretSpan(start, end, "private-key")
    for at, search in (
        (table.pair_at, secret_pairs.named),
        (table.column_at, secret_pairs.columns),
    ):
        if at in present:
            yield from (SecretSpan(*found) for found in search(text))
    if secret_source:
        yield from (SecretSpan(*found) for found in secret_pairs.in_source(text))


def without_overlaps(spans: Iterable[SecretSpan]) -> tuple[SecretSpan, ...]:
    """The earliest first; of those that overlap, one span over all of them."""
    merged: list[SecretSpan] = []
    for span in sorted(set(spans), key=lambda s: (s.start, -s.end, s.rule)):
        if merged and span.start < merged[-1].end:
            first = merged[-1]
            merged[-1] = SecretSpan(first.start, max(first.end, span.end), first.rule)
        else:
            merged.append(span)
    return tuple(merged)


_NAMED_HASH = re.compile(r"(?:sha-?[0-9]{1,3}|md5|blake[23][bs3]?)[-:=]$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Rule:
    rule: str
    regex: Regexp
    grouped: bool
    checked: bool
    exact: bool


class _Table:
    """Every shape as one automaton, and each alone for its spans. Built once, at first use."""

    def __init__(self) -> None:
        patterns = [
            *((s.rule, _shape_regex(s), True, False) for s in SHAPES),
            *((p.rule, p.regex, p.checked, p.exact) for p in PATTERNS),
            *((p.rule, p.regex, p.checked, p.exact) for p in KEYED),
        ]
        self.shape_count = len(SHAPES) + len(PATTERNS)
        self.rule_count = len(patterns)
        self.pem_at, self.pair_at, self.column_at = range(self.rule_count, self.rule_count + 3)
        self._patterns = patterns
        self._rules: dict[int, _Rule] = {}
        self._set = re2.Set.SearchSet(_options())
        for _, regex, _, _ in patterns:
            self._set.Add(regex)
        self._set.Add(secret_pairs.PEM_SIGN)
        self._set.Add(secret_pairs.PAIR_SIGN)
        self._set.Add(secret_pairs.COLUMN_SIGN)
        self._set.Compile()

    def present(self, text: str) -> tuple[int, ...]:
        """Positions of the rules that match somewhere."""
        return tuple(self._set.Match(text) or ())

    def spans(self, i: int, text: str) -> Iterator[SecretSpan]:
        """Where rule `i` matches a credential."""
        rule = self._rule(i)
        for found in rule.regex.finditer(text):
            start, end = found.span(1) if rule.grouped else found.span()
            named = _NAMED_HASH.search(text, max(0, start - 12), start)
            if not named and _convincing(text[start:end], rule):
                yield SecretSpan(start, end, rule.rule)

    def _rule(self, i: int) -> _Rule:
        if i not in self._rules:
            name, regex, *checks = self._patterns[i]
            made = re2.compile(regex, _options())
            self._rules[i] = _Rule(name, made, "?P<v>" in regex, *checks)
        return self._rules[i]


def _convincing(value: str, rule: _Rule) -> bool:
    if not rule.checked:
        return True
    return not plausible.never(value) and (rule.exact or plausible.looks_random(value))


@functools.cache
def _table() -> _Table:
    return _Table()


Regexp: TypeAlias = Any
"""A compiled RE2 pattern (the package has no types)."""


def spaced(word: str) -> Regexp:
    """A pattern for the letters and digits of `word` with separators between, standing alone."""
    between = "[^a-z0-9]{0,4}"
    return re2.compile(rf"(?:^|[^a-z0-9]){between.join(map(re2.escape, word))}(?:$|[^a-z0-9])")


def _options() -> re2.Options:
    options = re2.Options()
    options.max_mem = 512 << 20
    options.log_errors = False
    return options


def _shape_regex(shape: Shape) -> str:
    edge = r"\b" if shape.prefix[0].isalnum() else ""
    # RE2 counts repeats out in states: a long upper bound is left open.
    high = shape.high if shape.high <= 128 else ""
    return f"{edge}{re2.escape(shape.prefix)}[{ALPHABETS[shape.alphabet]}]{{{shape.low},{high}}}"
