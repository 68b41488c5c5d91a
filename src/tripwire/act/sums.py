"""Whether an amount is the sum of a few labelled ones: a bounded search (gateway.md §2 derive).

Does not catch: sums of more than 12 figures, or of figures in different currencies.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from tripwire.text import numerals

MAX_TERMS = 12
MAX_FIGURES = 40
MAX_SUMS = 20_000


def is_sum(wanted: Decimal, currency: str, figures: Sequence[tuple[Decimal, str]]) -> bool:
    """Whether `wanted` is the sum of 2 to 12 of the figures, all of one currency."""
    if wanted <= 0:
        return False
    for code in sorted({held for _, held in figures}):
        if not numerals.same_currency(currency, code):
            continue
        amounts = [a for a, held in figures if held == code and 0 < a <= wanted]
        if _reaches(wanted, amounts[-MAX_FIGURES:]):
            return True
    return False


def _reaches(wanted: Decimal, amounts: list[Decimal]) -> bool:
    fewest: dict[Decimal, int] = {Decimal(0): 0}
    for amount in amounts:
        for reached, count in list(fewest.items()):
            total = reached + amount
            if total > wanted or count >= MAX_TERMS:
                continue
            if total == wanted and count >= 1:
                return True
            fewest[total] = min(fewest.get(total, MAX_TERMS), count + 1)
        if len(fewest) > MAX_SUMS:
            return False
    return False
