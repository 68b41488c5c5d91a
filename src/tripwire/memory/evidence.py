"""Takes one result in: which of its values are evidence, of what trust (gateway.md P-7…P-13).

Linear in the result. Does not answer questions: memory/provenance does.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from tripwire.errors import NotCanonical
from tripwire.memory.hidden import hidden_values
from tripwire.memory.leaves import NO_MARKS, Leaf, Marks, Record, Walk, without_untrusted
from tripwire.memory.records import identifies
from tripwire.memory.supplied import Sent, words_of
from tripwire.memory.value_index import HEAD, Entry, Mark, Slot, ValueIndex, added
from tripwire.model.event import ToolResult
from tripwire.model.label import Origin, Trust
from tripwire.model.policy import ToolOptions
from tripwire.text import canonical, content, fold, number_context, numerals, paths, shapes, values
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
        self.seen: dict[str, set[str]] = {}
        """Field → the values it was seen to hold."""
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
            found = self._values(leaf)
            if found:
                _Place(self, leaf).take(found)
        own = without_untrusted(document, self.marks) if self.trust >= Trust.PLATFORM else document
        self._figures(own, Trust.WORLD if self.options.transforms else self.trust)
        if own is not document:
            self._figures(document, Trust.WORLD)
        if self.trust >= Trust.PLATFORM and not self.options.transforms and not self.writes:
            self.home.records.learn(own, self.event.source)

    def _figures(self, document: object, trust: Trust) -> None:
        self.home.figures.learn(
            document, call=self.call, receipt=self.receipt, trust=trust, comma=self.comma
        )

    def _values(self, leaf: Leaf) -> Sequence[Value]:
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
        if isinstance(leaf.value, int) and shapes.labelled_key(leaf.name):
            # A whole number in a field like `account` or `zip` names something.
            return [Value("id", str(leaf.value))]
        return self._currencies([number], leaf)

    def _currencies(self, found: list[Value], leaf: Leaf) -> list[Value]:
        """Amounts take the currency that their record names beside them."""
        if leaf.record is None:
            return found
        for value in found:
            if value.kind == "amount" and not value.currency:
                break
        else:
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

    def trust_of(self, leaf: Leaf) -> Trust:
        """The trust of one field: its own mark counts before that of the upstream."""
        if leaf.marked is True:
            trust = max(self.trust, Trust.PLATFORM)
        elif leaf.marked is False:
            trust = min(self.trust, Trust.WORLD)
        else:
            trust = self.trust
        return min(trust, Trust.WORLD) if self.options.transforms else trust

    def may_stand(self, value: Value, entry: Entry, leaf: Leaf) -> bool:
        """Whether this occurrence in a trusted field is evidence: the table of P-9."""
        echoed = self.echoed(value)
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
            index = self.home
            self.aliasing = self.writes and any(
                key.startswith(("address:", "iban:", "email:", "phone:"))
                and (entry := index.entry(key)) is not None
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
            if start[:HEAD] not in self.home.hard_heads:
                continue
            for cut in range(HEAD, len(start) - 3):
                if start[:cut] in words and start[cut:] in words:
                    return True
        return False

    def echoed(self, value: Value) -> bool:
        """Whether the call itself held the value (P-7, P-8)."""
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

    def slots_of(self, leaf: Leaf) -> tuple[Slot, ...]:
        """What a newer result has to fill to replace the values of this field (P-13)."""
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
            entry = self.home.opened(key)
            if not entry.granted:
                entry.untrusted_first = True


class _Place:
    """One leaf of a result: what its values share."""

    __slots__ = ("home", "leaf", "lined", "lines", "marks", "slots", "taking", "trust")

    def __init__(self, taking: Evidence, leaf: Leaf) -> None:
        self.taking = taking
        self.home = taking.home
        self.leaf = leaf
        self.trust = taking.trust_of(leaf)
        trusted = self.trust >= Trust.PLATFORM
        self.lined = leaf.record is None and trusted and isinstance(leaf.value, str)
        self.lines: _Lines | None = None
        self.marks: dict[object, Mark] = {}
        self.slots: tuple[Slot, ...] | None = None

    def take(self, found: Sequence[Value]) -> None:
        """Each value is kept, if it may stand."""
        seen = self.taking.seen.setdefault(self.leaf.field, set())
        entries = self.home.entries
        trusted = self.trust >= Trust.PLATFORM
        plain = not trusted and not self.taking.options.transforms
        for value in found:
            key = value.key
            if key in seen:
                continue
            seen.add(key)
            if plain and key not in entries and not self.taking.echoed(value):
                entries[key] = self._mark(value)  # stands for an entry first seen here
            elif not self._taken(value, key, trusted=trusted):
                continue
            if value.kind == "amount" and not value.ambiguous and _labelled(value, self.leaf):
                self.home.amounts.append((Decimal(value.norm), value.currency, self.trust))

    def _taken(self, value: Value, key: str, *, trusted: bool) -> bool:
        """Whether the value may stand; what is known of it is brought up to date."""
        entry = self.home.opened(key)
        taking = self.taking
        if not trusted and not taking.options.transforms and not entry.granted:
            entry.untrusted_first = True
        stands = taking.may_stand(value, entry, self.leaf) if trusted else not taking.echoed(value)
        if not stands:
            # What is no evidence still replaces what stood in its place (P-13).
            self._fill_slots()
            entry.derived = self._origin()
            return False
        mark = self._mark(value)
        if trusted:
            entry.granted = added(entry.granted, mark)
            tools = self.home.vouchers.setdefault(value.kind, {})
            tools.pop(taking.event.exposed, None)
            tools[taking.event.exposed] = None
        else:
            entry.others = added(entry.others, mark)
        entry.first = entry.first or mark.origin
        entry.total += 1
        return True

    def _origin(self) -> Origin:
        leaf, event = self.leaf, self.taking.event
        record = leaf.record.identity if leaf.record is not None else ""
        return Origin(
            self.taking.receipt,
            event.source,
            event.exposed,
            self.trust,
            record=record,
            field=leaf.field,
        )

    def _mark(self, value: Value) -> Mark:
        """The mark of this place: one for all values that have the same record and currency."""
        record = self._line(value) if self.lined else self.leaf.record
        kind = (value.currency, value.ambiguous, id(record))
        mark = self.marks.get(kind)
        if mark is None:
            mark = Mark(self._shared(), self.slots or (), value.currency, value.ambiguous, record)
            self.marks[kind] = mark
        return mark

    def _shared(self) -> Origin:
        """The origin that every mark of this place has."""
        for mark in self.marks.values():
            return mark.origin
        self._fill_slots()
        return self._origin()

    def _fill_slots(self) -> None:
        if self.slots is not None:
            return
        self.slots = self.taking.slots_of(self.leaf)
        for slot in self.slots:
            slot.receipt = max(slot.receipt, self.taking.receipt)

    def _line(self, value: Value) -> Record | None:
        if self.lines is None:
            self.lines = _Lines(str(self.leaf.value))
        return self.lines.record(value)


_NAMED = frozenset({"address", "iban", "email", "id", "url", "phone"})


class _Lines:
    """The lines of a prose text: the line that holds a value stands for its record."""

    __slots__ = ("end", "held", "ready", "start")

    def __init__(self, text: str) -> None:
        self.ready = number_context.prepare(text) if len(text) <= MAX_PROSE else None
        self.start = self.end = -1
        self.held: Record | None = None

    def record(self, value: Value) -> Record | None:
        """The record of a value of that text; one for each line."""
        ready = self.ready
        if ready is None or value.kind not in _NAMED:
            return None
        start = ready.rfind("\n", 0, value.start) + 1
        end = ready.find("\n", value.end)
        end = end if end >= 0 else len(ready)
        if (start, end) != (self.start, self.end):
            self.start, self.end = start, end
            short = end - start <= MAX_LINE
            self.held = Record(({"text": ready[start:end]},)) if short else None
        return self.held


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


def _labelled(value: Value, leaf: Leaf) -> bool:
    name = leaf.name.casefold()
    return bool(value.currency) or any(word in name for word in _AMOUNT_FIELDS)


def _call_key(event: ToolResult) -> str:
    try:
        args = canonical.digest(dict(event.args))
    except NotCanonical:
        args = repr(sorted(event.args.items(), key=lambda pair: pair[0]))
    return f"{event.source}\0{event.tool}\0{args}"


def _part_of(text: str, norm: str) -> bool:
    form = fold.normal(text)
    return form in fold.normal(norm) or fold.normal(norm) in form
