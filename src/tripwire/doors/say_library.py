"""Guarding text from Python: streams, finished replies, life cycles (say.md §4.1).

The names are offered as `tripwire.say`. Without `patterns` and `policy` the packs `default` and
`property-sales` hold.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterable, Mapping
from typing import Any

from tripwire.config.say_packs import say_policy
from tripwire.errors import PolicyError
from tripwire.model.say import LifeCycle, SayAction, SayPolicy, SayRule
from tripwire.say import life_cycles
from tripwire.say.compiled import StreamRule
from tripwire.say.found import SayFinding
from tripwire.say.reply import INTENTS, PERSONAS, ReplyOptions
from tripwire.say.review import ReplyCheck, Reviewer, Work
from tripwire.say.stream import CompiledRules, OnAbort, StreamingGuard
from tripwire.text.fold_map import folded
from tripwire.text.pattern_edges import START

_LOG = logging.getLogger("tripwire.say")
_MODES = tuple(action.value for action in SayAction)
_FLAGS = frozenset("imsu")


@functools.cache
def builtin_policy() -> SayPolicy:
    """The packs `default` and `property-sales`."""
    return say_policy(("default", "property-sales"))


def stream_rules(policy: SayPolicy) -> tuple[SayRule, ...]:
    """The rules of a policy that need nothing but the text of a stream."""
    return tuple(rule for rule in policy.rules if rule.streams)


BUILTIN: tuple[SayRule, ...] = stream_rules(builtin_policy())
"""The packaged rules that run in streams; add your own: `patterns=[*BUILTIN, mine]`."""


def create_streaming_guard(
    *,
    on_abort: OnAbort | None = None,
    on_violate: OnAbort | None = None,
    patterns: Iterable[Mapping[str, Any] | SayRule] | None = None,
    policy: SayPolicy | None = None,
    hold_reply: bool = False,
) -> StreamingGuard:
    """A guard for one stream of text.

    `patterns`: `{source, flags, label, mode}` or rules; given, they replace the built-in ones.
    Raises PolicyError for a pattern that no linear automaton has.
    """
    if patterns is not None:
        rules = tuple(_rule(item, number) for number, item in enumerate(patterns))
        lists = (policy or builtin_policy()).lists
        compiled = CompiledRules(rules, lists)
    elif policy is not None:
        compiled = CompiledRules(stream_rules(policy), policy.lists)
    else:
        compiled = _builtin_compiled()
    watch = _surviving(on_violate) if on_violate is not None else None
    return StreamingGuard(compiled, on_abort=on_abort, on_violate=watch, hold_reply=hold_reply)


def _surviving(callback: OnAbort) -> OnAbort:
    """The callback of an observing rule: what it raises is told on the log, not to the stream."""

    def call(violation: str, rule: SayRule) -> None:
        try:
            callback(violation, rule)
        except Exception as error:  # noqa: BLE001  (SAY-14: it does not stop the stream)
            _LOG.error("on_violate failed for %s: %s", rule.label, type(error).__name__)

    return call


@functools.cache
def _builtin_compiled() -> CompiledRules:
    return CompiledRules(BUILTIN, builtin_policy().lists)


def _rule(item: Mapping[str, Any] | SayRule, number: int) -> SayRule:
    if isinstance(item, SayRule):
        return item
    where = f"patterns[{number}]"
    source, flags = item.get("source"), item.get("flags") or ""
    mode, label = item.get("mode", "abort"), item.get("label", "CUSTOM")
    if not isinstance(source, str) or not source:
        raise PolicyError("a pattern has no source", where=where, fix="Give `source`.")
    if mode not in _MODES:
        raise PolicyError(f"mode {mode!r}", where=where, fix=f"Known: {', '.join(_MODES)}.")
    if not isinstance(flags, str) or not set(flags) <= _FLAGS:
        raise PolicyError(f"flags {flags!r}", where=where, fix="Known: i, m, s, u.")
    return SayRule(
        f"{label}_{number}",
        str(label),
        action=SayAction(mode),
        patterns=(source,),
        flags=flags.replace("u", ""),
    )


def check_response(
    text: str,
    *,
    known_project_names: Iterable[str | None] = (),
    known_builder_names: Iterable[str | None] = (),
    unverified_project_names: Iterable[str | None] = (),
    buyer_message: str | None = None,
    classified: Mapping[str, Any] | None = None,
    policy: SayPolicy | None = None,
) -> ReplyCheck:
    """Review a finished reply. Raises ValueError for unknown options, InputTooLarge."""
    classified = classified or {}
    options = ReplyOptions(
        {
            "known_project_names": _named(known_project_names),
            "known_builder_names": _named(known_builder_names),
            "unverified_project_names": _named(unverified_project_names),
        },
        buyer_message,
        _one_of("intent", classified.get("intent"), INTENTS, "general_query"),
        _one_of("persona", classified.get("persona"), PERSONAS, "unknown"),
    )
    reviewer = _reviewer() if policy is None else Reviewer(policy)
    return reviewer.check(text, options, attempted)


def attempted(rule: SayRule, work: Work) -> tuple[SayFinding, ...]:
    """A rule's findings; one that fails is a violation itself, no open door (SAY-63)."""
    try:
        return work()
    except Exception as bug:  # noqa: BLE001  (nothing passes for want of a check)
        _LOG.error("rule %s failed: %s", rule.id, type(bug).__name__)
        reason = f"internal error in {rule.id}: {type(bug).__name__}"
        return (SayFinding(rule.label, SayAction.ABORT, 0, 0, reason, id=rule.id),)


