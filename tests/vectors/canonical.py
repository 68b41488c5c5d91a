"""The kinds of canonical.json: RFC 8785 texts, and its number form by IEEE 754 bits.

`canonical`: `given.json` (JSON text, parsed here) or `given.value` → `expect.canonical` (text),
`expect.sha256` of its UTF-8 bytes, or `expect.error`. `number`: `given.ieee` (16 hex digits of a
double) → `expect.canonical` or `expect.error`.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

from tripwire.errors import NotCanonical
from tripwire.text.canonical import canonical_bytes, digest


def check(case: Mapping[str, Any]) -> str:
    """Why the case fails, or nothing."""
    value = KINDS[case["kind"]](case["given"])
    expect = case["expect"]
    try:
        found = canonical_bytes(value).decode("utf-8")
    except NotCanonical:
        return "" if expect.get("error") else "refused"
    if expect.get("error"):
        return f"written as {found!r}"
    if found != expect["canonical"]:
        return f"written as {found!r}, not {expect['canonical']!r}"
    if "sha256" in expect and digest(value) != expect["sha256"]:
        return f"digest {digest(value)}"
    again = canonical_bytes(json.loads(found)).decode("utf-8")
    return "" if again == found else f"not stable: {again!r}"


def _value(given: Mapping[str, Any]) -> object:
    return json.loads(given["json"]) if "json" in given else given["value"]


def _number(given: Mapping[str, Any]) -> object:
    return struct.unpack(">d", bytes.fromhex(given["ieee"]))[0]


KINDS = {"canonical": _value, "number": _number}
