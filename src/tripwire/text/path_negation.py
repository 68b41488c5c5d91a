"""Matches trees with `!(…)` over sets of positions, held as the bits of an integer.

RE2 has no complement. Here each node maps the positions where it may begin to those where it may
end, so there is no backtracking: the work grows with nodes × positions, and both are capped.
`!(x)` is any text of its segment but `x`; of several segments if `x` holds a `/`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tripwire.text.case_fold import simple_fold
from tripwire.text.path_class import CharClass
from tripwire.text.path_regex import after_star
from tripwire.text.path_syntax import AnyChar, Group, Literal, Node, Nodes, Slash, Star, walk

MAX_NODES = 1024
"""Nodes inside the `!(…)` of a pattern, a literal counted by its characters."""
MAX_TEXT = 512
"""Code points of a path; a longer one is not examined."""

ClassMatcher = Callable[[CharClass], Any]


def weight(nodes: Nodes) -> int:
    """Nodes of a sequence, a literal counted by its characters."""
    return sum(len(n.text) if isinstance(n, Literal) else 1 for n in walk(nodes))


def complement_weight(alternatives: tuple[Nodes, ...]) -> int:
    """What counts against MAX_NODES: how many `!(…)` there are, and what different ones hold.

    Alternatives share their groups, and what is known of one group holds wherever it stands.
    """
    groups = [n for nodes in alternatives for n in walk(nodes) if isinstance(n, Group)]
    complements = [group for group in groups if group.kind == "!"]
    return max(len(complements), sum(weight((group,)) for group in set(complements)))


class Positions:
    """One path; `matches(nodes)` is whether the sequence matches all of it."""

    def __init__(self, text: str, *, match_case: bool, class_matcher: ClassMatcher) -> None:
        self.text = text if match_case else simple_fold(text)
        self.written = text
        self.fold: Callable[[str], str] = str if match_case else simple_fold
        self.class_matcher = class_matcher
        self.full = (1 << len(text)) - 1
        self.slashes = sum(1 << at for at, char in enumerate(text) if char == "/")
        self.inner = self.full & ~self.slashes
        self.known: dict[tuple[Group, int], int] = {}
        self.classes: dict[CharClass, int] = {}

    def matches(self, nodes: Nodes) -> bool:
        """Whether the sequence matches the whole text."""
        return bool(self.ends(nodes, 1) >> len(self.text) & 1)

    def ends(self, nodes: Nodes, starts: int) -> int:
        """Where the sequence may end if it begins at one of `starts`."""
        at = 0
        while at < len(nodes) and starts:
            node = nodes[at]
            following = nodes[at + 1] if at + 1 < len(nodes) else None
            if isinstance(node, Slash) and isinstance(following, Star) and following.deep:
                if at + 2 == len(nodes):
                    below = self._beyond(starts & self.slashes)
                    return below if after_star(nodes, at) else starts | below
                starts = (starts & self.slashes) << 1
                at += 1
            elif isinstance(node, Star) and node.deep:
                if following is None:
                    return starts | self._beyond(starts)
                starts |= (self._from_first(starts) & self.slashes) << 1
                at += 2
            else:
                starts = self._single(node, starts)
                at += 1
        return starts

    def _from_first(self, starts: int) -> int:
        return (self.full << 1 | 1) & -(starts & -starts) if starts else 0

    def _beyond(self, starts: int) -> int:
        return self._from_first(starts) & ~(starts & -starts)

    def _single(self, node: Node, starts: int) -> int:
        match node:
            case Literal():
                return self._literal(node.text, starts)
            case Slash():
                return (starts & self.slashes) << 1
            case AnyChar():
                return (starts & self.inner) << 1
            case Star():
                return self._from_first(starts) if node.across else self._segment_rest(starts)
            case CharClass():
                one = (starts & self._class(node)) << 1 if node.regex else 0
                return one | (self._literal(node.written, starts) if node.regex else 0)
            case Group():
                return self._group(node, starts)
        raise TypeError(type(node).__name__)

    def _literal(self, text: str, starts: int) -> int:
        wanted = self.fold(text)
        found, at = 0, -1
        while (at := self.text.find(wanted, at + 1)) >= 0:
            found |= 1 << at
        return (starts & found) << len(wanted)

    def _segment_rest(self, starts: int) -> int:
        """Every position from a start to the end of its segment: a carry runs through the ones."""
        return (((starts & self.inner) + self.inner) ^ self.inner) | starts

    def _class(self, node: CharClass) -> int:
        if node not in self.classes:
            one = self.class_matcher(node)
            self.classes[node] = sum(
                1 << at for at, char in enumerate(self.written) if one.fullmatch(char.encode())
            )
        return self.classes[node]

    def _group(self, node: Group, starts: int) -> int:
        if node.kind == "!":
            return self._complement(node, starts)
        once = self._options(node, starts)
        if not node.kind:
            return once | self._literal(node.written, starts)
        if node.kind in "*+":
            more = once
            while more:
                more = self._options(node, more) & ~once
                once |= more
        return once | (starts if node.kind in "?*" else 0)

    def _options(self, node: Group, starts: int) -> int:
        found = 0
        for option in node.options:
            found |= self.ends(option, starts)
        return found

    def _complement(self, node: Group, starts: int) -> int:
        across = any(isinstance(inner, Slash) for inner in walk((node,)))
        found = 0
        while starts:
            start = starts & -starts
            starts ^= start
            key = (node, start)
            if key not in self.known:
                reach = self._from_first(start) if across else self._segment_rest(start)
                self.known[key] = reach & ~self._options(node, start)
            found |= self.known[key]
        return found
