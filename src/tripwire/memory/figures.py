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
from tripwire.text import numerals, values
from tripwire.text.paths import opened_json

MAX_PER_KEY = 256
MAX_DOCUMENT = 1 << 20
_REFERENCE_FIELD = re.compile(
    r"(?:^|_)(?:id|ref|reference|po|order|invoice|number|no|nr|bill|case|ticket|contract)s?(?:_?(?:id|no|nr|number|ref))?$",
    re.IGNORECASE,
)
_CURRENCY_FIELD = frozenset("currency ccy currency_code asset token coin".split())
_HEADING = re.compile(
    r"invoice|rechnung|facture|factura|fattura|faktura|bill\b|счет|發票|发票|請求書|청구서", re.I
)
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
        return self.kind in ("due", "total")


def reference(text: str) -> str:
    """The folded form of a reference: `#7741`, `INV-7741` → `7741`, `inv-7741`."""
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
        self, document: object, *, call: str, receipt: int, trust: Trust, comma: bool | None
    ) -> None:
        """Take in the figures of a document; a newer result of the same call replaces an older."""
        held = self.by_call.get(call, [])
        old = [f for f in held if f.receipt != receipt]
        if old:
            self._forget(call)
            held = []
        found = list(_figures(document, receipt, trust, comma))
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


def _figures(document: object, receipt: int, trust: Trust, comma: bool | None) -> Iterator[Figure]:  # noqa: FBT001
    opened = opened_json(document)
    if isinstance(opened, str):
        yield from _of_text(opened, receipt, trust, comma)
    elif isinstance(opened, dict | list):
        yield from _of_json(opened, receipt, trust, comma, frozenset(), 64)


# ── prose ────────────────────────────────────────────────────────────────────────────────────


def _of_text(text: str, receipt: int, trust: Trust, comma: bool | None) -> Iterator[Figure]:  # noqa: FBT001
    if len(text) > MAX_DOCUMENT or not due_words.may_label(text):
        return
    ready = values.prepare(text)
    if comma is None:
        comma = numerals.convention(ready)
    words = frozenset(name_words(text))
    every: frozenset[str] = frozenset()
    heading: frozenset[str] = frozenset()
    rows: list[tuple[str, values.Value, frozenset[str]]] = []
    for line in ready.splitlines():
        found = values.scan_prepared(line, comma=comma)
        names = frozenset(reference(v.norm) for v in found if v.kind == "id" and len(v.norm) <= 40)
        amounts = [v for v in found if v.kind == "amount" and not v.ambiguous]
        if names:
            every |= names
            heading = names if _HEADING.search(line) else heading | names
        for value in amounts:
            kind = _label(line, value, found)
            if kind:
                rows.append((kind, value, names or heading))
    firm = any(kind == "due" for kind, _, _ in rows)
    for kind, value, names in rows:
        if kind == "total" and firm:
            continue
        yield Figure(
            Decimal(value.norm), value.currency, kind, names or every, words, trust, receipt
        )


def _label(line: str, value: values.Value, found: list[values.Value]) -> str:
    """What the words before an amount, or after it where none are before, say of it."""
    before = max((v.end for v in found if v.kind == "amount" and v.end <= value.start), default=0)
    after = min(
        (v.start for v in found if v.kind == "amount" and v.start >= value.end), default=len(line)
    )
    return due_words.kind_of(line[before : value.start]) or due_words.kind_of(
        line[value.end : after]
    )


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────


def _of_json(
    value: object,
    receipt: int,
    trust: Trust,
    comma: bool | None,  # noqa: FBT001
    outer: frozenset[str],
    depth: int,
) -> Iterator[Figure]:
    if depth <= 0:
        return
    if isinstance(value, list):
        for item in value:
            yield from _of_json(opened_json(item), receipt, trust, comma, outer, depth - 1)
        return
    if not isinstance(value, dict):
        if isinstance(value, str) and len(value) > 12:
            yield from _of_text(value, receipt, trust, comma)
        return
    names = outer | _record_references(value)
    code = next(
        (
            numerals.currency(v)
            for k, v in value.items()
            if k.casefold() in _CURRENCY_FIELD and isinstance(v, str)
        ),
        "",
    )
    words = frozenset(
        w for v in value.values() if isinstance(v, str) and len(v) <= 200 for w in name_words(v)
    )
    rows = [(k, a) for k, v in value.items() for a in _amounts(v, comma)]
    firm = any(due_words.kind_of(k) == "due" for k, _ in rows)
    for key, amount in rows:
        kind = due_words.kind_of(key) or ("total" if key.casefold() == "amount" and names else "")
        if kind and not (kind == "total" and firm):
            yield Figure(
                Decimal(amount.norm), amount.currency or code, kind, names, words, trust, receipt
            )
    for key, item in value.items():
        opened = opened_json(item)
        if isinstance(opened, dict | list) or (
            isinstance(opened, str) and not _amounts(opened, comma)
        ):
            yield from _of_json(opened, receipt, trust, comma, names, depth - 1)


def _amounts(value: object, comma: bool | None) -> list[values.Value]:  # noqa: FBT001
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
