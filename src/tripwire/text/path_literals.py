"""Literals without which a path glob cannot match; the filter of path_index.py.

A wrong literal here would silence a tripwire, so tests compare the index with plain matching.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tripwire.text.path_glob import compile_pattern
from tripwire.text.path_regex import required

MAX_SETS = 64
"""Alternatives that are looked up one by one; beyond that only what all of them share is used."""

_WITHOUT_GROUPS = re.compile(r"(?!\./)[^\\()\"]*")
_WILD = re.compile(r"\*+|\?")
_FIRST = re.compile(r"[\[{]")

Literals = tuple[tuple[str, ...], ...]


def quick_literals(pattern: str, fold: Callable[[str], str]) -> Literals:
    """As `needed_literals`, from what stands before all braces and classes and after them.

    No error, but perhaps less than could be known.
    """
    if not _WITHOUT_GROUPS.fullmatch(pattern):
        return ()
    text = fold(pattern)
    opening = _FIRST.search(text)
    if opening is None:
        return (_pieces(f"/{text}/"),)
    before = text[: opening.start()]
    after = _tail(text)
    return ((*_pieces(f"/{before}"), *_pieces(f"{after}/")),)


def _tail(text: str) -> str:
    return text[max(text.rfind("]"), text.rfind("}")) + 1 :]


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(piece for piece in _WILD.split(text) if piece.strip("/"))


def needed_literals(pattern: str, fold: Callable[[str], str]) -> Literals:
    """One set of literals per alternative: whenever it matches, `/` + path + `/` holds them all.

    An empty set, or no set, means that nothing is known. Raises PolicyError for a broken pattern.
    """
    alternatives = compile_pattern(pattern).alternatives
    sets = tuple(tuple(map(fold, required(nodes))) for nodes in alternatives)
    if len(sets) <= MAX_SETS:
        return sets
    shared = set(sets[0]).intersection(*sets[1:])
    return (tuple(sorted(shared)),)
