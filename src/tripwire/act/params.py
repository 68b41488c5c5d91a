"""Which rule and options apply to a call, and what role an argument has (gateway.md §2).

Judges nothing. An annotation of an untrusted upstream may only tighten.
"""

from __future__ import annotations

import functools
import re

from tripwire.model.event import ToolCall
from tripwire.model.label import Trust
from tripwire.model.policy import CallRule, GuardedParam, Policy, ToolOptions
from tripwire.rule import Case
from tripwire.text import glob

_NO_OPTIONS = ToolOptions()
_DEFAULTS = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}
_TIGHTENING = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}
"""The value of each hint that says the tool is the more dangerous one: MCP's default."""

_DESTINATION = re.compile(
    r"(?:^|_)(?:recipients?|to|cc|bcc|dest(?:ination)?s?|payees?|beneficiar(?:y|ies)|wallets?|"
    r"address(?:es)?|iban|accounts?|acct|e?mails?|target|receivers?|empf(?:ä|ae)nger|"
    r"destinatari[oa]s?|destinataires?|urls?|webhook|phone)(?:_?(?:id|ids|address|number|no|iban|email))?$",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"(?:^|_)(?:amounts?|values?|totals?|sums?|prices?|cents|betrag|montant|importe|monto|importo|"
    r"valor|subtotal|fee|quantity_usd)(?:_?(?:minor|cents|usd|eur|usdc|due))?$",
    re.IGNORECASE,
)
_CURRENCY = re.compile(
    r"(?:^|_)(?:currency|ccy|asset|token|coin|moneda|währung|devise)(?:_?code)?$", re.IGNORECASE
)
_ID = re.compile(
    r"(?:^|_)(?:id|ids|ref|reference|number|no|key|invoice|order|po)s?$", re.IGNORECASE
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def tool_options(policy: Policy, source: str, tool: str) -> ToolOptions:
    """The options of that tool: an exact name before the first glob that matches."""
    upstream = policy.upstream(source)
    if upstream is None:
        return _NO_OPTIONS
    exact = upstream.tool_options.get(tool)
    if exact is not None:
        return exact
    for pattern, options in upstream.tool_options.items():
        if glob.match(pattern, tool):
            return options
    return _NO_OPTIONS


def source_trust(policy: Policy, source: str) -> Trust:
    """The trust of an upstream; one that nobody declared is untrusted."""
    upstream = policy.upstream(source)
    return upstream.trust if upstream is not None else Trust.WORLD


def call_effect(case: Case, source: str, tool: str) -> str:
    """`read` or `write` as far as policy or a trusted upstream says, else "" (P-12)."""
    options = tool_options(case.policy, source, tool)
    if options.effect:
        return options.effect
    if source_trust(case.policy, source) < Trust.PLATFORM:
        return ""
    hint = case.memory.listings.annotation(source, tool, "readOnlyHint")
    if hint is None:
        return ""
    return "read" if hint else "write"


def rule_of(event: ToolCall, case: Case) -> CallRule | None:
    """The first rule that matches the call (gateway.md §2 `rules`)."""
    if "call_rule" not in case.memo:
        matching = (rule for rule in case.policy.call_rules if matches(rule, event, case))
        case.memo["call_rule"] = next(matching, None)
    found: CallRule | None = case.memo["call_rule"]
    return found


def matches(rule: CallRule, event: ToolCall, case: Case) -> bool:
    """Whether tool glob, upstream and annotations all match."""
    if rule.tool and not _fits(rule.tool, event.exposed):
        upstream = case.policy.upstream(event.source)
        # With `prefix: false` the exposed name is the plain one.
        if upstream is None or upstream.prefix or not _fits(rule.tool, event.tool):
            return False
    if rule.upstream and rule.upstream.casefold() != event.source.casefold():
        return False
    return all(_annotated(name, event, case, wanted=wanted) for name, wanted in rule.annotation)


@functools.lru_cache(maxsize=4096)
def _fits(pattern: str, name: str) -> bool:
    return glob.match(pattern, name)


def _annotated(name: str, event: ToolCall, case: Case, *, wanted: bool) -> bool:
    default = _DEFAULTS.get(name, False)
    held = case.memory.listings.annotation(event.source, event.tool, name)
    if held is None or held == wanted:
        return (default if held is None else held) == wanted
    # An untrusted upstream cannot slip out of a rule by what it says of itself.
    trusted = source_trust(case.policy, event.source) >= Trust.PLATFORM
    return not trusted and wanted == _TIGHTENING.get(name)


def role_of(guard: GuardedParam, event: ToolCall, case: Case) -> str:
    """The declared role, else what the parameter's name or schema says."""
    if guard.role:
        return guard.role
    name = _last_name(guard.path)
    kind = case.memory.listings.property_type(event.source, event.tool, name)
    return name_role(name) or ("amount" if kind in ("number", "integer") else "")


@functools.lru_cache(maxsize=1024)
def _last_name(path: str) -> str:
    return re.split(r"[.\[\]\"']+", path.rstrip("]\"'[*."))[-1]


@functools.lru_cache(maxsize=4096)
def name_role(name: str) -> str:
    """What an argument's name says of its role, "" for nothing."""
    spaced = _CAMEL.sub("_", name).replace("-", "_")
    for role, pattern in (
        ("destination", _DESTINATION),
        ("amount", _AMOUNT),
        ("currency", _CURRENCY),
        ("id", _ID),
    ):
        if pattern.search(spaced):
            return role
    return ""
