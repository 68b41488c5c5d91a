"""The grammar of path globs (read.md CTX-16): a pattern becomes trees without braces.

One pass over the characters finds classes, quotes and escapes; a stack pairs parentheses and
braces, so that a hostile pattern costs no more than its length. Says nothing of matching:
path_regex.py and path_negation.py do that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby, product
from math import prod

from tripwire.errors import PolicyError
from tripwire.text.path_class import CharClass, class_at
from tripwire.text.path_ranges import range_of

MAX_ALTERNATIVES = 1000
"""Patterns that one pattern may expand to through braces (read.md 2.1)."""
MAX_PATTERN = 8192
"""Code points of one pattern. Ours: no path is longer than half of it."""
MAX_EXPANDED = 65_536
"""Nodes that a pattern may expand to: a long pattern with many alternatives is a bomb too."""
MAX_DEPTH = 40
"""Groups and braces inside each other."""
KINDS = "?*+@!"


@dataclass(frozen=True, slots=True)
class Literal:
    """These characters, without `/`."""

    text: str


@dataclass(frozen=True, slots=True)
class AnyChar:
    """`?`: one code point but `/`."""


@dataclass(frozen=True, slots=True)
class Star:
    """A run of `*`. Whether `**` is a whole segment, only the whole pattern tells."""

    double: bool = False
    deep: bool = False
    """`**` as a whole segment."""
    across: bool = False
    """The `**` of `**.ts` as a whole pattern: it crosses segments too (vector random-151)."""


@dataclass(frozen=True, slots=True)
class Slash:
    """`/`."""


@dataclass(frozen=True, slots=True)
class Group:
    """`(a|b)`, or with a kind `@(a|b)`, `?(…)`, `*(…)`, `+(…)`, `!(…)`."""

    kind: str
    options: tuple[Nodes, ...]
    written: str
    """A plain group also matches its own text."""


@dataclass(frozen=True, slots=True)
class Braces:
    """`{a,b}` or a range, until it is expanded."""

    options: tuple[Nodes, ...]


Node = Literal | AnyChar | Star | Slash | CharClass | Group | Braces
Nodes = tuple[Node, ...]


def parse(pattern: str) -> tuple[Nodes, ...]:
    """The alternatives of a pattern, braces written out; leading `./` is dropped.

    Raises PolicyError if they are more than 1,000, or the pattern is too long or too deep.
    """
    if len(pattern) > MAX_PATTERN:
        raise PolicyError(
            f"a pattern of {len(pattern)} characters is too long",
            fix=f"Keep it under {MAX_PATTERN}.",
        )
    while pattern.startswith("./"):
        pattern = pattern[2:]
    tokens = _tokens(pattern)
    tree = _Tree(tokens).nodes(0, len(tokens), 0)
    count, size = _expansion(tree)
    if count > MAX_ALTERNATIVES or (count > 1 and size > MAX_EXPANDED):
        raise _too_many()
    return tuple(dict.fromkeys(_whole(_tidy(one)) for one in _expanded(tree)))


def _too_many() -> PolicyError:
    return PolicyError(
        "braces expand to too many patterns",
        fix=f"At most {MAX_ALTERNATIVES}: use `*`, or several triggers.",
    )


def walk(nodes: Iterable[Node]) -> Iterable[Node]:
    """These nodes and all inside their groups."""
    for node in nodes:
        yield node
        if isinstance(node, Group):
            for option in node.options:
                yield from walk(option)


# ── characters to tokens ─────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    """As written."""
    plain: bool = True
    """It may be an operator; escaped and quoted characters and classes may not."""
    node: Node | None = None


def _tokens(pattern: str) -> list[_Token]:
    tokens: list[_Token] = []
    at, quoted = 0, False
    hopeless = False  # no class closed from an earlier `[`; then only a POSIX name may
    while at < len(pattern):
        char = pattern[at]
        end = at + 1
        if char == '"':
            quoted = not quoted
        elif char == "\\" and end < len(pattern):
            end += 1
            tokens.append(_taken_literally(pattern[at + 1], pattern[at:end]))
        elif quoted or char == "\\":
            tokens.append(_taken_literally(char, char))
        elif char == "[" and not (hopeless and pattern[end : end + 1] != ":"):
            found = class_at(pattern, at)
            hopeless = hopeless or found is None
            end = found[1] if found else end
            tokens.append(
                _Token(pattern[at:end], plain=False, node=found[0]) if found else _Token(char)
            )
        else:
            tokens.append(_Token(char))
        at = end
    return tokens


def _taken_literally(char: str, written: str) -> _Token:
    node = Slash() if char == "/" else Literal(char)
    return _Token(written, plain=False, node=node)


def _pairs(tokens: list[_Token]) -> dict[int, int]:
    """Opening position → closing position, for `(` and `{` that close."""
    pairs: dict[int, int] = {}
    stack: list[tuple[str, int]] = []
    opened = {"(": 0, "{": 0}
    closers = {")": "(", "}": "{"}
    for at, token in enumerate(tokens):
        if not token.plain:
            continue
        if token.text in opened:
            stack.append((token.text, at))
            opened[token.text] += 1
        elif token.text in closers and opened[closers[token.text]]:
            kind = ""
            while kind != closers[token.text]:
                kind, start = stack.pop()
                opened[kind] -= 1
            pairs[start] = at
    return pairs


# ── tokens to a tree ─────────────────────────────────────────────────────────────────────────


class _Tree:
    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.pairs = _pairs(tokens)
        self.choices = 0

    def nodes(self, start: int, end: int, depth: int) -> Nodes:
        """The nodes of the tokens from `start` to `end`."""
        if depth > MAX_DEPTH:
            raise PolicyError(
                f"a pattern with more than {MAX_DEPTH} groups inside each other",
                fix="Write it flatter, as several triggers.",
            )
        found: list[Node] = []
        at = start
        while at < end:
            kind = self._kind(at)
            opening = at + 1 if kind else at
            close = self.pairs.get(opening)
            if close is None or close >= end:
                at = self._single(at, found)
            elif self.tokens[opening].text == "(":
                found.append(self._group(kind, at, opening, close, depth))
                at = close + 1
            else:
                found.extend(self._braces(opening, close, depth))
                at = close + 1
        return tuple(found)

    def _kind(self, at: int) -> str:
        token = self.tokens[at]
        if token.plain and token.text in KINDS and at + 1 in self.pairs:
            return token.text if self.tokens[at + 1].text == "(" else ""
        return ""

    def _single(self, at: int, found: list[Node]) -> int:
        token = self.tokens[at]
        if token.node is not None:
            found.append(token.node)
        elif token.text == "*":
            return self._stars(at, found)
        elif token.text == "?":
            found.append(AnyChar())
        elif token.text == "/":
            found.append(Slash())
        else:
            found.append(Literal(token.text))
        return at + 1

    def _stars(self, at: int, found: list[Node]) -> int:
        end = at
        while end < len(self.tokens) and self._is(end, "*") and not self._kind(end):
            end += 1
        found.append(Star(double=end - at == 2))
        return end

    def _is(self, at: int, char: str) -> bool:
        return self.tokens[at].plain and self.tokens[at].text == char

    def _group(self, kind: str, at: int, opening: int, close: int, depth: int) -> Group:
        parts = [self.nodes(a, b, depth + 1) for a, b in self._parts(opening, close, "|")]
        if sum(_expansion(part)[0] for part in parts) > MAX_ALTERNATIVES:
            raise _too_many()
        # Braces inside a group are more options of the group.
        options = (_tidy(one) for part in parts for one in _expanded(part))
        written = "".join(token.text for token in self.tokens[at : close + 1])
        return Group(kind, tuple(dict.fromkeys(options)), written)

    def _braces(self, opening: int, close: int, depth: int) -> Nodes:
        parts = self._parts(opening, close, ",")
        if len(parts) > 1:
            return (self._choice([self.nodes(a, b, depth + 1) for a, b in parts]),)
        inside = self.tokens[opening + 1 : close]
        values = range_of("".join(t.text for t in inside)) if all(t.plain for t in inside) else None
        if values is not None:
            return (self._choice([(Literal(value),) for value in values]),)
        return (Literal("{"), *self.nodes(opening + 1, close, depth + 1), Literal("}"))

    def _choice(self, options: list[Nodes]) -> Braces:
        # Of numbers from 2 on, the sum is at most the product: nothing that is allowed is refused,
        # and a bomb is, before its product is built.
        self.choices += len(options) if len(options) > 1 else 0
        if self.choices > MAX_ALTERNATIVES:
            raise _too_many()
        return Braces(tuple(options))

    def _parts(self, opening: int, close: int, separator: str) -> list[tuple[int, int]]:
        parts: list[tuple[int, int]] = []
        start = at = opening + 1
        while at < close:
            if at in self.pairs and self.pairs[at] < close:
                at = self.pairs[at]
            elif self._is(at, separator):
                parts.append((start, at))
                start = at + 1
            at += 1
        return [*parts, (start, close)]


def _tidy(nodes: Nodes) -> Nodes:
    """A sequence without braces: literals joined, `**` decided, `**/**` as `**`."""
    joined: list[Node] = []
    for is_literal, run in groupby(nodes, lambda node: isinstance(node, Literal)):
        if is_literal:
            text = "".join(node.text for node in run if isinstance(node, Literal))
            joined.extend([Literal(text)] if text else [])
        else:
            joined.extend(run)
    found: list[Node] = []
    for at, node in enumerate(joined):
        around = [*joined[max(at - 1, 0) : at], *joined[at + 1 : at + 2]]
        if not isinstance(node, Star) or not node.double or any(n != Slash() for n in around):
            found.append(node)
        elif found[-2:] != [_DEEP, Slash()]:
            found.append(_DEEP)
        else:
            found.pop()
    return tuple(found)


_DEEP = Star(double=True, deep=True)
_EXTENSION = re.compile(r"(\.\w+)+")


def _whole(nodes: Nodes) -> Nodes:
    """What holds only for a pattern as a whole: `**.ts`."""
    match nodes:
        case (Star(double=True), Literal(text)) if _EXTENSION.fullmatch(text):
            return (Star(double=True, across=True), nodes[1])
    return nodes


# ── braces written out ───────────────────────────────────────────────────────────────────────


def _expansion(nodes: Nodes) -> tuple[int, int]:
    """(how many sequences, their nodes together), each literal counted by its characters."""
    counts, sizes = [], []
    for node in nodes:
        count, size = 1, 1
        if isinstance(node, Literal):
            size = len(node.text)
        elif isinstance(node, Group | Braces):
            inside = [_expansion(option) for option in node.options]
            count = sum(count for count, _ in inside) if isinstance(node, Braces) else 1
            size = sum(size for _, size in inside) + count
        counts.append(count)
        sizes.append(size)
    total = prod(counts)
    return total, sum(total // count * size for count, size in zip(counts, sizes, strict=True))


def _expanded(nodes: Nodes) -> list[Nodes]:
    choices = [
        [one for option in node.options for one in _expanded(option)]
        if isinstance(node, Braces)
        else [(node,)]
        for node in nodes
    ]
    return [tuple(node for part in parts for node in part) for parts in product(*choices)]
