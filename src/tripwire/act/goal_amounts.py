"""Which amounts a goal allows: an upper bound, or the figures it states (gateway.md C-9).

Does not compute: a goal that speaks of a half, a rest or taxes states no figure of its own.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from tripwire.act.goal_clauses import PAY, Act, Clause, clauses
from tripwire.text import number_context, numerals, values
from tripwire.text.lexicon import lexicon

_AT_MOST = (
    r"at most|no more than|not more than|more than|not exceed(?:ing)?|exceed(?:ing)?|up to|"
    r"max(?:imum)?\.?(?: of)?|not over|over|above|cap(?:ped)? (?:at|of)|"
    r"limit(?:ed)? (?:to|of|is)|budget (?:of|is)|(?:maximum|cap) is|"
    r"höchstens|maximal|bis zu|nicht mehr als|mehr als|nicht über|"
    r"au plus|au maximum|jusqu'à|plus de|como máximo|máximo|hasta|más de|al massimo|fino a|"
    r"più di|no máximo|até|mais de|maximaal|hoogstens|ten hoogste|meer dan|högst|"
    r"upp till|mer än|не более|максимум|до|最多|最大|不超过"
)
_LESS = (
    r"less than|under|below|weniger als|unter|moins de|menos de|meno di|minder dan|mindre än|менее"
)
_BETWEEN = r"\s*(?:(?:a|the|of|total|sum|amount|einer?|[A-Z]{3,5}|[€$£¥₹])\s*)*$"
_CAP = re.compile(rf"(?:(?<!\w)(?:{_AT_MOST}|(?P<less>{_LESS})))(?-i:{_BETWEEN})", re.IGNORECASE)
_CAPPED = re.compile(
    r"[\s,(]*(?:[€$£¥₹]|[A-Z]{3,5}|euros?|dollars?)?[\s,(]*"
    r"(?:or (?:less|under|below)|at (?:most|the most)|max(?:imum)?\b|tops\b|oder weniger|höchstens|"
    r"ou moins|maximum|o menos|como máximo|o meno|al massimo|以下|以内)",
    re.IGNORECASE,
)
_COMPUTED = re.compile(
    r"%|\b(?:percent|half|third|quarter|rest|remaining|remainder|difference|minus|plus|less|discount|"
    r"vat|tax|taxes|instal?lments?|part|partial|deposit|each|per|split|hälfte|rest|abzüglich|mwst|"
    r"rate|raten|moitié|mitad|resto|metà|tva|iva)\b",
    re.IGNORECASE,
)
_GOES_ON = lexicon(
    "to for now today tomorrow from an à a al via by on this and please into für pour para per aan "
    "till til für von with using out as in the at before"
)
_BEFORE = lexicon("of amount exactly total sum is betrag von to an")
_DOLLARS = lexicon("USD USDC USDT DAI BUSD TUSD PYUSD CAD AUD NZD SGD HKD MXN")
_WORD = re.compile(r"[^\W\d_]+")
_WORD_AFTER = re.compile(r"[ \t]*([^\W\d_]+)?")
_GROUPED = re.compile(rf"[.,{numerals.GROUP}kKmM]")
_YEARS = range(1900, 2101)
MIN_BARE = 100
_REACH = 48

Names = Callable[[str], bool]
"""Whether a word names a record, or digits a reference."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a goal says of amounts: `most` is an upper bound, `stated` are figures to be paid."""

    most: values.Value | None = None
    strictly: bool = False
    stated: tuple[values.Value, ...] = ()

    def fault(self, amount: Decimal, currency: str, *, total: Decimal) -> str:
        """Why the goal does not allow that amount; "" if it does."""
        if self.most is not None and _same_money(self.most.currency, currency):
            most = Decimal(self.most.norm)
            if total > most or (self.strictly and total == most):
                return f"the goal allows at most {self.most.norm}"
        if not self.stated or self.fits(amount, currency):
            return ""
        return "the goal states another amount"

    def fits(self, amount: Decimal, currency: str) -> bool:
        """Whether the goal states that amount."""
        return any(
            Decimal(v.norm) == amount and _same_money(v.currency, currency) for v in self.stated
        )


def allowed(texts: Sequence[str], names: Names, refers: Names) -> Allowed:
    """What the texts of a goal, oldest first, allow; a later bound replaces an earlier one."""
    most: values.Value | None = None
    strictly = False
    stated: list[values.Value] = []
    for text in texts:
        asked = [c for c in clauses(text) if c.act is not Act.FORBIDS]
        computed = _COMPUTED.search(_without_bounds(text)) is not None
        for clause in asked:
            for value, cap in _amounts(clause, names, refers, paid=bool(stated)):
                if cap:
                    larger = most if most is not None and _twin(value, most) else value
                    most = max(value, larger, key=lambda v: Decimal(v.norm))
                    strictly = cap == "less"
                elif not computed:
                    stated.append(value)
    return Allowed(most, strictly, tuple(stated))


def _twin(one: values.Value, other: values.Value) -> bool:
    """Two readings of the same number."""
    return one.ambiguous and other.ambiguous and one.start == other.start


def _without_bounds(text: str) -> str:
    return re.sub(r"(?:or )?less(?: than)?|plus de|au plus", "", text, flags=re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Written:
    """One amount of a clause. `word` stands before it; `counts`: it may be so many of something."""

    value: values.Value
    cap: str
    firm: bool
    word: str
    counts: bool


def _amounts(
    clause: Clause, names: Names, refers: Names, *, paid: bool
) -> Iterator[tuple[values.Value, str]]:
    """The amounts of a clause, each with "most" or "less" if it is a bound, else ""."""
    for found in _written(clause.text):
        if found.cap:
            if found.firm or _sizeable(found.value):
                yield found.value, found.cap
            continue
        stands = found.firm or _bare(found, names, refers)
        if stands and (clause.act is Act.PAYS or (found.firm and paid)):
            yield found.value, ""


@functools.lru_cache(maxsize=1024)
def _written(text: str) -> tuple[_Written, ...]:
    ready = number_context.prepare(text)
    found: list[_Written] = []
    for value in values.scan_prepared(ready):
        if value.kind != "amount" or Decimal(value.norm) <= 0:
            continue
        bound = _CAP.search(ready[max(0, value.start - _REACH) : value.start])
        cap = "less" if bound and bound["less"] else "most"
        after = _WORD_AFTER.match(ready, value.end)
        before = _WORD.findall(ready[max(0, value.start - _REACH) : value.start])
        found.append(
            _Written(
                value,
                cap if bound or _CAPPED.match(ready, value.end) else "",
                bool(value.currency or _GROUPED.search(ready[value.start : value.end])),
                before[-1].casefold() if before else "",
                bool(after and after[1] and after[1].casefold() not in _GOES_ON),
            )
        )
    return tuple(found)


def _sizeable(value: values.Value) -> bool:
    number = Decimal(value.norm)
    return number >= MIN_BARE and number not in _YEARS


def _bare(found: _Written, names: Names, refers: Names) -> bool:
    """Whether digits without a currency are money by the words around them: `pay 9000 to …`."""
    if found.counts:
        return False  # "pay 3 invoices"
    if found.word in PAY:
        return True
    known = found.word in _BEFORE or names(found.word)
    return known and _sizeable(found.value) and not refers(found.value.norm)


def _same_money(stated: str, called: str) -> bool:
    if stated == "USD" and called in _DOLLARS:
        return True  # "$" may be any of them; the documents tell which
    return numerals.same_currency(stated, called)
