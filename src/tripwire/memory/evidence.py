"""Takes one result in: which of its values are evidence, of what trust (gateway.md P-7…P-13).

Linear in the result. Does not answer questions: memory/provenance does.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from tripwire.errors import NotCanonical
from tripwire.memory.hidden import hidden_values
from tripwire.memory.leaves import NO_MARKS, Leaf, Marks, Record, Walk
from tripwire.memory.records import identifies
from tripwire.memory.supplied import Sent, words_of
from tripwire.memory.value_index import Entry, Mark, Slot, ValueIndex, add_mark
from tripwire.model.event import ToolResult
from tripwire.model.label import Origin, Trust
from tripwire.model.policy import ToolOptions
from tripwire.text import canonical, content, fold, numerals, paths, shapes, values
from tripwire.text.lexicon import lexicon
from tripwire.text.values import Value

MAX_PROSE = 65_536
MAX_LINE = 240
_CURRENCY = lexicon("currency ccy currency_code currencycode asset token coin unit moneda")
_AMOUNT_FIELDS = ("amount", "total", "price", "sum", "due", "net", "gross", "betrag", "importe")
_WRITE_VERBS = lexicon(
    "create update set put add insert save store write draft send register delete"
)


class Evidence:
    """The learning of one result."""

    def __init__(  # noqa: PLR0917 - the facts of one result
        self,
        home: ValueIndex,
        event: ToolResult,
        receipt: int,
        trust: Trust,
        options: ToolOptions,
        effect: str,
        locale: str,
        sent: Sent,
    ) -> None:
        self.home = home
        self.event = event
        self.receipt = receipt
        self.trust = trust
        self.options = options
        self.sent = sent
        self.comma = numerals.decimal_comma(locale)
        self.writes = effect == "write" or (not effect and writes_by_name(event.tool))
        self.marks = marks_of(options)
        self.call = _call_key(event)
        self.seen: set[tuple[str, str]] = set()
        self.echoes: dict[str, bool] = {}
        self.aliasing: bool | None = None

    def take(self) -> None:
        """Everything the result says."""
        for document in content.documents(self.event.result):
            self.document(document)

    def document(self, document: object) -> None:
        """One text or JSON document of the result."""
        if self.trust < Trust.PLATFORM:
            self._hidden(document)
        for leaf in Walk(self.marks).leaves(document):
            for value in self._values(leaf):
                self._take(value, leaf)
        self.home.figures.learn(
            document,
            call=self.call,
            receipt=self.receipt,
            trust=Trust.WORLD if self.options.transforms else self.trust,
            comma=self.comma,
        )
        if self.trust >= Trust.PLATFORM and not self.options.transforms and not self.writes:
            self.home.records.learn(document, self.event.source)

    def _values(self, leaf: Leaf) -> Iterable[Value]:
        if isinstance(leaf.value, str):
            if leaf.is_key:
                found = values.whole(leaf.value, comma=self.comma)
                return (found,) if found is not None and found.kind != "amount" else ()
            return self._currencies(values.leaf(leaf.value, comma=self.comma, key=leaf.name), leaf)
        number = (
            values.number(leaf.value) if isinstance(leaf.value, int | float | Decimal) else None
        )
        if number is None:
            return ()
        return self._currencies([number, *_number_id(leaf)], leaf)

    def _currencies(self, found: list[Value], leaf: Leaf) -> list[Value]:
        """Amounts take the currency that their record names beside them."""
        if leaf.record is None or not any(v.kind == "amount" and not v.currency for v in found):
            return found
        code = numerals.currency(leaf.record.sibling(_CURRENCY))
        if not code:
            return found
        return [
            Value(v.kind, v.norm, code, v.ambiguous, v.start, v.end)
            if v.kind == "amount" and not v.currency
            else v
            for v in found
        ]

    def _take(self, value: Value, leaf: Leaf) -> None:
        place = (value.key, leaf.field)
        if place in self.seen:
            return
        self.seen.add(place)
        home = self.home
        entry = home.entries.get(value.key)
        if entry is None:
            entry = home.entries[value.key] = Entry()
        trust = self._trust(leaf)
        origin = Origin(
            self.receipt,
            self.event.source,
            self.event.exposed,
            trust,
            record=leaf.record.identity if leaf.record is not None else "",
            field=leaf.field,
        )
        if trust < Trust.PLATFORM and not self.options.transforms and not _held(entry):
            entry.untrusted_first = True
        if not self._may_stand(value, entry, leaf, trust):
            entry.derived = origin
            return
        marks = entry.granted if trust >= Trust.PLATFORM else entry.others
        mark = Mark(origin, self._slots(leaf), value.currency, value.ambiguous, leaf.record)
        if leaf.record is None and trust >= Trust.PLATFORM and isinstance(leaf.value, str):
            mark.record = _line_record(leaf.value, value)
        for slot in mark.slots:
            slot.receipt = max(slot.receipt, self.receipt)
        add_mark(marks, mark)
        if value.kind == "amount" and not value.ambiguous and _labelled(value, leaf):
            home.amounts.append((Decimal(value.norm), value.currency, trust))
        entry.first = entry.first or origin
        entry.total += 1
        if trust >= Trust.PLATFORM:
            tools = home.vouchers.setdefault(value.kind, {})
            tools.pop(self.event.exposed, None)
            tools[self.event.exposed] = None

    def _trust(self, leaf: Leaf) -> Trust:
        if leaf.marked is True:
            trust = max(self.trust, Trust.PLATFORM)
        elif leaf.marked is False:
            trust = min(self.trust, Trust.WORLD)
        else:
            trust = self.trust
        return min(trust, Trust.WORLD) if self.options.transforms else trust

    def _may_stand(self, value: Value, entry: Entry, leaf: Leaf, trust: Trust) -> bool:
        """Whether this occurrence is evidence: the table of P-9."""
        echoed = self._echoed(value)
        if trust < Trust.PLATFORM:
            return not echoed
        if any(mark.current for mark in entry.granted):
            return not echoed or self._independent(value, leaf.record)
        call = self.home.hard.get(value.key)
        hard = call is not None and call != self.event.call_id
        if hard or (entry.untrusted_first and echoed):
            return False
        if self._pieced(value) or self._aliases():
            return False
        if entry.untrusted_first or echoed or value.key in self.home.soft:
            return self._independent(value, leaf.record)
        return True

    def _pieced(self, value: Value) -> bool:
        """Whether earlier writes hold the value in two or more pieces."""
        return value.kind in ("address", "iban", "id") and self._split_known(value.norm)

    def _aliases(self) -> bool:
        """Whether a write was given a destination that only untrusted texts know.

        What it answers is a new name for that destination (create_payee → payee id).
        """
        if self.aliasing is None:
            index = self.home.entries
            self.aliasing = self.writes and any(
                key.startswith(("address:", "iban:", "email:", "phone:"))
                and (entry := index.get(key)) is not None
                and entry.untrusted_first
                and not entry.granted
                for key in self.sent.values
            )
        return self.aliasing

    def _split_known(self, norm: str) -> bool:
        words = self.home.hard_words
        if len(norm) < 12 or not words:
            return False
        form = norm.casefold()
        for start in (form, f"0x{form}"):
            for cut in range(4, len(start) - 3):
                if start[:cut] in words and start[cut:] in words:
                    return True
        return False

    def _echoed(self, value: Value) -> bool:
        known = self.echoes.get(value.key)
        if known is None:
            known = self.echoes[value.key] = bool(self.event.args) and self.sent.holds(value)
        return known

    def _independent(self, value: Value, record: Record | None) -> bool:
        """P-10: the record names itself by something the agent did not supply."""
        if record is None or self.writes or self.options.transforms:
            return False
        return any(
            identifies(name, text) and not self._supplied(text) and not _part_of(text, value.norm)
            for name, text in record.fields()
        )

    def _supplied(self, text: str) -> bool:
        form = fold.normal(text)
        if not form or form in self.sent.text:
            return True
        known = self.home.hard_words
        return all(word in known or word in self.sent.words for word in words_of(text))

    def _slots(self, leaf: Leaf) -> tuple[Slot, ...]:
        identity = leaf.record.identity if leaf.record is not None else ""
        name = leaf.field.rpartition("[*]")[2].removeprefix("$")
        found = []
        if identity:
            found.append(self.home.slot(f"{self.event.source}\0{identity}\0{name}"))
        if not identity or "[*]" not in leaf.field:
            found.append(self.home.slot(f"{self.call}\0{leaf.field}"))
        return tuple(found)

    def _hidden(self, document: object) -> None:
        """Values an untrusted text holds in disguise count as first seen untrusted."""
        for key in hidden_values("\n".join(content.strings(document))):
            entry = self.home.entries.setdefault(key, Entry())
            if not _held(entry):
                entry.untrusted_first = True


def writes_by_name(tool: str) -> bool:
    """Whether an unannotated tool's name says that it writes (P-12)."""
    spaced = "".join(f" {c.lower()}" if c.isupper() else c for c in tool)
    parts = spaced.replace("_", " ").replace("-", " ").replace(".", " ").split()
    return any(part in _WRITE_VERBS for part in parts)


