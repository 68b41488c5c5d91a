"""The kinds of say.json: a pattern, a stream (however it is cut), a review, a life cycle."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from tripwire import say
from tripwire.doors import say_library
from tripwire.errors import TripwireAbort, UnknownAction

PATTERNS = {
    "phone": "PHONE_PATTERN",
    "email": "EMAIL_PATTERN",
    "secret": "SECRET_LEAK_PATTERN",
    "business": "BUSINESS_LEAK_PATTERN",
    "markdown": "MARKDOWN_PATTERN",
    "placeholder_name": "PLACEHOLDER_NAME_PATTERN",
    "placeholder_price": "PLACEHOLDER_PRICE_PATTERN",
    "placeholder_id": "PLACEHOLDER_CUID_PATTERN",
    "placeholder_var": "PLACEHOLDER_VAR_PATTERN",
    "price_discount": "PRICE_DISCOUNT_COMMIT_PATTERN",
    "price_final": "PRICE_FINAL_COMMIT_PATTERN",
    "commission": "COMMISSION_PATTERN",
}
LONG = 150
"""Longer streams are not cut into single characters: tests/say does that."""


def check(case: Mapping[str, Any]) -> str:
    """Why the case fails, or nothing."""
    return KINDS[case["kind"]](case["given"], case["expect"])


def _pattern(given: Mapping[str, Any], expect: Mapping[str, Any]) -> str:
    pattern = getattr(say, PATTERNS[given["pattern"]])
    found = pattern.search(given["text"]) is not None
    if found != expect["match"]:
        return f"match is {found}"
    return _differs("mode", pattern.mode, expect)


def _differs(key: str, found: Any, expect: Mapping[str, Any]) -> str:
    if key in expect and found != expect[key]:
        return f"{key} is {found!r}, not {expect[key]!r}"
    return ""


def _stream(given: Mapping[str, Any], expect: Mapping[str, Any]) -> str:
    chunks = _expanded(given["chunks"])
    text = "".join(chunks)
    guard = say.create_streaming_guard(patterns=_rules(given))
    for cut in _cuts(chunks, text):
        guard.reset()
        why = _streamed(guard, cut, expect)
        if why:
            return f"{why} in {len(cut)} chunks"
    return ""


def _cuts(chunks: list[str], text: str) -> list[list[str]]:
    dice = random.Random(len(text))
    pieces = []
    rest = text
    while rest:
        size = dice.randint(1, 9) if len(text) <= LONG else dice.randint(9, 200)
        pieces.append(rest[:size])
        rest = rest[size:]
    return [chunks, [text], pieces, *([list(text)] if len(text) <= LONG else [])]


def _streamed(guard: Any, chunks: list[str], expect: Mapping[str, Any]) -> str:
    delivered, rule = "", None
    try:
        for chunk in chunks:
            delivered += guard.on_chunk(chunk)
        delivered += guard.flush()
    except TripwireAbort as abort:
        delivered += abort.safe_text
        rule = abort.rule
    violations = [line.split(":")[0] for line in guard.violations]
    violations = list(dict.fromkeys(violations))
    return (
        _differs("aborted", rule is not None, expect)
        or _differs("rule", rule, expect)
        or _differs("delivered", delivered, {"delivered": _text(expect["delivered"])})
        or _differs("violations", violations, expect)
    )


def _rules(given: Mapping[str, Any]) -> list[Any] | None:
    labels, own = given.get("builtin_rules"), given.get("rules")
    if labels is None and own is None:
        return None
    rules = [r for r in say_library.BUILTIN if labels is None or r.label in labels]
    return [*rules, *(own or [])]


def _expanded(chunks: Any) -> list[str]:
    if not isinstance(chunks, list):
        return [_text(chunks)]
    return [_text(chunk) for chunk in chunks]


def _text(value: Any) -> str:
    if isinstance(value, dict):
        text, times = value["$repeat"]
        return text * times + value.get("then", "")
    return value


def _check(given: Mapping[str, Any], expect: Mapping[str, Any]) -> str:
    found = say.check_response(_text(given["text"]), **given.get("options", {}))
    labels = {line.split(":")[0] for line in found.violations}
    if "rules_include" in expect and not set(expect["rules_include"]) <= labels:
        return f"rules are {sorted(labels)}"
    if "rules" in expect and labels != set(expect["rules"]):
        return f"rules are {sorted(labels)}, not {sorted(expect['rules'])}"
    return _differs("passed", found.passed, expect)


def _transition(given: Mapping[str, Any], expect: Mapping[str, Any]) -> str:
    action, entity = given["action"], given.get("entity")
    if given["op"] == "reason_required":
        return _differs("required", say.reason_required(action), expect)
    project = entity == "project"
    if given["op"] == "next":
        step = say.next_project_status if project else say.next_builder_status
        try:
            return _differs("status", step(action), expect)
        except UnknownAction:
            return _differs("error", True, {"error": expect.get("error", False)})
    judge = say.validate_project_transition if project else say.validate_builder_transition
    why = judge(given["from"], action)
    reason = "same_state" if why and "already" in why else "reactivate_first"
    reason = "unknown" if why and why.startswith("Unknown") else reason
    return _differs("allowed", why is None, expect) or _differs("reason", reason, expect)


KINDS = {"pattern": _pattern, "stream": _stream, "check": _check, "transition": _transition}
