r"""What a pattern asks of its neighbours, taken out of it (say.md SAY-19).

`\bTBD\b` becomes: left a character that is no word character, `TBD`, right the same or the end.
So no assertion is left that a search at the end of a chunk would judge too early.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

from tripwire.errors import PolicyError
from tripwire.text.char_ranges import (
    ALL,
    LAST,
    NEWLINE,
    WORD,
    Ranges,
    common,
    inverse,
    union,
    within,
)
from tripwire.text.pattern_ast import Alt, Assertion, Chars, Node, Repeat, Seq, alt, seq

START = 0xFFFE
"""Stands before the first character of a text: a noncharacter, which folding takes out."""

_START: Ranges = ((START, START),)
_NOT_WORD = inverse(WORD)
_MOST_BRANCHES = 64


@dataclass(frozen=True, slots=True)
class Branch:
    """One way to match: a character of `left`, then `body`, then a character of `right`.

    `right` None: whatever follows. `ends`: the end of the text will do for `right` as well.
    """

    body: Node
    left: Ranges = ALL
    right: Ranges | None = None
    ends: bool = False


def branches(node: Node, before_not: Ranges = (), after_not: Ranges = ()) -> tuple[Branch, ...]:
    """The pattern as branches without assertions. Raises PolicyError for one that stays inside."""
    left = common(ALL, union([inverse(before_not), _START])) if before_not else ALL
    found = []
    for items in _spread(node):
        made = _edged(items, Branch(Seq(), left))
        if made is None:
            continue
        if after_not:
            allowed = inverse(after_not)
            right = allowed if made.right is None else common(made.right, allowed)
            made = replace(made, right=right, ends=made.ends or made.right is None)
        found.append(made)
    if not found:
        raise PolicyError("the pattern can never match", fix="Look at its `\\b`, `^` and `$`.")
    return _joined(found)


def _joined(found: list[Branch]) -> tuple[Branch, ...]:
    """Branches with the same neighbours as one."""
    groups: dict[tuple[object, ...], list[Node]] = {}
    for one in found:
        groups.setdefault((one.left, one.right, one.ends), []).append(one.body)
    return tuple(
        Branch(alt(bodies), left, right, ends)  # type: ignore[arg-type]
        for (left, right, ends), bodies in groups.items()
    )


def _holds_assertion(node: Node) -> bool:
    if isinstance(node, Assertion):
        return True
    if isinstance(node, Seq):
        return any(map(_holds_assertion, node.items))
    if isinstance(node, Alt):
        return any(map(_holds_assertion, node.options))
    return isinstance(node, Repeat) and _holds_assertion(node.item)


def _spread(node: Node) -> list[tuple[Node, ...]]:
    """The sequences it is made of, alternations spread out where an assertion is in them."""
    if not _holds_assertion(node):
        return [(node,)]
    if isinstance(node, Alt):
        return [items for option in node.options for items in _spread(option)]
    if isinstance(node, Repeat):
        if node.high is not None and node.high <= 1:
            return ([()] if node.low == 0 else []) + _spread(node.item)
        raise PolicyError("a repeat holds `\\b`, `^` or `$`", fix="Take it out of the repeat.")
    if not isinstance(node, Seq):
        return [(node,)]
    parts = [_spread(item) for item in node.items]
    count = 1
    for part in parts:
        count *= len(part)
    if count > _MOST_BRANCHES:
        raise PolicyError("too many alternatives with assertions", fix="Split the rule.")
    return [tuple(item for items in chosen for item in items) for chosen in product(*parts)]


def _edged(items: tuple[Node, ...], branch: Branch) -> Branch | None:
    """The branch of a sequence; None if it can never match."""
    flat = seq(*items)
    parts = list(flat.items) if isinstance(flat, Seq) else [flat]
    body: list[Node] = []
    for at, part in enumerate(parts):
        if not isinstance(part, Assertion):
            body.append(part)
            continue
        before = seq(*body)
        after = seq(*(p for p in parts[at + 1 :] if not isinstance(p, Assertion)))
        if not _can_be_empty(before) and not _can_be_empty(after):
            if not _inside(part, last(before), first(after)):
                return None
        elif _is_empty(before):
            branch = replace(branch, left=common(branch.left, _left_of(part, after)))
        elif _is_empty(after):
            branch = _right_of(part, before, branch)
        else:
            raise PolicyError("an assertion beside what may be empty", fix="Split the rule.")
    return replace(branch, body=seq(*body))


def _is_empty(node: Node) -> bool:
    return isinstance(node, Seq) and not node.items


def _inside(part: Assertion, before: Ranges, after: Ranges) -> bool:
    """Whether an assertion between two parts holds: for all of their characters, or for none."""
    if part.kind in ("word", "not-word"):
        sides = [
            True if within(side, WORD) else False if within(side, _NOT_WORD) else None
            for side in (before, after)
        ]
        if None not in sides:
            return (sides[0] != sides[1]) == (part.kind == "word")
    if part.kind in ("start", "end"):
        return False
    raise PolicyError(
        "an assertion inside the pattern cannot be decided", fix="Write the characters out."
    )


def _left_of(part: Assertion, after: Node) -> Ranges:
    if part.kind == "start":
        return _START
    if part.kind == "line-start":
        return union([_START, NEWLINE])
    if part.kind == "before":
        return union([part.ranges, _START]) if part.or_edge else part.ranges
    if part.kind in ("word", "not-word"):
        return _other_side(part.kind, first(after))
    raise PolicyError("an end before the pattern", fix="Take the `$` out.")


def _right_of(part: Assertion, before: Node, branch: Branch) -> Branch:
    ends = True
    if part.kind == "end":
        right: Ranges = ()
    elif part.kind == "line-end":
        right = NEWLINE
    elif part.kind == "after":
        right, ends = part.ranges, part.or_edge
    elif part.kind in ("word", "not-word"):
        right = _other_side(part.kind, last(before))
        ends = within(_START, right)
    else:
        raise PolicyError("a start after the pattern", fix="Take the `^` out.")
    if branch.right is not None:
        right, ends = common(branch.right, right), ends and branch.ends
    return replace(branch, right=right, ends=ends)


def _other_side(kind: str, inner: Ranges) -> Ranges:
    r"""What may stand on the other side of a `\b` or `\B`."""
    if within(inner, WORD):
        return _NOT_WORD if kind == "word" else WORD
    if within(inner, _NOT_WORD):
        return WORD if kind == "word" else _NOT_WORD
    raise PolicyError("`\\b` beside what may or may not be a word character", fix="Split the rule.")


# ── facts of a node ─────────────────────────────────────────────────────────────────────────────


def _can_be_empty(node: Node) -> bool:
    if isinstance(node, Chars):
        return False
    if isinstance(node, Seq):
        return all(map(_can_be_empty, node.items))
    if isinstance(node, Alt):
        return any(map(_can_be_empty, node.options))
    return not isinstance(node, Repeat) or node.low == 0 or _can_be_empty(node.item)


def first(node: Node) -> Ranges:
    """The characters that a match may begin with."""
    if isinstance(node, Chars):
        return node.ranges
    if isinstance(node, Alt):
        return union(map(first, node.options))
    if isinstance(node, Repeat):
        return first(node.item)
    return _edge(node.items, first) if isinstance(node, Seq) else ()


def last(node: Node) -> Ranges:
    """The characters that a match may end with."""
    if isinstance(node, Chars):
        return node.ranges
    if isinstance(node, Alt):
        return union(map(last, node.options))
    if isinstance(node, Repeat):
        return last(node.item)
    return _edge(node.items[::-1], last) if isinstance(node, Seq) else ()


def _edge(items: tuple[Node, ...], of: Callable[[Node], Ranges]) -> Ranges:
    found: list[Ranges] = []
    for item in items:
        found.append(of(item))
        if not _can_be_empty(item):
            break
    return union(found)


def longest(node: Node) -> int:
    """Characters of the longest match; unbounded repeats must be bounded before."""
    if isinstance(node, Chars):
        return 1
    if isinstance(node, Seq):
        return sum(map(longest, node.items))
    if isinstance(node, Alt):
        return max(map(longest, node.options))
    if isinstance(node, Repeat):
        return longest(node.item) * (LAST if node.high is None else node.high)
    return 0


def bounded(node: Node, bound: int) -> Node:
    """With `bound` as the limit of each repeat without one (SAY-17)."""
    if isinstance(node, Seq):
        return Seq(tuple(bounded(item, bound) for item in node.items))
    if isinstance(node, Alt):
        return Alt(tuple(bounded(option, bound) for option in node.options))
    if isinstance(node, Repeat):
        high = max(node.low, bound) if node.high is None else node.high
        return Repeat(bounded(node.item, bound), node.low, high)
    return node


def unbounded(node: Node) -> bool:
    """Whether a repeat in it has no bound."""
    if isinstance(node, Seq):
        return any(map(unbounded, node.items))
    if isinstance(node, Alt):
        return any(map(unbounded, node.options))
    return isinstance(node, Repeat) and (node.high is None or unbounded(node.item))


def shortest_tail(node: Node) -> Node:
    """With a trailing repeat as short as it may be: the first match decides already (SAY-17)."""
    if isinstance(node, Repeat) and isinstance(node.item, Chars):
        return Repeat(node.item, node.low, node.low)
    if isinstance(node, Seq) and node.items:
        return seq(*node.items[:-1], shortest_tail(node.items[-1]))
    if isinstance(node, Alt):
        return alt(map(shortest_tail, node.options))
    return node


def tail_class(node: Node) -> Ranges:
    """The characters of a trailing repeat: more of them after a match belong to it (SAY-15)."""
    if isinstance(node, Repeat) and isinstance(node.item, Chars):
        return node.item.ranges
    if isinstance(node, Seq) and node.items:
        return tail_class(node.items[-1])
    return ()
