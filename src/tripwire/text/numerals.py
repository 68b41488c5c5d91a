"""Numbers as people write them: separators, signs, suffixes, currencies (gateway.md P-2 amounts).

Never a float. What two conventions read differently comes back as both readings, marked.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from decimal import Decimal

from tripwire.text.lexicon import lexicon

Comma = bool | None
"""How a document writes decimals: True with a comma, False with a point, None not told."""

GROUP = "\u066c"
"""Stands for a space or apostrophe between groups of digits once a text is prepared."""

MAX_DIGITS = 60
"""Longer runs of digits are no amounts."""

_MINUS = "-\u2212\u2012\u2013\ufe63\uff0d"
_NUMBER = re.compile(
    rf"(?P<sign>[{_MINUS}+])?(?P<body>[.,]?\d[\d.,{GROUP}]*+)(?P<suffix>bn|[kKmMB])?"
)
_SCALE = {"": 0, "k": 3, "K": 3, "m": 6, "M": 6, "bn": 9, "B": 9}
_COMMA_GROUPS = re.compile(r"\d{1,3}(?:,\d{2,3})*,\d{3}")
_DOT_GROUPS = re.compile(r"\d{1,3}(?:\.\d{3})+")
_MARK_GROUPS = re.compile(rf"\d{{1,3}}(?:{GROUP}\d{{3}})+")

COMMA_LOCALES = lexicon(
    "de fr es it pt nl pl sv da nb nn no fi ru uk cs sk hu ro bg hr sl sr el tr id vi et lv lt is "
    "ca gl eu be az kk"
)
"""Languages whose decimal separator is a comma; a region of these may differ (de-CH, es-MX)."""

_DOT_REGIONS = lexicon("CH LI MX US PR GT HN NI SV DO PA")


@dataclass(frozen=True, slots=True)
class Number:
    """The readings of one written number: one, or two where the separator does not tell."""

    readings: tuple[Decimal, ...]

    @property
    def ambiguous(self) -> bool:
        """Whether nothing tells the readings apart."""
        return len(self.readings) > 1


def decimal_comma(locale: str) -> bool | None:
    """Whether the locale writes decimals with a comma; None for no locale."""
    if not locale:
        return None
    parts = locale.replace("_", "-").split("-")
    region = next((p.upper() for p in parts[1:] if len(p) == 2), "")
    return parts[0].lower() in COMMA_LOCALES and region not in _DOT_REGIONS


def convention(text: str) -> Comma:
    """What a document itself shows: True for decimal commas, False for decimal points."""
    comma = point = False
    for written in _WRITTEN.findall(text):
        mark = written[-2] if written[-2] in ".," else written[-3:-2]
        if mark not in (".", ",") or written.count(mark) > 1:
            continue
        comma = comma or mark == ","
        point = point or mark == "."
    return comma if comma != point else None


_WRITTEN = re.compile(rf"\d[\d.,{GROUP}]*\d")


def parse(text: str, *, comma: Comma = None) -> Number | None:
    """`text` as a number; None if it is none. `comma`: decimals are written with a comma."""
    if text.isdecimal() and len(text) <= MAX_DIGITS:
        return Number((Decimal(int(text)),))
    found = _NUMBER.fullmatch(text)
    if found is None or len(text) > MAX_DIGITS:
        return None
    texts = _plain(found["body"].rstrip(",.") if found["suffix"] is None else found["body"], comma)
    if not texts or text[-1] in ",.":
        return None
    sign = -1 if found["sign"] and found["sign"] != "+" else 1
    scale = _SCALE[found["suffix"] or ""]
    values = tuple(sign * Decimal(t).scaleb(scale) for t in texts)
    return Number(tuple(dict.fromkeys(normal(v) for v in values)))


def normal(value: Decimal) -> Decimal:
    """One form for equal numbers: 12500.00 and 12500 are the same, and zero has no sign."""
    if not value:
        return Decimal(0)
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or exponent > MAX_DIGITS or exponent < -MAX_DIGITS:
        return value
    whole = value.to_integral_value()
    return whole if whole == value else value.normalize()


def key(value: Decimal) -> str:
    """The normal form as text, without an exponent where it is short."""
    if value == (
        whole := int(value) if value.is_finite() and value.adjusted() < MAX_DIGITS else -1
    ):
        return str(whole)
    exact = normal(value)
    if not exact.is_finite() or abs(exact.adjusted()) > MAX_DIGITS:
        return str(exact)
    return f"{exact:f}"


def _plain(body: str, comma: Comma) -> tuple[str, ...]:
    """The digits of `body` with a point for decimals, in each possible reading."""
    if GROUP in body:
        whole, mark, rest = _cut_decimals(body)
        if not _MARK_GROUPS.fullmatch(whole):
            return ()
        return (whole.replace(GROUP, "") + (f".{rest}" if mark else ""),)
    commas, dots = body.count(","), body.count(".")
    if not commas and not dots:
        return (body,)
    if commas and dots:
        return _mixed(body)
    if commas:
        return _commas(body, commas, comma)
    return _dots(body, dots, comma)


def _cut_decimals(body: str) -> tuple[str, str, str]:
    for mark in ".,":
        if body.count(mark) == 1:
            whole, _, rest = body.partition(mark)
            return whole, mark, rest
    return body, "", ""


def _mixed(body: str) -> tuple[str, ...]:
    last = max(body.rfind(","), body.rfind("."))
    mark, other = body[last], "." if body[last] == "," else ","
    whole, rest = body[:last], body[last + 1 :]
    if mark in whole or not rest:
        return ()
    groups = _COMMA_GROUPS if other == "," else _DOT_GROUPS
    return (f"{whole.replace(other, '')}.{rest}",) if groups.fullmatch(whole) else ()


def _commas(body: str, count: int, comma: Comma) -> tuple[str, ...]:
    grouped = _COMMA_GROUPS.fullmatch(body) and not body.startswith("0")
    if count > 1:
        return (body.replace(",", ""),) if grouped else ()
    if grouped and not comma:
        return (body.replace(",", ""),)
    return (body.replace(",", "."),) if not body.endswith(",") else ()


def _dots(body: str, count: int, comma: Comma) -> tuple[str, ...]:
    grouped = _DOT_GROUPS.fullmatch(body) and not body.startswith("0")
    if count > 1:
        return (body.replace(".", ""),) if grouped else ()
    if not grouped or comma is False:
        return (body,)
    joined = body.replace(".", "")
    return (joined,) if comma else (body, joined)


# ── currencies ───────────────────────────────────────────────────────────────────────────────

_ISO = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP "
    "BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP "
    "GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS "
    "KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR "
    "MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF "
    "SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD "
    "TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL "
    "BTC ETH USDC USDT DAI BUSD TUSD PYUSD EURC SOL XRP BNB ADA DOGE LTC BCH XMR DOT MATIC POL TRX "
    "AVAX WBTC WETH XLM TON USDE FRAX RLUSD"
)
CURRENCIES = frozenset(_ISO.split())
"""Codes of ISO 4217, and tokens that are paid with."""

_SIGNS = {
    "$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB",
    "₩": "KRW", "₺": "TRY", "₿": "BTC", "₴": "UAH", "₫": "VND", "₱": "PHP", "₦": "NGN", "₪": "ILS",
    "C$": "CAD", "CA$": "CAD", "A$": "AUD", "AU$": "AUD", "NZ$": "NZD", "HK$": "HKD", "S$": "SGD",
    "R$": "BRL", "MX$": "MXN", "NT$": "TWD", "CN¥": "CNY", "JP¥": "JPY", "Ξ": "ETH", "฿": "THB",
}  # fmt: skip
_NAMES = {
    "euro": "EUR", "euros": "EUR", "dollar": "USD", "dollars": "USD", "dólares": "USD",
    "pounds": "GBP", "pound": "GBP", "sterling": "GBP", "yen": "JPY", "yuan": "CNY", "rmb": "CNY",
    "元": "CNY", "人民币": "CNY", "円": "JPY", "원": "KRW", "руб": "RUB",
    "rupees": "INR", "rs": "INR", "रुपये": "INR", "zł": "PLN", "kč": "CZK", "francs": "CHF",
    "franken": "CHF", "bitcoin": "BTC", "ether": "ETH", "美元": "USD", "欧元": "EUR", "ドル": "USD",
    "ユーロ": "EUR", "fr": "CHF", "sfr": "CHF", "reais": "BRL", "грн": "UAH", "lei": "RON",
    "лв": "BGN", "₨": "INR",
    "kr": "KR", "kronor": "SEK", "kroner": "KR", "krona": "SEK", "krone": "KR", "krónur": "ISK",
    "рублей": "RUB", "гривень": "UAH", "złotych": "PLN", "zloty": "PLN", "korun": "CZK",
}  # fmt: skip
_SPELLED = {"Ft": "HUF", "TL": "TRY"}
"""Names that are other words in another case."""

_CROWNS = frozenset({"SEK", "NOK", "DKK", "ISK", "KR"})
"""What `kr` may stand for."""

_TOKENS = frozenset(_ISO[_ISO.index("BTC") :].split())
"""Tokens have more decimal digits than two."""

MINOR_DIGITS = {
    **dict.fromkeys(lexicon("JPY KRW VND CLP ISK UGX XAF XOF XPF PYG RWF KMF GNF DJF BIF VUV"), 0),
    **dict.fromkeys(lexicon("BHD IQD JOD KWD LYD OMR TND"), 3),
}
"""Decimal digits of currencies whose minor unit is not a hundredth (ISO 4217)."""


@functools.lru_cache(maxsize=8192)
def currency(word: str) -> str:
    """The code a word or sign stands for, "" if it is no currency."""
    bare = word.strip(" .:,;()")
    upper = bare.upper()
    if upper in CURRENCIES:
        return upper if bare == upper or len(bare) > 3 or bare.islower() else ""
    return _SIGNS.get(upper, "") or _SPELLED.get(bare, "") or _NAMES.get(bare.casefold(), "")


def same_currency(one: str, other: str) -> bool:
    """Whether two codes may mean the same money; a missing one may be any."""
    if not one or not other or one == other:
        return True
    return "KR" in (one, other) and one in _CROWNS and other in _CROWNS


def in_hundredths(code: str) -> bool:
    """Whether money of that currency is never written with three decimal digits (ISO 4217)."""
    return bool(code) and code not in _TOKENS and MINOR_DIGITS.get(code, 2) <= 2
