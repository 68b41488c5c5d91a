"""What the agent supplied in one call, and whether a value was in it (gateway.md P-7, P-8).

Does not remember: memory/provenance keeps what was sent across calls.
"""

from __future__ import annotations

import bisect
import math
import re
from collections.abc import Iterable
from decimal import Decimal

from tripwire.text import fold, values
from tripwire.text.content import strings
from tripwire.text.decode import layers
from tripwire.text.paths import opened_json
from tripwire.text.values import Value

MAX_SCAN = 1 << 20
MAX_NUMBERS = 4096
_NUMBER = re.compile(r"(?<![\w.])\d{1,40}(?:\.\d{1,40})?(?!\w)")
_HEX = frozenset("0123456789abcdef")
_GRAM = 4
_COVERED = 0.9
_MIN_JOINED = 8
_MIN_INTEGER = 6
MAX_PAIRED = 16
"""Numbers of a call whose results are all computed beforehand."""

_LARGE = 10**15
_DIGITS = 18
_NEAR = 1e-9


class Sent:
    """The arguments of one call in all their readings."""

    __slots__ = (
        "_computed",
        "_grams",
        "_known",
        "_numbers",
        "_readings",
        "integers",
        "overflow",
        "text",
        "values",
        "words",
    )

    def __init__(self, args: object) -> None:
        plain = list(_texts(args))
        self._readings = list(_readings(plain))
        self.text = "\0".join(fold.normal(reading) for reading in self._readings)
        self.values: set[str] = set()
        self.words: set[str] = set()
        self.integers: set[int] = set()
        for reading in self._readings:
            self._take(reading)
        amounts = [key.partition(":")[2] for key in self.values if key.startswith("amount:")]
        # A formula is no amount to P-2, but a calculator reads it: "90000+9000".
        amounts += [n for text in plain for n in _NUMBER.findall(text)]
        self._numbers = [Decimal(text) for text in dict.fromkeys(amounts)]
        # What was not looked at may hold anything: such a call vouches for nothing (P-16).
        self.overflow = len(self._numbers) > MAX_NUMBERS or sum(map(len, plain)) > MAX_SCAN
        self._grams: set[str] | None = None
        self._known = frozenset(self._numbers)
        self._computed: list[float] | None = None

    def _take(self, reading: str) -> None:
        for value in values.leaf(reading):
            self.values.add(value.key)
            self._take_integer(value)
        self.words.update(words_of(reading))

    def _take_integer(self, value: Value) -> None:
        digits = value.norm.removeprefix("0x")
        if value.kind == "address" and len(digits) >= _MIN_INTEGER and _is_hex(digits):
            self.integers.add(int(digits, 16))
            if digits.isdecimal():
                self.integers.add(int(digits))
        elif value.kind in ("amount", "id") and digits.isdecimal() and len(digits) >= _MIN_INTEGER:
            self.integers.add(int(digits))

    def holds(self, value: Value) -> bool:
        """Whether the call was given this value, in whatever form or pieces, or computed it."""
        if self.overflow or value.key in self.values:
            return True
        if value.kind == "amount":
            return self._computes(value)
        if self.integers and _integer(value) in self.integers:
            return True
        form = fold.normal(value.norm)
        if not form or form in self.text:
            return True
        if len(form) < _MIN_JOINED:
            return False
        prefixed = value.kind == "address" and _is_hex(value.norm)
        return self._joins(form) or (prefixed and self._joins(fold.normal(f"0x{value.norm}")))

    def _joins(self, form: str) -> bool:
        """Nine tenths of the value are pieces of four and more characters of the arguments."""
        if self._grams is None:
            text = self.text[:MAX_SCAN]
            self._grams = {text[i : i + _GRAM] for i in range(len(text) - _GRAM + 1)}
        grams, bare, last = self._grams, 0, 0
        room = len(form) - _COVERED * len(form)
        for start in range(len(form) - _GRAM + 1):
            if form[start : start + _GRAM] in grams:
                last = start + _GRAM
            elif start >= last:
                bare += 1
                if bare > room:
                    return False
        return len(form) - max(last, len(form) - _GRAM + 1) + bare <= room

    def _computes(self, value: Value) -> bool:
        numbers = self._numbers
        if not numbers or not self._may_compute(value.norm):
            return False
        wanted = Decimal(value.norm)
        known = self._known
        if len(numbers) > 1 and wanted == sum(numbers):
            return True
        for one in numbers:
            if one == -wanted or wanted - one in known or one - wanted in known:
                return True
            if one and (wanted / one in known or (wanted and one / wanted in known)):
                return True
            if wanted * one in known:
                return True
        return False

    def _may_compute(self, norm: str) -> bool:
        """A quick look: whether anything computed comes near; True where that is not known."""
        if self._computed is None:
            self._computed = _computed(self._numbers)
        wanted = float(norm)
        if not self._computed or not math.isfinite(wanted):
            return True
        near = _NEAR * max(1.0, abs(wanted))
        at = bisect.bisect_left(self._computed, wanted - near)
        return at < len(self._computed) and self._computed[at] <= wanted + near


def _computed(numbers: list[Decimal]) -> list[float]:
    """Every result of two of these numbers, sorted; [] where a quick look would not be sure."""
    if len(numbers) > MAX_PAIRED or not all(
        one and abs(one) < _LARGE and len(one.as_tuple().digits) <= _DIGITS for one in numbers
    ):
        return []
    found = {float(sum(numbers)), *(float(-one) for one in numbers)}
    for one in numbers:
        for other in numbers:
            found.update(map(float, (one + other, one - other, one * other, one / other)))
    return sorted(found)


def words_of(text: str) -> Iterable[str]:
    """The folded words of a text, for asking whether a name was supplied."""
    return (
        fold.folded(text).casefold().replace("-", " ").replace("_", " ").replace(",", " ").split()
    )


def _texts(args: object) -> Iterable[str]:
    for text in strings(args):
        yield text
        opened = opened_json(text)
        if opened is not text:
            yield from strings(opened)


def _readings(plain: list[str]) -> Iterable[str]:
    """Each text as it stands; longer ones decoded and reversed as well, two rounds."""
    yield from plain
    joined = "\n".join(text for text in plain if len(text) >= _MIN_JOINED)
    if not joined:
        return
    for layer in layers(joined[:MAX_SCAN], depth=2):
        if layer.via:
            yield layer.text
    yield joined[:MAX_SCAN][::-1]


def _integer(value: Value) -> int | None:
    digits = value.norm.removeprefix("0x")
    if value.kind == "address" and _is_hex(digits):
        return int(digits, 16)
    if value.kind == "id" and digits.isdecimal() and len(digits) >= _MIN_INTEGER:
        return int(digits)
    return None


def _is_hex(digits: str) -> bool:
    return bool(digits) and _HEX.issuperset(digits)