def marks_of(options: ToolOptions) -> Marks:
    """The field options of a tool, parsed."""
    if not (options.trusted_fields or options.untrusted_fields or options.record_key):
        return NO_MARKS
    return Marks(
        tuple(paths.parse(p) for p in options.trusted_fields),
        tuple(paths.parse(p) for p in options.untrusted_fields),
        paths.parse(options.record_key) if options.record_key else None,
    )


def _line_record(text: str, value: Value) -> Record | None:
    """The line of a prose result that holds a value stands for its record."""
    if len(text) > MAX_PROSE or value.kind not in (
        "address",
        "iban",
        "email",
        "id",
        "url",
        "phone",
    ):
        return None
    ready = values.prepare(text)
    start = ready.rfind("\n", 0, value.start) + 1
    end = ready.find("\n", value.end)
    line = ready[start : end if end >= 0 else len(ready)]
    return Record(({"text": line},)) if len(line) <= MAX_LINE else None


def _labelled(value: Value, leaf: Leaf) -> bool:
    name = leaf.name.casefold()
    return bool(value.currency) or any(word in name for word in _AMOUNT_FIELDS)


def _call_key(event: ToolResult) -> str:
    try:
        args = canonical.digest(dict(event.args))
    except NotCanonical:
        args = repr(sorted(event.args.items(), key=lambda pair: pair[0]))
    return f"{event.source}\0{event.tool}\0{args}"


def _number_id(leaf: Leaf) -> list[Value]:
    """A whole number in a field like `account` or `id` is an identifier as well."""
    if isinstance(leaf.value, int) and shapes.labelled_key(leaf.name):
        return [Value("id", str(leaf.value))]
    return []


def _held(entry: Entry) -> bool:
    return bool(entry.granted)


def _part_of(text: str, norm: str) -> bool:
    form = fold.normal(text)
    return form in fold.normal(norm) or fold.normal(norm) in form
