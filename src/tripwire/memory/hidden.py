"""Addresses that a text holds in disguise: spaced, split, encoded, reversed (gateway.md P-7, P-9).

Such a form is no evidence of the value; it only tells that an untrusted text held it first.
"""

from __future__ import annotations

import re

import re2

from tripwire.text import fold, shapes, values
from tripwire.text.decode import layers
from tripwire.text.well_formed import well_formed

MAX_SCAN = 1 << 18
_HEX40 = re.compile(r"0x([0-9a-f]{40})(?![0-9a-f])")
_TURNED = re.compile(r"(?<![0-9a-f])([0-9a-f]{40})x0")
_IBAN_DIGITS = re.compile(r"(?<=[a-z]{2})[0-9]{2}(?=[a-z0-9]{11})")
_CODED = re2.compile(
    r"[A-Za-z0-9+/_]{20,}|(?:%[0-9A-Fa-f]{2}){4}|(?:&#x?\w{1,6};){3}|(?:\\[ux][0-9A-Fa-f]{2,4}){3}"
    r"|(?:[0-9A-Fa-f]{2}[ :]){12}"
)
_PLAIN_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]{40}|(?:0x)?[0-9a-fA-F]{64}|[a-z_]+|[A-Z_]+")
_KINDS = ("address", "iban", "email")


def hidden_values(text: str) -> set[str]:
    """Keys of the values that a reader could put together from `text`."""
    if len(text) < 15:
        return set()
    text = text[:MAX_SCAN]
    found = set(_squeezed(text))
    if any(not _PLAIN_HEX.fullmatch(run) for run in _CODED.findall(well_formed(text))):
        for layer in layers(text, depth=2):
            if layer.via:
                found.update(_squeezed(layer.text))
                found.update(v.key for v in values.scan(layer.text) if v.kind in _KINDS)
    return found


def _squeezed(text: str) -> list[str]:
    plain = fold.squeeze(fold.folded(text))
    found = []
    if "0x" in plain or "x0" in plain:
        found += [f"address:{hit}" for hit in _HEX40.findall(plain)]
        found += [f"address:{hit[::-1]}" for hit in _TURNED.findall(plain)]
    if " " in text or "-" in text or "\n" in text:
        found += _ibans(plain)
    return found


def _ibans(plain: str) -> list[str]:
    found = []
    for digits in _IBAN_DIGITS.finditer(plain):
        start = digits.start() - 2
        country = plain[start : start + 2].upper()
        length = _LENGTHS.get(country, 0)
        hit = plain[start : start + length].upper()
        if length and len(hit) == length and shapes.iban_valid(hit):
            found.append(f"iban:{hit}")
    return found


_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22,
    "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28,
    "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23,
    "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26,
    "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20,
    "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30,
    "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22,
    "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28,
    "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip
