"""Trees of path globs as RE2 expressions, and the literals that a match must contain.

Covers all of read.md CTX-16 but `!(…)`, which no linear pattern expresses; see path_negation.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tripwire.text.path_class import CharClass
from tripwire.text.path_syntax import AnyChar, Group, Literal, Node, Nodes, Slash, Star, walk

_META = re.compile(r"[^\w\x80-\U0010ffff/ ]")
_REPEATS = {"": "", "@": "", "?": "?", "*": "*", "+": "+"}
_NEVER = r"[^\x00-\x{10ffff}]"


def linear(nodes: Nodes) -> bool:
    """Whether the sequence holds no `!(…)`."""
    return not any(isinstance(node, Group) and node.kind == "!" for node in walk(nodes))


def regex(nodes: Nodes) -> str:
    """The sequence as an RE2 expression for a whole match."""
    out: list[str] = []
    at = 0
    while at < len(nodes):
        source, at = _piece(nodes, at)
        out.append(source)
    return "".join(out)


def _piece(nodes: Nodes, at: int) -> tuple[str, int]:
    node = nodes[at]
    following = nodes[at + 1] if at + 1 < len(nodes) else None
    if isinstance(node, Slash) and isinstance(following, Star) and following.deep:
        if at + 2 == len(nodes):
            return ("/.*" if after_star(nodes, at) else "(?:/.*)?"), at + 2
        return "/", at + 1
    if isinstance(node, Star) and node.deep:
        return (".*", at + 1) if following is None else ("(?:.*/)?", at + 2)
    return _single(node), at + 1


def after_star(nodes: Nodes, at: int) -> bool:
    """`a/**` is `a` and all below it, but `a*/**` is only what is below, as in the reference."""
    return at > 0 and isinstance(nodes[at - 1], Star)


def _single(node: Node) -> str:
    match node:
        case Literal():
            return escaped(node.text)
        case Slash():
            return "/"
        case AnyChar():
            return "[^/]"
        case Star():
            return ".*" if node.across else "[^/]*"
        case CharClass():
            return class_regex(node)
        case Group():
            inner = "|".join(regex(option) for option in node.options)
            own = f"|{escaped(node.written)}" if not node.kind else ""
            return f"(?:{inner}{own}){_REPEATS[node.kind]}"
    raise TypeError(type(node).__name__)


def class_regex(node: CharClass) -> str:
    """A class, or its own text; a reversed range never matches."""
    return f"(?:{node.regex}|{escaped(node.written)})" if node.regex else _NEVER


def escaped(text: str) -> str:
    """Text that an RE2 expression takes literally."""
    return _META.sub(lambda found: f"\\x{{{ord(found[0]):x}}}", text)


def required(nodes: Nodes) -> tuple[str, ...]:
    """Texts that `/` + path + `/` contains whenever the path matches; none is just `/`."""
    pieces: list[str] = []
    run = "/"
    for node in nodes:
        if isinstance(node, Literal):
            run += node.text
        elif isinstance(node, Slash):
            run += "/"
        else:
            pieces.append(run)
            # `**/x` at the start, or after a slash, leaves the path at a slash.
            run = "/" if isinstance(node, Star) and node.deep else ""
    pieces.append(run + "/" if not run.endswith("/") else run)
    return tuple(dict.fromkeys(_shortened(piece) for piece in pieces if piece.strip("/")))


def _shortened(piece: str) -> str:
    return re.sub("/+", "/", piece)


def never_matches(nodes: Nodes) -> bool:
    """Whether no normalised path of a project matches the sequence (TW029)."""
    segments: list[list[Node]] = [[]]
    for node in nodes:
        if isinstance(node, Slash):
            segments.append([])
        else:
            segments[-1].append(node)
    dots = ([Literal(".")], [Literal("..")])
    return any(not s or s in dots for s in segments) or _dead(nodes)


def _dead(nodes: Iterable[Node]) -> bool:
    return any(
        (isinstance(node, CharClass) and not node.regex)
        or (isinstance(node, Literal) and ("\\" in node.text or "\0" in node.text))
        for node in nodes
    )
