"""Branches of patterns as RE2 source: whole matches, and every prefix of one (say.md SAY-18).

The prefix closure of a pattern matches what may still become a match. Searched for at the end of a
text it gives the first character that may not be released yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import re2
from re2 import _re2

from tripwire.errors import PolicyError
from tripwire.text.char_ranges import ALL, Ranges
from tripwire.text.pattern_ast import Alt, Chars, Node, Repeat, Seq
from tripwire.text.pattern_edges import Branch

_MEMORY = 256 << 20
_ANYWHERE = _re2.RE2.Anchor.UNANCHORED


def source_of(node: Node) -> str:
    """RE2 source that matches what the node does."""
    if isinstance(node, Chars):
        return _class(node.ranges)
    if isinstance(node, Seq):
        return "".join(map(source_of, node.items))
    if isinstance(node, Alt):
        return "(?:" + "|".join(map(source_of, node.options)) + ")"
    if isinstance(node, Repeat):
        inner = source_of(node.item)
        inner = inner if isinstance(node.item, Chars) else f"(?:{inner})"
        return inner + _count(node.low, node.high)
    return ""


def prefixes_of(node: Node) -> str:
    """RE2 source that matches every prefix of what the node matches, the empty one included."""
    if isinstance(node, Chars):
        return f"{_class(node.ranges)}?"
    if isinstance(node, Alt):
        return "(?:" + "|".join(map(prefixes_of, node.options)) + ")"
    if isinstance(node, Repeat):
        if node.high == 0:
            return ""
        if isinstance(node.item, Chars):
            return source_of(node.item) + _count(0, node.high)
        fewer = None if node.high is None else node.high - 1
        return f"(?:{source_of(node.item)}){_count(0, fewer)}{prefixes_of(node.item)}"
    if isinstance(node, Seq):
        made = ""
        for item in reversed(node.items):
            made = _then(item, made) if made else prefixes_of(item)
        return made
    return ""


def _then(item: Node, rest: str) -> str:
    """The prefixes of `item` followed by what has the prefixes `rest`; the empty one is in `rest`.

    So the whole item alone is covered: only what is shorter needs an alternative of its own.
    """
    if isinstance(item, Chars):
        return f"(?:{source_of(item)}{rest})?"
    if isinstance(item, Repeat) and isinstance(item.item, Chars):
        if item.low == 0:
            return f"{source_of(item)}{rest}"
        shorter = source_of(item.item) + _count(0, item.low - 1) if item.low > 1 else ""
        return f"(?:{source_of(item)}{rest}|{shorter})"
    return f"(?:{source_of(item)}{rest}|{prefixes_of(item)})"


def _count(low: int, high: int | None) -> str:
    if (low, high) == (1, 1):
        return ""
    if (low, high) == (0, 1):
        return "?"
    return f"{{{low},{'' if high is None else high}}}"


def _class(ranges: Ranges) -> str:
    if ranges == ALL:
        return r"[\x{0}-\x{10FFFF}]"
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        code = ranges[0][0]
        return chr(code) if 48 <= code <= 57 or 97 <= (code | 32) <= 122 else f"\\x{{{code:x}}}"
    if not ranges:
        return r"[^\x{0}-\x{10FFFF}]"
    spelt = (f"\\x{{{a:x}}}" + ("" if a == b else f"-\\x{{{b:x}}}") for a, b in ranges)
    return f"[{''.join(spelt)}]"


def whole_source(branch: Branch, *, final: bool, group: bool = False) -> str:
    """A match with its left neighbour and what it needs on its right; "" if there can be none.

    `final`: nothing follows the text, so that its end counts as a neighbour. `group`: the match
    alone is a group.
    """
    right = ""
    if branch.right is not None:
        after = _class(branch.right) if branch.right else ""
        end = "\\z" if final and branch.ends else ""
        choices = [choice for choice in (after, end) if choice]
        if not choices:
            return ""
        right = f"(?:{'|'.join(choices)})"
    body = f"{'(' if group else '(?:'}{source_of(branch.body)})"
    return f"{_class(branch.left)}{body}{right}"


def closure_source(branches: Iterable[Branch], *, empty: bool = True) -> str:
    """What at the end of a text may become a match of one of these, after its left neighbour.

    `empty`: any character at the very end will do, so that a search always finds something.
    """
    by_left: dict[Ranges, list[str]] = {}
    for branch in branches:
        by_left.setdefault(branch.left, []).append(prefixes_of(branch.body))
    parts = [f"{_class(left)}(?:{'|'.join(found)})" for left, found in by_left.items()]
    parts += [_class(ALL)] if empty else []
    return f"(?:{'|'.join(parts)})\\z"


class Automaton:
    """A pattern for UTF-8 bytes, without the package's match objects: they cost more than a search.

    Raises PolicyError if RE2 refuses the pattern.
    """

    __slots__ = ("_match", "_regexp")

    def __init__(self, source: str, *, longest: bool = False) -> None:
        options = re2.Options()
        options.max_mem = _MEMORY
        options.log_errors = False
        options.longest_match = longest
        self._regexp = _re2.RE2(source.encode(), options)
        if not self._regexp.ok():
            why = str(self._regexp.error())[:120]
            raise PolicyError(f"RE2 refuses the pattern ({why})", fix="Make its repeats smaller.")
        self._match = self._regexp.Match

    def spans(self, data: bytes, pos: int = 0) -> list[tuple[int, int]]:
        """The match that begins first at `pos` or later, and its groups; empty without one."""
        found: list[tuple[int, int]] = self._match(_ANYWHERE, data, pos, len(data))
        return found if found[0][0] >= 0 else []

    def start(self, data: bytes, pos: int) -> int:
        """Where that match begins; -1 without one."""
        where: int = self._match(_ANYWHERE, data, pos, len(data))[0][0]
        return where


def joined(sources: Sequence[str]) -> Automaton | None:
    """One pattern for all of these, without groups; None for none of them."""
    found = [source for source in sources if source]
    return Automaton("|".join(f"(?:{source})" for source in found)) if found else None
