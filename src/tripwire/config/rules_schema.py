"""`rules`: which calls are guarded, what is asked of them, whether a rule can work at all."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tripwire.config import keys
from tripwire.config.reading import Section, Value
from tripwire.config.shadow import shadows
from tripwire.config.suggest import did_you_mean
from tripwire.config.upstream_schema import glob
from tripwire.model.policy import CallRule, GuardedParam, Upstream, Verify

ROLES = ("destination", "amount", "currency", "id", "text")
TYPES = ("address", "iban", "amount", "email", "url", "id", "phone", "date", "text")
HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
CHECKS = ("intent_match", "source_grounding", "bounds_and_sanity")
PROVIDERS = ("anthropic", "openai", "google", "openai_compatible")

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_CURRENCY = re.compile(r"[A-Z]{3}", re.ASCII)
_PARAM = re.compile(
    r"\$?(?:(?:^|\.)(?:\*\*|\*|[^.\[\]*\"'\s]+)|\[(?:\*|\d+|\"[^\"]+\"|'[^']+')\])+"
)
_MONEY_OR_PLACE = re.compile(
    r"amount|sum|total|price|value|recipient|dest|address|iban|account|payee|beneficiary|wallet|^to$|email",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Around:
    """What a rule's validation needs from the rest of the file."""

    upstreams: tuple[Upstream, ...]
    upstreams_given: bool
    verifiers: tuple[str, ...]
    blocks_unmatched: bool


def call_rules(value: Value | None, around: Around) -> tuple[CallRule, ...]:
    """All rules, in file order."""
    if value is None:
        return ()
    found: list[CallRule] = []
    ids: dict[str, str] = {}
    for number, entry in enumerate(value.each(), 1):
        section = entry.section(keys.RULE)
        before = len(value.problems.errors)
        rule = _rule(section, number, around)
        if rule.id in ids:
            entry.fail(f"its id is taken by {ids[rule.id]}", "give it another")
        ids.setdefault(rule.id, entry.path)
        if len(value.problems.errors) == before:
            _check_effect(section, rule, around)
            _check_shadow(section, rule, found, around)
        found.append(rule)
    return tuple(found)


def _rule(section: Section, number: int, around: Around) -> CallRule:
    match = section.get("match")
    if match is None and section.usable:
        section.fail("a rule needs `match`", "say which calls it is for")
    matched = _match(match, around)
    params = _params(section.get("sensitive_params"))
    return CallRule(
        id=_id(section, number),
        tool=matched[0],
        upstream=matched[1],
        annotation=matched[2],
        sensitive_params=params,
        verify=_verify(section, params, around),
        at=section.value.node.place.file_line,
    )


def _id(section: Section, number: int) -> str:
    value = section.get("id")
    if value is None:
        return f"rule-{number}"
    text = value.text(f"rule-{number}")
    if not _ID.fullmatch(text):
        value.fail(f"{value.shown()} is no rule id", "use letters, digits, `.`, `_` and `-`")
    return text


def _match(value: Value | None, around: Around) -> tuple[str, str, tuple[tuple[str, bool], ...]]:
    if value is None:
        return "", "", ()
    section = value.section(keys.MATCH)
    if section.usable and not value.node.items:
        value.fail(
            "an empty match would guard everything or nothing",
            "name a tool, an upstream or an annotation",
        )
    tool = section.get("tool")
    return (
        glob(tool) if tool is not None else "",
        _upstream_name(section.get("upstream"), around),
        _annotation(section.get("annotation")),
    )


def _upstream_name(value: Value | None, around: Around) -> str:
    if value is None:
        return ""
    name = value.text()
    known = tuple(upstream.name for upstream in around.upstreams)
    if name and around.upstreams_given and name not in known:
        value.fail(f"no upstream is named {value.shown()}", did_you_mean(name, known))
    return name


def _annotation(value: Value | None) -> tuple[tuple[str, bool], ...]:
    if value is None:
        return ()
    found = []
    for name, place, entry in value.pairs():
        if name not in HINTS:
            value.problems.add(place, entry.path, "unknown annotation", did_you_mean(name, HINTS))
        else:
            found.append((name, entry.flag()))
    if value.node.value == {}:
        value.fail("must not be empty", f"name one of {', '.join(HINTS)}")
    return tuple(found)


def _params(value: Value | None) -> tuple[GuardedParam, ...]:
    if value is None:
        return ()
    found = []
    for path, place, entry in value.pairs():
        if not _PARAM.fullmatch(path):
            value.problems.add(
                place,
                entry.path,
                f'"{path}" is no parameter path',
                "write it like recipient, $.to or items[*].iban",
            )
        found.append(_guard(path, entry))
    if value.node.value == {}:
        value.fail("must not be empty", "name a parameter, or remove the key")
    return tuple(found)


