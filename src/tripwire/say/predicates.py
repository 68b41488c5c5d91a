"""Named predicates of `where`: what a pattern cannot say (say.md §2.2, SAY-21)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tripwire.errors import PolicyError
from tripwire.text.plausible import entropy

CONTEXT = frozenset({"not_negated"})
"""Predicates that look at what stands around a match: finished replies only."""

Predicate = Callable[[str], bool]
"""From the folded text of a match to whether it counts."""


def predicate(spec: str, lists: Mapping[str, tuple[str, ...]]) -> Predicate:
    """The predicate that `spec` names: `has_digit`, `luhn`, `entropy>=3.5`, `not_in: list`, ….

    Raises PolicyError for an unknown one, naming the known.
    """
    name, _, argument = (part.strip() for part in spec.partition(":"))
    if name in ("in", "not_in"):
        if argument not in lists:
            raise PolicyError(
                f"`where: {spec}` names no list", fix=f"Known: {', '.join(sorted(lists))}."
            )
        words = frozenset(word.casefold() for word in lists[argument])
        return lambda text: (text.casefold().strip(" _") in words) == (name == "in")
    if name == "known_tld":
        tlds = frozenset(lists.get("tlds", ()))
        return lambda text: text.rsplit(".", 1)[-1].casefold() in tlds
    if name.startswith("entropy>="):
        least = _number(name.removeprefix("entropy>="), spec)
        return lambda text: entropy(text) >= least
    if name not in _PLAIN:
        known = ", ".join([*_PLAIN, "known_tld", "entropy>=x", "in: list", "not_in: list"])
        raise PolicyError(f"`where: {spec}` is not known", fix=f"Known: {known}.")
    return _PLAIN[name]


def _number(text: str, spec: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise PolicyError(f"`where: {spec}` has no number", fix="Write entropy>=3.5.") from None


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)


def _luhn(text: str) -> bool:
    """ISO/IEC 7812-1 check digit; a number of zeros is none."""
    digits = [int(char) for char in text if char.isdigit()]
    doubled = (d * 2 - 9 * (d > 4) if at % 2 else d for at, d in enumerate(reversed(digits)))
    return sum(doubled) % 10 == 0 and any(digits)


def _not_isbn(text: str) -> bool:
    digits = [int(char) for char in text if char.isdigit()]
    isbn = len(digits) == 13 and digits[:3] in ([9, 7, 8], [9, 7, 9])
    return not isbn or sum(d * (3 if at % 2 else 1) for at, d in enumerate(digits)) % 10 != 0


def _not_range(text: str) -> bool:
    """`65000-75000`: two round figures with a dash are a range of prices, no number to call."""
    halves = [half.strip() for half in text.split("-")]
    return len(halves) != 2 or not all(h.isdigit() and h.endswith("00") for h in halves)


_PLAIN: dict[str, Predicate] = {
    "has_digit": _has_digit,
    "luhn": _luhn,
    "not_isbn": _not_isbn,
    "not_range": _not_range,
}


_NEGATION = re.compile(r"\b(?:not|never|no|nahi|nahin|cannot|can't|won't|\w+n't)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?\n]")
_WORDS_BEFORE = 4


def negated(text: str, start: int) -> bool:
    """Whether a negation stands within four words before `start` in its sentence (SAY-29)."""
    sentence = _SENTENCE_END.split(text[max(0, start - 200) : start])[-1]
    return _NEGATION.search(" ".join(sentence.split()[-_WORDS_BEFORE:])) is not None


def negated_inside(text: str) -> bool:
    """Whether a claim negates itself: `visit has not been confirmed`."""
    return _NEGATION.search(text) is not None
