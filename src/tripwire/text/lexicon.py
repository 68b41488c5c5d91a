"""Sets of words as data: written as prose, read as a set.

Holds no words itself.
"""

from __future__ import annotations


def lexicon(*lines: str) -> frozenset[str]:
    """Every word of the lines."""
    return frozenset(word for line in lines for word in line.split())
