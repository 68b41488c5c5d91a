"""Characters spelled as words: NATO alphabet, digits, names of punctuation (flow.md DLP-5)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import re2

from tripwire.text.well_formed import well_formed

WORDS: dict[str, str] = {
    **{
        word: word[0]
        for word in (  # noqa: SIM905 - a table reads better in one piece
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

_ONE = "|".join(sorted(map(re.escape, WORDS), key=len, reverse=True))
RUN = (
    rf"(?i)(?:(?:\b(?:{_ONE})\b|(?:upper|lower|capital|big|small)(?:[ -]?case)?|[!-~]{{1,2}})"
    r"[\s,;.|-]{1,4}){5,}[!-~]{1,8}"
)
"""An RE2 pattern for six or more spelled or single characters in a row."""

_RUN = re2.compile(RUN)
_WORD = re.compile(rf"\b(?:{_ONE})\b", re.IGNORECASE)
_CASE = re.compile(r"\b(?:upper|lower|capital|big|small)(?:[ -]?case)?\b", re.IGNORECASE)


def spelled_texts(text: str) -> Iterator[str]:
    """Each run of spelled characters, written as characters."""
    said = [
        _WORD.sub(lambda word: WORDS[word.group().lower()], _CASE.sub("", run.group()))
        for run in _RUN.finditer(well_formed(text))
        if _WORD.search(run.group())
    ]
    if said:
        yield "\n".join(said)
        yield "\n".join("".join(run.split()) for run in said)
