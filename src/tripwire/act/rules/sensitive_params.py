"""act/sensitive-params — a guarded argument comes from where nobody trusted vouches for it.

Does not catch: a wrong value that a trusted source itself holds; see act/consensus for amounts.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.act.grounding import Grounded, Grounding, grounding
from tripwire.model.event import ToolCall
from tripwire.model.label import Origin
from tripwire.model.verdict import Action, Finding, Violation
from tripwire.rule import Case, Rule

ID = "act/sensitive-params"
CODE = "provenance_violation"

_WHY = {
    "untrusted_provenance": "came only from an untrusted source",
    "unknown_provenance": "was in no result and in none of the user's words",
    "untraceable_param": "is no single value that could be traced",
    "stale_provenance": "has been replaced by a newer result",
    "derived_only": "was only echoed or computed from what the agent sent",
    "empty_param": "is empty",
    "missing_param": "is missing",
    "ambiguous_value": "can be read as two different numbers",
    "unit_mismatch": "has another currency or unit than the evidence",
    "type_mismatch": "is not of the type that the rule asks for",
    "unlisted_destination": "is another destination that only an untrusted text names",
}


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """One finding with every violation."""
    found = grounding(event, case)
    if found is None or "provenance" not in found.rule.verify.tiers:
        return
    if not found.violations:
        yield from _flags(found)
        return
    origins = dict.fromkeys(o for v in found.violations for o in v.origins)
    yield Finding(
        ID,
        Action.ASK if found.rule.verify.on_fail == "hold" else Action.BLOCK,
        "; ".join(f"{v.param} {_WHY[v.reason]}" for v in found.violations),
        remedy=" ".join(dict.fromkeys(_remedy(v, found, case) for v in found.violations)),
        evidence=tuple(origins),
        code=CODE,
        at=found.rule.at,
        violations=found.violations,
    )


def _flags(found: Grounding) -> Iterator[Finding]:
    """An amount that was accepted although no source says its currency (P-4)."""
    if found.unlabelled:
        names = ", ".join(dict.fromkeys(found.unlabelled))
        yield Finding(
            ID,
            Action.INFORM,
            f"{names} was matched without a currency",
            remedy="State the currency in the call, or set `currency` on the guard.",
            code=CODE,
            at=found.rule.at,
        )


def _remedy(violation: Violation, found: Grounding, case: Case) -> str:
    name, reason = violation.param, violation.reason
    element = next((e for e in found.elements if e.param == name), None)
    if reason in ("empty_param", "missing_param"):
        return f"Repeat the call with a value for {name}."
    if reason == "untraceable_param":
        return f"Give {name} as one plain string or number."
    if reason == "type_mismatch":
        wanted = element.guard.type if element is not None else ""
        return f"Give {name} as {wanted or 'the type the rule names'}."
    if reason == "ambiguous_value":
        return f"Look {name} up where it is written without doubt, and repeat with that value."
    if reason == "unit_mismatch":
        return f"Check the currency and unit of {name} against its source, then repeat the call."
    if reason == "unlisted_destination":
        return f"Remove {name} from the call, or look it up with a trusted tool."
    if reason == "stale_provenance":
        return f"Read the record again{_from(violation.origins)} and use the value it holds now."
    if element is not None and element.guard.provenance == "any":
        return f"Read the document that states {name}, and repeat the call with its value."
    return _look_up(name, element, case)


def _from(origins: tuple[Origin, ...]) -> str:
    return f" with {origins[-1].tool}" if origins else ""


def _look_up(name: str, element: Grounded | None, case: Case) -> str:
    kinds = [v.kind for v in element.readings] if element is not None else []
    tools = (case.memory.provenance.voucher(kind) for kind in (*kinds, "address", "iban", "email"))
    tool = next((t for t in tools if t), "")
    one = f" ({tool} is one)" if tool else ""
    return f"Look the {name} up with a trusted tool{one} and repeat the call with that value."


RULE = Rule(ID, ToolCall, check)