@functools.cache
def _reviewer() -> Reviewer:
    return Reviewer(builtin_policy())


def _named(given: Iterable[str | None] | None) -> tuple[str, ...]:
    return tuple(name for name in given or () if isinstance(name, str) and name.strip())


def _one_of(key: str, given: object, known: tuple[str, ...], default: str) -> str:
    if given is None:
        return default
    if given not in known:
        raise ValueError(f"{key} {given!r} is not known; allowed: {', '.join(known)}")
    return str(given)


# ── life cycles ──────────────────────────────────────────────────────────────────────────────────


def _cycle(name: str) -> LifeCycle:
    return next(cycle for cycle in builtin_policy().life_cycles if cycle.name == name)


def validate_builder_transition(status: str, action: str) -> str | None:
    """None if the action may be applied to a builder in that status, else why not."""
    return life_cycles.validate(_cycle("builder"), status, action)


def validate_project_transition(status: str, action: str) -> str | None:
    """The same for a project."""
    return life_cycles.validate(_cycle("project"), status, action)


def next_builder_status(action: str) -> str:
    """The status that the action leads to. Raises UnknownAction."""
    return life_cycles.next_status(_cycle("builder"), action)


def next_project_status(action: str) -> str:
    """The same for a project."""
    return life_cycles.next_status(_cycle("project"), action)


def reason_required(action: str) -> bool:
    """Whether whoever applies the action must say why."""
    return life_cycles.reason_required(builtin_policy().life_cycles, action)


# ── patterns by name ─────────────────────────────────────────────────────────────────────────────


class NamedPattern:
    """Rules of one label as a pattern: `search`, `label`, `mode`, `max_span`."""

    def __init__(self, *ids: str) -> None:
        rules = {rule.id: rule for rule in builtin_policy().rules}
        self._rules = tuple(StreamRule(rules[i], builtin_policy().lists, 0) for i in ids)
        self.label = self._rules[0].rule.label
        self.mode = self._rules[0].rule.action.value
        self.max_span = max(rule.max_span for rule in self._rules)

    def search(self, text: str) -> tuple[int, int] | None:
        """Raw offsets of the first match in `text`, folded as streams are; None without one."""
        seen = folded(text)
        head = chr(START).encode()
        data = head + seen.text.encode("utf-8", "replace")
        spans = [span for rule in self._rules for span in rule.matches(data, 0, final=True)]
        if not spans:
            return None
        start, end = min(spans)
        at = len(data[len(head) : start].decode())
        return seen.raw(at), seen.raw_end(at + len(data[start:end].decode()), len(text))


PHONE_PATTERN = NamedPattern("CONTACT_LEAK_PHONE")
EMAIL_PATTERN = NamedPattern("CONTACT_LEAK_MAIL", "CONTACT_LEAK_MAIL_HOST")
CONTACT_LEAK_PATTERN = NamedPattern(
    "CONTACT_LEAK_PHONE", "CONTACT_LEAK_MAIL", "CONTACT_LEAK_MAIL_HOST"
)
BUSINESS_LEAK_PATTERN = NamedPattern("BUSINESS_LEAK")
MARKDOWN_PATTERN = NamedPattern("NO_MARKDOWN", "NO_MARKDOWN_UNDERSCORES")
PLACEHOLDER_NAME_PATTERN = NamedPattern("PLACEHOLDER_LEAK_NAME")
PLACEHOLDER_PRICE_PATTERN = NamedPattern("PLACEHOLDER_LEAK_PRICE")
PLACEHOLDER_CUID_PATTERN = NamedPattern("PLACEHOLDER_LEAK_ID")
PLACEHOLDER_VAR_PATTERN = NamedPattern("PLACEHOLDER_LEAK_VAR")
PRICE_DISCOUNT_COMMIT_PATTERN = NamedPattern("PRICE_COMMITMENT_LEAK_DISCOUNT")
PRICE_FINAL_COMMIT_PATTERN = NamedPattern("PRICE_COMMITMENT_LEAK_FINAL")
COMMISSION_PATTERN = NamedPattern("COMMISSION_DISCUSSION_LEAK")
SECRET_LEAK_PATTERN = NamedPattern(
    "SECRET_LEAK_VENDOR",
    "SECRET_LEAK_FIXED",
    "SECRET_LEAK_TOKEN",
    "SECRET_LEAK_BEARER",
    "SECRET_LEAK_BEARER_ANY_CASE",
    "SECRET_LEAK_KEY",
    "SECRET_LEAK_CLOUD",
    "SECRET_LEAK_URL",
)