def _guard(path: str, entry: Value) -> GuardedParam:
    raw = entry.node.value
    if isinstance(raw, str) and raw in ("trusted", "any"):
        entry.fail("must be a mapping, not text", f"write {{provenance: {raw}}}")
        return GuardedParam(path, raw)
    section = entry.section(keys.GUARD)
    if section.usable and section.get("provenance") is None:
        section.fail("needs `provenance`", "write provenance: trusted, or provenance: any")
    currency = section.get("currency")
    return GuardedParam(
        path=path,
        provenance=section.word("provenance", ("trusted", "any"), "trusted"),
        role=section.word("role", ROLES, ""),
        type=section.word("type", TYPES, ""),
        currency=_currency(currency) if currency is not None else "",
        unit=section.word("unit", ("major", "minor"), "major"),
        derive=section.words("derive", ("sum",)),
        required=section.flag("required"),
        allow_empty=section.flag("allow_empty"),
    )


def _currency(value: Value) -> str:
    text = value.text()
    if text and not text.startswith("$") and not _CURRENCY.fullmatch(text):
        value.fail(
            f"{value.shown()} is neither a currency code nor a path",
            "write a code like EUR, or an argument like $.currency",
        )
    return text


def _verify(section: Section, params: tuple[GuardedParam, ...], around: Around) -> Verify:
    verify = section.inner("verify", keys.VERIFY)
    tiers = verify.words(
        "tiers", ("receipts", "provenance", "consensus"), ("receipts", "provenance")
    )
    result = Verify(
        tiers=tiers,
        require_intent=verify.flag("require_intent"),
        always=verify.word("always", ("none", "hold", "block"), "none"),
        panel=_panel(verify.get("panel"), around),
        quorum=verify.word("quorum", ("majority", "unanimous"), "majority"),
        checks=verify.words("checks", CHECKS, CHECKS),
        on_fail=verify.word("on_fail", ("block", "hold"), "block"),
        fail_mode=verify.word("fail_mode", ("closed", "open"), "closed"),
        timeout_ms=verify.whole("timeout_ms", 8000, least=1, most=600_000),
        allow_same_provider=verify.flag("allow_same_provider"),
    )
    _check_verify(section, verify, params, result)
    return result


def _check_verify(
    section: Section, verify: Section, params: tuple[GuardedParam, ...], result: Verify
) -> None:
    tiers, panel = verify.get("tiers"), verify.get("panel")
    if tiers is not None and not result.tiers:
        tiers.fail("must not be empty", "write [receipts, provenance]")
    if (checks := verify.get("checks")) is not None and not result.checks:
        checks.fail("must not be empty", f"write {', '.join(CHECKS)}")
    if params and "provenance" not in result.tiers:
        (tiers or section.value).fail(
            "`sensitive_params` need the tier provenance", "add provenance to verify.tiers"
        )
    if "consensus" in result.tiers and panel is None:
        (tiers or section.value).fail("the tier consensus needs a panel", "add panel: [offline]")
    if panel is not None and panel.node.value == ():
        panel.fail("must not be empty", "write [offline]")
    if panel is not None and "consensus" not in result.tiers:
        panel.fail(
            "a panel does nothing without the tier consensus", "add consensus to verify.tiers"
        )
    risky = [param.path for param in params if _money_or_place(param)]
    mode = verify.get("fail_mode")
    if result.fail_mode == "open" and risky and mode is not None:
        mode.fail(
            f'open is not allowed where "{risky[0]}" is an amount or a destination', "write closed"
        )


def _money_or_place(param: GuardedParam) -> bool:
    if param.role:
        return param.role in ("amount", "destination")
    if param.type in ("address", "iban", "email", "url", "amount"):
        return True
    return bool(_MONEY_OR_PLACE.search(param.path.rsplit(".", 1)[-1]))


def _panel(value: Value | None, around: Around) -> tuple[str, ...]:
    if value is None:
        return ()
    found: list[str] = []
    for entry in value.many():
        name = entry.text()
        if not name:
            continue
        if name != "offline" and name not in around.verifiers:
            _refuse_verifier(entry, name, around.verifiers)
        elif name in found:
            entry.fail(
                f"{entry.shown()} stands twice",
                "two verifiers of one panel need different providers",
            )
        else:
            found.append(name)
    return tuple(found)


def _refuse_verifier(entry: Value, name: str, known: Iterable[str]) -> None:
    if name.split("/", 1)[0] in PROVIDERS and "/" in name:
        entry.fail(
            f"{entry.shown()} is not available yet in this version (model verifiers)", "use offline"
        )
    else:
        entry.fail(f"no verifier is named {entry.shown()}", did_you_mean(name, ("offline", *known)))


def _check_effect(section: Section, rule: CallRule, around: Around) -> None:
    verify = rule.verify
    acts = (
        rule.sensitive_params
        or verify.require_intent
        or verify.always != "none"
        or "consensus" in verify.tiers
    )
    if not acts and not around.blocks_unmatched:
        section.fail(
            "this rule has no effect",
            "add sensitive_params, verify.always: hold, or verify.require_intent: true",
        )


def _check_shadow(
    section: Section, rule: CallRule, earlier: Iterable[CallRule], around: Around
) -> None:
    for first in earlier:
        if shadows(first, rule, around.upstreams):
            section.fail(
                f'never reached: rule "{first.id}" ({first.at or "above"}) takes all its calls',
                "move it up, or narrow the other one",
            )
            return
