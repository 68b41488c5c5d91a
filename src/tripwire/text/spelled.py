"""Characters spelled as words: NATO alphabet, digits, names of punctuation (flow.md DLP-5)."""

from __future__ import annotations

import re
from collections.abc import Iterator

WORDS: dict[str, str] = {
    **{
        word: word[0]
        for word in (
            "alfa alpha bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima "
            "mike november oscar papa quebec romeo sierra tango uniform victor whiskey whisky xray "
            "yankee zulu"
        ).split()
    },
    **dict(
        zip(
            "zero one two three four five six seven eight nine".split(),  # noqa: SIM905
            "0123456789",
            strict=True,
        )
    ),
    "x-ray": "x",
    "niner": "9",
    "dash": "-",
    "hyphen": "-",
    "minus": "-",
    "underscore": "_",
    "dot": ".",
    "period": ".",
    "slash": "/",
    "plus": "+",
    "equals": "=",
    "colon": ":",
    "at": "@",
}
"""Word → the character it stands for."""

_WORD = re.compile(
    r"\b(?:(?:upper|lower|capital|big|small)[ -]?(?:case)?\s)?([A-Za-z]+(?:-ray)?)\b"
)
_ENOUGH = 1


def spelled_texts(text: str) -> Iterator[str]:
    """The text with spelled characters written as characters."""
    count = 0

    def written(found: re.Match[str]) -> str:
        nonlocal count
        char = WORDS.get(found.group(1).lower())
        if char is None:
            return found.group()
        count += 1
        return char

    out = _WORD.sub(written, text)
    if count >= _ENOUGH:
        yield out
