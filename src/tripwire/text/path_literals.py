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

_SIMPLE = re.compile(r"(?!\./)[^\\\[\]{}()\"]*")
_WILD = re.compile(r"\*+|\?")


def needed_literals(pattern: str, fold: Callable[[str], str]) -> tuple[tuple[str, ...], ...]:
    """One set of literals per alternative: whenever it matches, `/` + path + `/` holds them all.

    An empty set, or no set, means that nothing is known. Raises PolicyError for a broken pattern.
    """
    if _SIMPLE.fullmatch(pattern):
        pieces = _WILD.split(f"/{fold(pattern)}/")
        return (tuple(piece for piece in pieces if piece.strip("/")),)
    alternatives = compile_pattern(pattern).alternatives
    sets = tuple(tuple(map(fold, required(nodes))) for nodes in alternatives)
    if len(sets) <= MAX_SETS:
        return sets
    shared = set(sets[0]).intersection(*sets[1:])
    return (tuple(sorted(shared)),)
