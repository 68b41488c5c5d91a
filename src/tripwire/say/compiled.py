"""A rule of a stream, compiled: where it matches for certain, where it still may (SAY-11, 21)."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping

from tripwire.errors import PolicyError
from tripwire.model.say import SayAction, SayRule
from tripwire.say.predicates import CONTEXT, Predicate, predicate
from tripwire.text.char_ranges import Ranges
from tripwire.text.fold_map import fold_char
from tripwire.text.pattern_ast import Chars, Node, Repeat, alt, char_class, literal, parse, seq
from tripwire.text.pattern_edges import (
    Branch,
    bounded,
    branches,
    longest,
    shortest_tail,
    tail_class,
    unbounded,
)
from tripwire.text.pattern_re2 import Automaton, closure_source, joined, whole_source

Lists = Mapping[str, tuple[str, ...]]


class StreamRule:
    """The automata of one rule; built when they are first needed."""

    def __init__(self, rule: SayRule, lists: Lists, order: int) -> None:
        self.rule = rule
        self.order = order
        if rule.streams and CONTEXT & set(rule.where):
            raise PolicyError(f"rule {rule.id}: `not_negated` needs the whole reply")
        plain = (name for name in rule.where if name not in CONTEXT)
        self.where: tuple[Predicate, ...] = tuple(predicate(name, lists) for name in plain)
        node = node_of(rule)
        self.tail: Ranges = tail_class(node)
        self.is_open_ended = unbounded(node)
        if rule.action is SayAction.ABORT and not (rule.where or rule.after_not):
            node = shortest_tail(node)
        node = bounded(node, rule.bound)
        self.branches = branches(node, _neighbour(rule.before_not), _neighbour(rule.after_not))
        self.max_span = max(longest(b.body) + (b.right is not None) for b in self.branches)

    @functools.cached_property
    def _streaming(self) -> Automaton | None:
        return self._exact(final=False)

    @functools.cached_property
    def _final(self) -> Automaton | None:
        return self._exact(final=True)

    def _exact(self, *, final: bool) -> Automaton | None:
        sources = [whole_source(branch, final=final, group=True) for branch in self.branches]
        found = [f"(?:{source})" for source in sources if source]
        return Automaton("|".join(found), longest=True) if found else None

    @functools.cached_property
    def _open(self) -> Automaton:
        return Automaton(f"\\A{closure_source(self.branches, empty=False)}")

    def matches(self, data: bytes, pos: int, *, final: bool) -> Iterator[tuple[int, int]]:
        """Byte spans of the determined matches whose left neighbour stands at `pos` or later."""
        pattern = self._final if final else self._streaming
        while pattern is not None and (spans := pattern.spans(data, pos)):
            start, end = next(span for span in spans[1:] if span[0] >= 0)
            if self._certain(data, spans[0][0], final=final) and self._counts(data[start:end]):
                yield start, end
                pos = before_char(data, end)
            else:
                pos = start
            if pos >= len(data):
                return

    def _counts(self, match: bytes) -> bool:
        return all(test(match.decode("utf-8", "replace")) for test in self.where)

    def _certain(self, data: bytes, left: int, *, final: bool) -> bool:
        """Whether the longest match there is known: nothing that follows can make it longer."""
        if final or not (self.where or self.rule.action is SayAction.REDACT):
            return True
        return not self._open.spans(data[left:])


def node_of(rule: SayRule) -> Node:
    """The pattern of a rule of a kind that a stream knows. Raises PolicyError."""
    if rule.kind == "regex":
        return alt(parse(_folded(p), rule.flags) for p in rule.patterns)
    if rule.kind == "phrases":
        return alt(literal(_folded(p), "i" + rule.flags) for p in rule.patterns)
    if rule.kind == "near":
        one, other = (
            alt(parse(_folded(p), rule.flags) for p in words)
            for words in (rule.patterns, rule.others)
        )
        gap = Repeat(Chars(((0, 9), (11, 0x10FFFF))), 0, rule.within)
        return alt([seq(one, gap, other), seq(other, gap, one)])
    raise PolicyError(f"rule {rule.id}: kind {rule.kind} does not run in a stream")


def _folded(source: str) -> str:
    """The pattern with its literals folded as texts are (SAY-4)."""
    if source.isascii():
        return source
    return "".join(char if char.isascii() else fold_char(char) or char for char in source)


def _neighbour(text: str) -> Ranges:
    return char_class(text) if text else ()


class RuleSet:
    """Several rules as one automaton each way: is there a match, from where may there be one."""

    def __init__(self, rules: tuple[StreamRule, ...]) -> None:
        self.rules = rules
        parts: list[Branch] = [branch for rule in rules for branch in rule.branches]
        self._streaming = joined([whole_source(branch, final=False) for branch in parts])
        self._final = joined([whole_source(branch, final=True) for branch in parts])
        self._closure = Automaton(closure_source(parts)) if parts else None

    def maybe(self, data: bytes, pos: int, *, final: bool) -> bool:
        """Whether any rule matches, its predicates aside."""
        pattern = self._final if final else self._streaming
        return pattern is not None and pattern.start(data, pos) >= 0

    def pending(self, data: bytes, pos: int) -> int:
        """The first byte from which a match may still come; the length if there is none (SAY-9)."""
        if self._closure is None:
            return len(data)
        left = self._closure.start(data, pos)
        return after_char(data, left) if left >= 0 else len(data)

    def first(self, data: bytes, pos: int, *, final: bool) -> tuple[int, int, StreamRule] | None:
        """The determined match that starts first; of several there the rule that comes first."""
        found = None
        for rule in self.rules:
            span = next(rule.matches(data, pos, final=final), None)
            if span is not None and (found is None or span[0] < found[0]):
                found = (*span, rule)
        return found


def before_char(data: bytes, at: int) -> int:
    """Where the UTF-8 character before byte `at` begins."""
    at -= 1
    while data[at] & 0xC0 == 0x80:
        at -= 1
    return at


def after_char(data: bytes, at: int) -> int:
    """Where the UTF-8 character that begins at byte `at` ends."""
    lead = data[at]
    return at + (1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4)
