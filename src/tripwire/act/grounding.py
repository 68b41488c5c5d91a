"""Whether each guarded argument is grounded in evidence that may vouch for it (P-3…P-14).

One analysis for the guards, the offline verifier and the repeat check; kept in `case.memo`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from tripwire.act.params import name_role, role_of, rule_of
from tripwire.act.sums import is_sum
from tripwire.memory.provenance import Standing
from tripwire.memory.value_index import Mark
from tripwire.model.event import ToolCall
from tripwire.model.label import Trust
from tripwire.model.policy import CallRule, GuardedParam
from tripwire.model.verdict import Violation
from tripwire.rule import Case
from tripwire.text import numerals, paths, shapes, values
from tripwire.text.lexicon import lexicon
from tripwire.text.values import Value

_FREE_TEXT = lexicon(
    "memo note notes description comment comments message subject body text title reason details "
    "remark remarks narrative verwendungszweck"
)
_DESCRIBING = lexicon("type kind scheme country currency")
MAX_KIND = 12
_REACHING = frozenset({"address", "iban", "email", "phone", "url"})
_ACCOUNT_KINDS = frozenset({"address", "iban"})
_NUMERIC = frozenset({"number", "integer"})


@dataclass(frozen=True, slots=True)
class Grounded:
    """One element of a guarded argument: its readings and where each is known from."""

    param: str
    guard: GuardedParam
    role: str
    raw: object
    readings: tuple[Value, ...] = ()
    standing: Standing = field(default_factory=Standing)
    violation: Violation | None = None

    @property
    def amounts(self) -> tuple[Decimal, ...]:
        """The amount in major units, if this is one."""
        return tuple(Decimal(v.norm) for v in self.readings if v.kind == "amount")


@dataclass(frozen=True, slots=True)
class Grounding:
    """Every element of every guarded argument of one call."""

    rule: CallRule
    elements: tuple[Grounded, ...]
    violations: tuple[Violation, ...]
    currency: str = ""
    unlabelled: tuple[str, ...] = ()
    """Parameters whose amounts were matched without any currency (P-4: accepted and flagged)."""

    beside: tuple[Grounded, ...] = ()
    """Amounts by name that no guard names: bounds are checked, grounding is not."""

    expects_recipient: bool = False
    """A guard of this rule is for a recipient, whether the call has one or not."""

    def of_role(self, role: str) -> tuple[Grounded, ...]:
        """The elements of one role."""
        return tuple(e for e in self.elements if e.role == role)


def grounding(event: ToolCall, case: Case) -> Grounding | None:
    """The analysis of a call, or None if no rule guards its arguments."""
    if "grounding" not in case.memo:
        rule = rule_of(event, case)
        guarded = rule is not None and bool(rule.sensitive_params)
        case.memo["grounding"] = ground(rule, event, case) if rule and guarded else None
    found: Grounding | None = case.memo["grounding"]
    return found


def ground(rule: CallRule, event: ToolCall, case: Case) -> Grounding:
    """The analysis of any call under that rule, without memo."""
    look = _Look(rule, event, case)
    elements = tuple(e for guard in rule.sensitive_params for e in look.guarded(guard))
    violations = [e.violation for e in elements if e.violation is not None]
    # Without an argument for the recipient another one may name it (P-14 goes by the guards).
    expects = any(role_of(guard, event, case) == "destination" for guard in rule.sensitive_params)
    if expects:
        violations.extend(look.unlisted({e.param for e in elements}))
    flags = tuple(look.unlabelled)
    return Grounding(
        rule, elements, tuple(violations), look.currency, flags, look.beside(), expects
    )


class _Look:
    """The analysis of one call."""

    def __init__(self, rule: CallRule, event: ToolCall, case: Case) -> None:
        self.rule = rule
        self.event = event
        self.case = case
        self.home = case.memory.provenance
        self.unlabelled: list[str] = []
        self.args = dict(event.args)
        self.scalars = list(_scalars(self.args, ""))
        self.currency = self._stated_currency()
        upstream = case.policy.upstream(event.source)
        self.comma = numerals.decimal_comma(upstream.locale if upstream else "")

    def _stated_currency(self) -> str:
        """The currency that the guard or the call states (P-4)."""
        for guard in self.rule.sensitive_params:
            if not guard.currency:
                continue
            if code := numerals.currency(guard.currency):
                return code
            for _, value in paths.find(paths.parse(guard.currency), self.args):
                if isinstance(value, str) and (code := numerals.currency(value)):
                    return code
                if isinstance(value, str) and value.strip():
                    return value.strip().upper()
        for _, key, text in self._strings():
            if name_role(key) == "currency" and text.strip():
                return numerals.currency(text) or text.strip().upper()
        return ""

    def _strings(self) -> Iterator[tuple[str, str, str]]:
        """Path, nearest key and text of every string in the arguments."""
        for name, key, raw in self.scalars:
            if isinstance(raw, str):
                yield name, key, raw

    def guarded(self, guard: GuardedParam) -> Iterator[Grounded]:
        """Each element of one guarded parameter."""
        found = list(paths.find(paths.parse(guard.path), self.args))
        role = role_of(guard, self.event, self.case)
        if not found and guard.required:
            yield self._bad(guard.path, guard, role, None, "missing_param")
        for name, value in found:
            yield from self._value(name, value, guard, role)

    def _value(self, name: str, raw: object, guard: GuardedParam, role: str) -> Iterator[Grounded]:
        opened = paths.opened_json(raw)
        if opened in ("", [], {}) or (isinstance(opened, str) and not opened.strip()):
            if not guard.allow_empty:
                yield self._bad(name, guard, role, raw, "empty_param")
        elif isinstance(opened, list | tuple):
            for index, item in enumerate(opened):
                if isinstance(item, list | tuple | dict):
                    yield self._bad(f"{name}[{index}]", guard, role, item, "untraceable_param")
                else:
                    yield from self._value(f"{name}[{index}]", item, guard, role)
        elif isinstance(opened, dict) and role == "destination":
            yield from self._record(name, opened, guard)
        elif isinstance(opened, bool | dict) or opened is None:
            yield self._bad(name, guard, role, raw, "untraceable_param")
        else:
            yield self._scalar(name, opened, guard, role)

    def _record(
        self, name: str, held: dict[str, object], guard: GuardedParam
    ) -> Iterator[Grounded]:
        """A recipient as one record: each field is checked, and one that fails fails it all.

        P-3 refuses objects as elements of a list; it does not speak of a whole argument.
        """
        elements: list[Grounded] = []
        for key, item in held.items():
            at = f"{name}.{key}"
            if (typed := values.whole(key)) is not None and typed.kind in _REACHING:
                elements.append(self._scalar(at, key, guard, "destination"))
            if isinstance(item, bool | dict | list | tuple):
                elements.append(self._bad(at, guard, "destination", item, "untraceable_param"))
            elif item is not None and item != "" and not _describes(key, item):
                elements.append(self._scalar(at, item, guard, "destination"))
        yield from elements
        if not elements and not guard.allow_empty:
            yield self._bad(name, guard, "destination", None, "empty_param")
        elif any(e.violation is not None for e in elements):
            yield self._bad(name, guard, "destination", None, "untraceable_param")

    def _scalar(self, name: str, raw: object, guard: GuardedParam, role: str) -> Grounded:
        readings = self._readings(name, raw, guard, role)
        if not readings or readings[0].kind == "untraceable":
            reason = "type_mismatch" if guard.type or role == "amount" else "untraceable_param"
            return self._bad(name, guard, role, raw, reason)
        if guard.type and readings[0].kind != guard.type:
            return self._bad(name, guard, role, raw, "type_mismatch")
        if len(readings) > 1:
            return self._bad(name, guard, role, raw, "ambiguous_value", readings)
        value = readings[0]
        standing = self.home.lookup(value)
        fault = self._reason(name, value, standing, guard)
        if fault is None:
            return Grounded(name, guard, role, raw, readings, standing)
        return self._bad(name, guard, role, raw, fault, readings, standing)

    def _readings(
        self, name: str, raw: object, guard: GuardedParam, role: str
    ) -> tuple[Value, ...]:
        if isinstance(raw, int) and role in ("destination", "id"):
            # An account number is no amount: a total must not vouch for it.
            return (_digits(str(raw)),)
        if isinstance(raw, int | float | Decimal):
            number = values.number(raw, currency=self.currency)
            return (self._major(number, guard),) if number is not None else ()
        text = str(raw)
        numeric = self._schema_type(name) in _NUMERIC
        if role == "amount" or numeric or guard.type == "amount":
            found = values.amount(text, comma=self.comma)
            return tuple(self._major(v, guard) for v in found)
        bare = text.strip()
        if bare.isdecimal():
            return (_digits(bare),)
        mail = _mailbox(bare)
        typed = values.whole(mail or bare, comma=self.comma)
        if typed is not None and typed.kind not in ("amount", "time"):
            return (typed,)
        words = values.text_value(text)
        return (words,) if words is not None else ()

    def _schema_type(self, name: str) -> str:
        top = name.split("[", 1)[0]
        return self.case.memory.listings.property_type(self.event.source, self.event.tool, top)

    def _major(self, value: Value, guard: GuardedParam) -> Value:
        if guard.unit != "minor":
            return value
        places = numerals.MINOR_DIGITS.get(value.currency or self.currency, 2)
        exact = Decimal(value.norm).scaleb(-places)
        return Value("amount", numerals.key(exact), value.currency, value.ambiguous)

    # ── the decision (P-6) ───────────────────────────────────────────────────────────────────

    def _reason(
        self, name: str, value: Value, standing: Standing, guard: GuardedParam
    ) -> str | None:
        """Why the value may not be used; None if it may."""
        wants_trust = guard.provenance == "trusted"
        if value.kind in ("text", "id") and self.home.user_says(value.norm):
            return None
        marks = standing.trusted if wants_trust else standing.current
        clear = [mark for mark in marks if not mark.ambiguous]
        if not wants_trust and self.case.memory.goals.holds(value.key):
            return None
        if clear:
            return self._money(name, value, clear) if value.kind == "amount" else None
        if value.kind == "amount" and self._summed(value, guard):
            return None
        if marks:
            return "ambiguous_value"
        return self._missing(value, standing, guard, wants_trust=wants_trust)

    def _missing(
        self, value: Value, standing: Standing, guard: GuardedParam, *, wants_trust: bool
    ) -> str:
        if wants_trust and self.home.stale_grant(value):
            return "stale_provenance"
        if value.kind == "amount" and self._other_unit(value, guard):
            return "unit_mismatch"
        if standing.others:
            return "untrusted_provenance"
        if standing.stale:
            return "stale_provenance" if not wants_trust else "untrusted_provenance"
        return "derived_only" if standing.derived else "unknown_provenance"

    def _money(self, name: str, value: Value, marks: list[Mark]) -> str | None:
        """P-4: the stated currency against those of the evidence."""
        stated = value.currency or self.currency
        held = {mark.currency for mark in marks}
        if not stated or "" in held:
            if not stated or held == {""}:
                self.unlabelled.append(name)
            return None
        agree = any(numerals.same_currency(stated, code) for code in held)
        return None if agree else "unit_mismatch"

    def _other_unit(self, value: Value, guard: GuardedParam) -> bool:
        """Whether the evidence holds the same figure in the other unit (cents for euros)."""
        places = numerals.MINOR_DIGITS.get(value.currency or self.currency, 2)
        shift = places if guard.unit == "minor" else -places
        other = Value("amount", numerals.key(Decimal(value.norm).scaleb(shift)))
        return bool(places) and bool(self.home.lookup(other).current)

    def _summed(self, value: Value, guard: GuardedParam) -> bool:
        if "sum" not in guard.derive:
            return False
        least = Trust.PLATFORM if guard.provenance == "trusted" else Trust.WORLD
        figures = [(amount, code) for amount, code, trust in self.home.amounts if trust >= least]
        return is_sum(Decimal(value.norm), value.currency or self.currency, figures)

    def beside(self) -> tuple[Grounded, ...]:
        """Amounts the call holds beside its guarded arguments (C-9 goes by role)."""
        if "consensus" not in self.rule.verify.tiers or any(
            role_of(guard, self.event, self.case) == "amount"
            for guard in self.rule.sensitive_params
        ):
            return ()
        found: list[Grounded] = []
        for name, key, raw in self.scalars:
            if name_role(key) == "amount":
                guard = GuardedParam(name, "any", "amount")
                readings = self._readings(name, raw, guard, "amount")
                found.append(Grounded(name, guard, "amount", raw, readings))
        return tuple(found)

    # ── P-14 ─────────────────────────────────────────────────────────────────────────────────

    def unlisted(self, guarded: set[str]) -> Iterator[Violation]:
        """Other accounts in the arguments that only an untrusted text knows."""
        for name, key, text in self._strings():
            if name in guarded or any(name.startswith((f"{g}[", f"{g}.")) for g in guarded):
                continue
            if key.casefold() in _FREE_TEXT:
                continue
            for value in values.leaf(text, key=key):
                if not self._account_like(value, key):
                    continue
                standing = self.home.lookup(value)
                held = standing.trusted or self.home.user_says(value.norm)
                if not held and (standing.others or standing.stale):
                    yield self._violation(name, text, "unlisted_destination", "any", standing)
                    break

    def _account_like(self, value: Value, key: str) -> bool:
        if value.kind in _ACCOUNT_KINDS:
            return True
        return value.kind in ("id", "email", "phone") and name_role(key) == "destination"

    # ── building ─────────────────────────────────────────────────────────────────────────────

    def _bad(
        self,
        name: str,
        guard: GuardedParam,
        role: str,
        raw: object,
        reason: str,
        readings: tuple[Value, ...] = (),
        standing: Standing | None = None,
    ) -> Grounded:
        standing = standing if standing is not None else Standing()
        violation = self._violation(name, raw, reason, guard.provenance, standing)
        return Grounded(name, guard, role, raw, readings, standing, violation)

    def _violation(
        self, name: str, raw: object, reason: str, required: str, standing: Standing
    ) -> Violation:
        return Violation(name, reason, required, preview(raw), standing.origins, standing.total)


def preview(raw: object) -> str:
    """At most 24 characters whole, else the first 12 and the last 8 (gateway.md §2)."""
    text = raw if isinstance(raw, str) else ("" if raw is None else str(raw))
    return text if len(text) <= 24 else f"{text[:12]}…{text[-8:]}"


def _describes(key: str, item: object) -> bool:
    """Whether a field says what kind of recipient it is: one plain word, which leads nowhere."""
    return (
        isinstance(item, str)
        and key.casefold() in _DESCRIBING
        and item.isalpha()
        and len(item) <= MAX_KIND
    )


def _digits(bare: str) -> Value:
    typed = shapes.typed(bare)
    return Value(*typed) if typed is not None else Value("id", bare)


def _mailbox(text: str) -> str:
    """`Alice <alice@example.org>` is its address."""
    if text.endswith(">") and text.count("<") == 1:
        return text[text.index("<") + 1 : -1]
    return ""


def _scalars(
    value: object, at: str, key: str = "", depth: int = paths.MAX_DEPTH
) -> Iterator[tuple[str, str, object]]:
    """Path, nearest key and value of every string and number in the arguments."""
    opened = paths.opened_json(value)
    if depth <= 0:
        return
    if isinstance(opened, dict):
        for name, item in opened.items():
            yield from _scalars(item, f"{at}.{name}" if at else str(name), str(name), depth - 1)
    elif isinstance(opened, list | tuple):
        for index, item in enumerate(opened):
            yield from _scalars(item, f"{at}[{index}]", key, depth - 1)
    elif isinstance(opened, str | int | float | Decimal) and not isinstance(opened, bool):
        yield at, key, opened
