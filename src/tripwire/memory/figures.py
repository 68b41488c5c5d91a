"""Figures that documents call due, a part, a balance, and what they are bound to (gateway.md C-9).

A figure is bound to the references of its line, else of the heading above it, else of its
document; JSON figures to the ids of their record. Does not judge an amount: act/offline does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from tripwire.memory import due_words
from tripwire.memory.records import name_words
from tripwire.model.label import Trust
from tripwire.text import number_context, numerals, values
from tripwire.text.lexicon import lexicon
from tripwire.text.numerals import Comma
from tripwire.text.paths import opened_json

MAX_PER_KEY = 256
MAX_NAME = 200
MIN_PROSE = 12
MAX_DOCUMENT = 1 << 20
_REFERENCE_FIELD = re.compile(
    r"(?:^|_)(?:id|ref|reference|po|order|invoice|number|no|nr|bill|case|ticket|contract)s?(?:_?(?:id|no|nr|number|ref))?$",
    re.IGNORECASE,
)
_CURRENCY_FIELD = lexicon("currency ccy currency_code asset token coin")
_HEADING = re.compile(
    r"invoice|rechnung|facture|factura|fattura|faktura|bill\b|счет|發票|发票|請求書|청구서",
    re.IGNORECASE,
)
MAX_COUNT = len("12/24")
_COUNTED = re.compile(r"\d{1,2}(?:/\d{1,2}|st|nd|rd|th|er|re|e|o|a|º|ª|ème|ère)")
_OF_SOME = re.compile(
    r" ?(?:of|von|de|di|sur|van|av|af|z|из|/) ?\d{1,2}(?![\d.,])|\. (?:Rate|Teil|Abschlag)",
    re.IGNORECASE,
)
_OF_ALL = re.compile(r"\d ?(?:of|von|de|di|sur|van|av|af|z|из|/) ?$")
_TAIL = re.compile(r"\d+$")


@dataclass(frozen=True, slots=True)
class Figure:
    """One labelled amount. `references` are folded; `words` are those of its whole document."""

    amount: Decimal
    currency: str
    kind: str
    references: frozenset[str]
    words: frozenset[str]
    trust: Trust
    receipt: int

    @property
    def due(self) -> bool:
        """Whether it states what is to be paid."""
        return self.kind in ("due", "total", "instalment")


def reference(text: str) -> str:
    """The folded form of a reference: `#345`, `INV-345` → `345`, `inv-345`."""
    return text.strip().lstrip("#").strip("().,:;").casefold()


def same_reference(one: str, other: str) -> bool:
    """Whether two references may name the same thing: `#551` and `ORD-551` do."""
    if one == other:
        return True
    a, b = _TAIL.search(one), _TAIL.search(other)
    if a is None or b is None or a[0] != b[0] or len(a[0]) < 2:
        return False
    return a[0] in (one, other)


def references_of(text: str) -> list[str]:
    """The references a text names: ids, and bare numbers after words such as invoice."""
    return [reference(v.norm) for v in values.scan(text) if v.kind == "id" and len(v.norm) <= 40]


@dataclass(slots=True)
class Figures:
    """Figures by the digits of their reference, and all of them."""

    by_call: dict[str, list[Figure]] = field(default_factory=dict)
    by_reference: dict[str, set[str]] = field(default_factory=dict)

    by_amount: dict[str, set[str]] = field(default_factory=dict)
    due_calls: int = 0

    def learn(
        self, document: object, *, call: str, receipt: int, trust: Trust, comma: Comma
    ) -> None:
        """Take in the figures of a document; a newer result of the same call replaces an older."""
        held = self.by_call.get(call, [])
        old = [f for f in held if f.receipt != receipt]
        if old:
            self._forget(call)
            held = []
        better = {(f.amount, f.kind, f.references) for f in held if f.trust > trust}
        found = [
            f
            for f in _figures(document, receipt, trust, comma)
            if (f.amount, f.kind, f.references) not in better
        ]
        if not found:
            return
        self.by_call[call] = [*held, *found]
        if not any(f.due for f in held) and any(f.due for f in found):
            self.due_calls += 1
        for figure in found:
            self.by_amount.setdefault(numerals.key(figure.amount), set()).add(call)
            for name in figure.references:
                self.by_reference.setdefault(_tail(name), set()).add(call)

    def _forget(self, call: str) -> None:
        gone = self.by_call.pop(call, [])
        if any(f.due for f in gone):
            self.due_calls -= 1
        for figure in gone:
            self.by_amount.get(numerals.key(figure.amount), set()).discard(call)
            for name in figure.references:
                self.by_reference.get(_tail(name), set()).discard(call)

    def bound_to(self, names: frozenset[str]) -> list[Figure]:
        """Figures bound to one of these references."""
        calls = {c for name in names for c in self.by_reference.get(_tail(name), ())}
        return [
            f
            for call in sorted(calls)[:MAX_PER_KEY]
            for f in self.by_call.get(call, ())
            if any(same_reference(name, held) for name in names for held in f.references)
        ]

    def of_amount(self, amount: Decimal) -> list[Figure]:
        """Figures that state exactly this amount."""
        calls = sorted(self.by_amount.get(numerals.key(amount), ()))[:MAX_PER_KEY]
        return [f for call in calls for f in self.by_call.get(call, ()) if f.amount == amount]

    @property
    def any_due(self) -> bool:
        """Whether any document states a figure to be paid."""
        return self.due_calls > 0

    def snapshot(self) -> object:
        """A comparable copy."""
        return {call: tuple(held) for call, held in self.by_call.items()}


def _tail(name: str) -> str:
    found = _TAIL.search(name)
    return found[0] if found else name


def _figures(document: object, receipt: int, trust: Trust, comma: Comma) -> Iterator[Figure]:
    opened = opened_json(document)
    if isinstance(opened, str):
        yield from _of_text(opened, receipt, trust, comma)
    elif isinstance(opened, dict | list):
        objects = _Objects(receipt, trust, comma)
        objects.walk(opened, (), 64)
        yield from objects.found


# ── prose ────────────────────────────────────────────────────────────────────────────────────


def _of_text(text: str, receipt: int, trust: Trust, comma: Comma) -> Iterator[Figure]:
    if text.isascii() and not values.may_hold(text):
        return  # other texts may hold a digit that only NFKC shows
    if len(text) > MAX_DOCUMENT or not due_words.may_label(text):
        return
    ready = number_context.prepare(text)
    if not due_words.labels_a_number(ready):
        return
    if comma is None:
        comma = numerals.convention(ready)
    every: frozenset[str] = frozenset()
    heading: frozenset[str] = frozenset()
    rows: list[tuple[str, values.Value, frozenset[str]]] = []
    for start, end, every_value in _lines(ready, comma):
        found = [v for v in every_value if len(v.norm) > MAX_COUNT or not _counts(ready, v)]
        names = frozenset(reference(v.norm) for v in found if v.kind == "id" and len(v.norm) <= 40)
        if names:
            every |= names
            heading = names if _HEADING.search(ready, start, end) else heading | names
        for value in found:
            if value.kind != "amount" or value.ambiguous:
                continue
            kind = _label(ready, start, end, value, found)
            if kind:
                rows.append((kind, value, names or heading))
    firm = any(kind == "due" for kind, _, _ in rows)
    words = frozenset(name_words(text)) if rows else frozenset()
    for kind, value, names in rows:
        if kind == "total" and firm:
            continue
        yield Figure(
            Decimal(value.norm), value.currency, kind, names or every, words, trust, receipt
        )


def _counts(ready: str, value: values.Value) -> bool:
    """Whether a value is a part of `1 of 3` or `1/3`: it says which instalment, not how much."""
    if value.kind == "id":
        ahead = ready[max(0, value.start - 20) : value.start].rstrip("# ")
        numbered = value.norm.isdecimal() and due_words.ends_in_part(ahead)
        return numbered or _COUNTED.fullmatch(value.norm) is not None
    if value.currency or not value.norm.isdecimal():
        return False
    return bool(
        due_words.begins_with_part(ready[value.end : value.end + 24])
        or _OF_SOME.match(ready, value.end)
        or _OF_ALL.search(ready, max(0, value.start - 8), value.start)
    )


def _lines(ready: str, comma: Comma) -> Iterator[tuple[int, int, list[values.Value]]]:
    """Start, end and values of each line that holds any."""
    lines = ready.splitlines(keepends=True)
    # Where the text as a whole does not tell how it writes decimals, each line speaks for itself.
    breaks = ready.count("\n") + (not ready.endswith("\n"))
    whole = comma is not None and len(lines) == breaks
    rest = values.scan_prepared(ready, comma=comma) if whole else []
    at = position = 0
    for line in lines:
        end = at + len(line)
        if whole:
            first = position
            while position < len(rest) and rest[position].start < end:
                position += 1
            found = rest[first:position]
        else:
            found = _moved(values.scan_prepared(line, comma=comma), at)
        if found:
            yield at, at + len(line.rstrip("\r\n")), found
        at = end


def _moved(found: list[values.Value], by: int) -> list[values.Value]:
    return [v._replace(start=v.start + by, end=v.end + by) for v in found]


def _label(text: str, start: int, end: int, value: values.Value, found: list[values.Value]) -> str:
    """What the words before an amount, or after it where none are before, say of it."""
    before, after = start, end
    for other in found:
        if other.kind == "amount":
            if other.end <= value.start:
                before = max(before, other.end)
            elif other.start >= value.end:
                after = min(after, other.start)
    return due_words.kind_of(text[before : value.start]) or due_words.kind_of(
        text[value.end : after]
    )


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────


class _Objects:
    """The labelled figures of one JSON document."""

    def __init__(self, receipt: int, trust: Trust, comma: Comma) -> None:
        self.receipt = receipt
        self.trust = trust
        self.comma = comma
        self.found: list[Figure] = []
        self.around: tuple[tuple[dict[str, object], ...], frozenset[str]] = ((), frozenset())

    def _outer_words(self, outer: tuple[dict[str, object], ...]) -> frozenset[str]:
        """The words of the objects around; items of one list ask for the same."""
        held, words = self.around
        if len(held) != len(outer) or any(a is not b for a, b in zip(held, outer, strict=True)):
            words = frozenset(w for level in outer for w in _words_of(level))
            self.around = (outer, words)
        return words

    def walk(
        self, value: object, outer: tuple[dict[str, object], ...], depth: int, *, part: bool = False
    ) -> None:
        """Collect the figures of a value; `outer` are the objects around it, innermost first.

        `part`: it stands under a field such as `instalments`.
        """
        if depth <= 0:
            return
        if isinstance(value, list):
            for item in value:
                self.walk(opened_json(item), outer, depth - 1, part=part)
        elif isinstance(value, dict):
            self._object(value, outer, part=part)
            for key, item in value.items():
                if isinstance(item, dict | list) or (
                    isinstance(item, str) and (len(item) > MIN_PROSE or "{" in item or "[" in item)
                ):
                    below = part or due_words.kind_of(key) in ("part", "instalment")
                    self.walk(opened_json(item), (value, *outer), depth - 1, part=below)
        elif isinstance(value, str) and len(value) > MIN_PROSE:
            self.found.extend(_of_text(value, self.receipt, self.trust, self.comma))

    def _object(
        self, value: dict[str, object], outer: tuple[dict[str, object], ...], *, part: bool
    ) -> None:
        rows = [
            (kind, a)
            for k, v in value.items()
            if not isinstance(v, dict | list) and (kind := due_words.kind_of(k) or _plain_amount(k))
            for a in _amounts(v, self.comma)
        ]
        if not rows:
            return
        chain = (value, *outer)
        names = frozenset(name for level in chain for name in _record_references(level))
        code = next((c for level in chain if (c := _currency_of(level))), "")
        words = frozenset(_words_of(value)) | self._outer_words(outer)
        firm = any(kind == "due" for kind, _ in rows)
        for kind, amount in rows:
            if (kind == "amount" and (firm or not names)) or (kind == "total" and firm):
                continue
            named = "total" if kind == "amount" else kind
            self.found.append(
                Figure(
                    Decimal(amount.norm),
                    amount.currency or code,
                    "instalment" if part and named in ("due", "total") else named,
                    names,
                    words,
                    self.trust,
                    self.receipt,
                )
            )


def _plain_amount(key: str) -> str:
    """A bare `amount` states what its record asks for, if the record has a reference."""
    return "amount" if key.casefold() == "amount" else ""


def _currency_of(level: dict[str, object]) -> str:
    for key, item in level.items():
        if isinstance(item, str) and key.casefold() in _CURRENCY_FIELD:
            return numerals.currency(item)
    return ""


def _words_of(level: dict[str, object]) -> Iterator[str]:
    for item in level.values():
        if isinstance(item, str) and len(item) <= MAX_NAME:
            yield from name_words(item)


def _amounts(value: object, comma: Comma) -> list[values.Value]:
    if isinstance(value, bool):
        return []
    if isinstance(value, int | float | Decimal):
        found = values.number(value)
        return [found] if found is not None else []
    if isinstance(value, str) and len(value) <= 40 and any(c.isdecimal() for c in value):
        read = values.amount(value, comma=comma)
        return list(read) if len(read) == 1 else []
    return []


def _record_references(value: dict[str, object]) -> frozenset[str]:
    found: set[str] = set()
    for key, item in value.items():
        if not _REFERENCE_FIELD.search(key) or isinstance(item, bool):
            continue
        if isinstance(item, str) and len(item) <= 40:
            found.update(
                references_of(item) or ([reference(item)] if item.strip().isdecimal() else [])
            )
        elif isinstance(item, int):
            found.add(str(item))
    return frozenset(found)
