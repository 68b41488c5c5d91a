"""YAML 1.2 core scalars: what a word without quotes means. `no`, `on` and `0123` stay text."""

from __future__ import annotations

import re

from tripwire.config.node import Scalar

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = {
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,40})", re.ASCII)
_OCT = re.compile(r"0o[0-7]{1,40}", re.ASCII)
_HEX = re.compile(r"0x[0-9a-fA-F]{1,40}", re.ASCII)
_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]{1,40}|[0-9]{1,40}(?:\.[0-9]{0,40})?)(?:[eE][-+]?[0-9]{1,4})?", re.ASCII
)
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", re.ASCII)
_LONGEST = 90
_HAS_POINT = re.compile(r"[.eE]")


def resolve(text: str) -> Scalar:
    """The value of a plain scalar. A number with a leading zero is an id, so it stays text."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if len(text) > _LONGEST:
        return text
    if _INT.fullmatch(text):
        return int(text)
    if _OCT.fullmatch(text):
        return int(text, 0)
    if _HEX.fullmatch(text):
        return int(text, 0)
    if _NOT_FINITE.fullmatch(text):
        return float(text.replace(".", ""))
    if _FLOAT.fullmatch(text) and _HAS_POINT.search(text):
        return float(text)
    return text
