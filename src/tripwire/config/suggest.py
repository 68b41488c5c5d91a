"""The nearest known word to a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST = 64
"""A longer word is no typo of a key; comparing it would only cost time."""


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that `word` was probably meant to be, or ""."""
    if len(word) > LONGEST:
        return ""
    folded = {name.lower().replace("-", "_"): name for name in known}
    close = get_close_matches(word.lower().replace("-", "_"), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`did you mean "…"?`, or the list of what is known, as the fix of an error."""
    names = tuple(known)
    near = nearest(word, names)
    if near:
        return f'did you mean "{near}"?'
    return f"known here: {', '.join(sorted(names))}" if len(names) <= 24 else ""
