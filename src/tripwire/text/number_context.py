"""What stands around a number in a text, and what it says: money, an id, a day, a place (P-2).

Joins groups of digits that only a space keeps apart. Does not read the number: text/numerals does.
"""

from __future__ import annotations

import re
import unicodedata

from tripwire.text import numerals, shapes
from tripwire.text.lexicon import lexicon
from tripwire.text.numerals import GROUP

_GROUP_GAP = re.compile(r"(?<=\d)(?:[\u00a0\u202f\u2009\u2007\u2008]|['’])(?=\d{3}(?!\d))")
_SPACE_GROUPS = re.compile(r"(?<![\w.,/#-])(?<!\d )\d{1,3}(?: \d{3}){1,4}(?! ?\d)(?![\w/#-])")
_DECIMALS = re.compile(r"[.,]\d{1,2}(?!\d)")
_LABEL_ENDS = re.compile(r"(?:^|[:=])[ \t]*\Z")
_LONGEST_BARE = len("123 456 789")
_PER_UNIT = re.compile(r" ?[^\s/]{0,4}/\w")
_LINE_ENDS = re.compile(r"[.;]?[ \t]*(?:[\r\n]|\Z)")
_DIGIT_GAP = re.compile(r"\d \d{3}")
_CUR_AFTER = re.compile(r"[ \t\u00a0]?([^\W\d_]{1,8}|[€$£¥₹₽₩₺₿₴₫₱₦₪Ξ฿])(?![\w-])")
_LABELS = lexicon(
    "invoice invoices inv rechnung facture factura fattura no nr num number numbers order account "
    "acct a/c konto compte cuenta ref reference po id customer client ticket case iban bic zip plz "
    "postcode postal room page version step section chapter line port № 號 号 編號 счет заказ"
)
"""Words after which bare digits identify and do not count."""

_WORD_AFTER = re.compile(r"(?:st|nd|rd|th|\.)? (?:de |of )?([^\W\d_]{3,10})")
_TOWN = re.compile(
    r" [^\W\d_a-z][^\W\d_A-Z]{2,20}(?:[ -][^\W\d_a-z][^\W\d_A-Z]{1,20}){0,2}"
    r"[.,;]?[ \t]*(?:[\r\n,]|\Z)"
)
_STREET_ENDS = re.compile(r"(?:^|[\r\n,])[ \t]*\Z")
_STATES = lexicon(
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM "
    "NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR"
)
_MONTH_DAY = re.compile(r"[^\W\d_]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? $")
_DASHED = re.compile(r"[.,:][-\u2013\u2014]{1,2}")


def prepare(text: str) -> str:
    """NFKC, with spaces and apostrophes between groups of digits made unmistakable."""
    if "'" in text or "’" in text or not text.isascii():
        text = _GROUP_GAP.sub(GROUP, text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if _DIGIT_GAP.search(text) is None:
        return text
    return _SPACE_GROUPS.sub(_joined, text)


def _joined(found: re.Match[str]) -> str:
    """Groups of digits are one number where money or a label stands beside them."""
    text, (start, end) = found.string, found.span()
    if (
        _DECIMALS.match(text, end)
        or _DASHED.match(text, end)
        or _currency_at(text, end)
        or numerals.currency(word_before(text, start))
        or (
            end - start <= _LONGEST_BARE
            and _LINE_ENDS.match(text, end)
            and _LABEL_ENDS.search(text[max(0, start - 8) : start])
        )
    ):
        return found[0].replace(" ", GROUP)
    return found[0]


def _currency_at(text: str, end: int) -> str:
    """The currency that follows a number, "" for none."""
    after = _CUR_AFTER.match(text, end)
    return numerals.currency(after[1]) if after is not None else ""


def beside(text: str, end: int, before: str) -> str:
    """The currency after a number that ends there, else that of the word before it; "" for none."""
    return _currency_at(text, end) or (numerals.currency(before) if before else "")


def point_groups(text: str, end: int, digits: str, code: str) -> bool:
    """Whether the point of `12.500 €` groups: no such money is written with three decimals."""
    return (
        digits[-1].isdecimal()
        and numerals.in_hundredths(code)
        and _PER_UNIT.match(text, end) is None
    )


def word_before(text: str, start: int) -> str:
    """The word before a position, on the same line, without its punctuation; "" for none."""
    line = text[max(0, start - 20) : start]
    cut = line.rfind("\n")
    for word in reversed(line[cut + 1 :].split()):
        if bare := word.strip(".:#,;=*_-–([\"'"):
            return bare
    return ""


def identifies(word: str, key: str) -> bool:
    """Whether the word before bare digits, or their field, says that they name something."""
    return word.casefold() in _LABELS or shapes.labelled_key(key)


def not_money(text: str, end: int, digits: str, before: str, ahead: str) -> bool:
    """Digits that name a day, a year in words, a postal town, or are padded with zeros."""
    if any(mark in digits for mark in f",.{GROUP}kKmM"):
        return False
    if len(digits) > 1 and digits[0] == "0":
        return True
    if shapes.month(before) or (before[:-2].isdecimal() and before[-2:].isalpha()):
        return True
    if len(digits) <= 2:
        after = _WORD_AFTER.match(text, end)
        return after is not None and bool(shapes.month(after[1]))
    if 4 <= len(digits) <= 6 and _postal(text, end, digits, before, ahead):
        return True
    # "June 15, 2026": the year follows a day that follows a month.
    return len(digits) == 4 and before.isdecimal() and bool(_MONTH_DAY.search(ahead))


def _postal(text: str, end: int, digits: str, before: str, ahead: str) -> bool:
    """`90210 Beverly Hills` and `Beverly Hills, CA 90210`, as the line of an address has them."""
    if before in _STATES and len(digits) == 5:
        return True
    return bool(_TOWN.match(text, end)) and bool(_STREET_ENDS.search(ahead))


def bracketed(text: str, start: int, end: int) -> bool:
    """Accountants write −1,234.56 as (1,234.56)."""
    inside = text[start:end]
    return text[start - 1 : start] == "(" and text[end : end + 1] == ")" and inside[-3:-2] == "."
