"""Policy of what a model may say: rules, packs, life cycles (say.md §2). Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class SayAction(StrEnum):
    """What a match does, mildest first."""

    OBSERVE = "observe"
    REDACT = "redact"
    REPLACE = "replace"
    ABORT = "abort"


STREAM_KINDS = frozenset({"regex", "phrases", "near"})
"""Kinds of rules that a stream can decide; the others look at a finished reply (§2.3)."""


@dataclass(frozen=True, slots=True)
class SayRule:
    """One rule (§2.2). `label` is the id that people and programs see; rules may share one."""

    id: str
    label: str
    kind: str = "regex"
    action: SayAction = SayAction.OBSERVE
    patterns: tuple[str, ...] = ()
    """Patterns or literal phrases; of `near` the first list."""
    others: tuple[str, ...] = ()
    """The second list of `near`."""
    within: int = 0
    flags: str = ""
    before_not: str = ""
    after_not: str = ""
    where: tuple[str, ...] = ()
    replacement: str = ""
    retry_hint: str = ""
    bound: int = 256
    detail: str = ""
    """What a violation says after the label; "" for the text of the match."""
    streams: bool = True
    """Whether it runs in a stream too."""
    options: Mapping[str, object] = field(default_factory=dict)
    """What its kind needs beside: lists, caps, cues."""
    match: tuple[str, ...] = ()
    no_match: tuple[str, ...] = ()
    """Texts it must and must not match, tried by `tripwire say lint`."""


@dataclass(frozen=True, slots=True)
class LifeCycle:
    """States and the actions that lead to them (§2.6)."""

    name: str
    label: str
    states: tuple[str, ...]
    actions: Mapping[str, str]
    """Action → the state it leads to."""
    terminal: str
    """From this state only `undo` leads away."""
    undo: str
    silent: frozenset[str] = frozenset()
    """Actions that need no reason."""


@dataclass(frozen=True, slots=True)
class Pack:
    """Rules in the order of their findings, lists they share, and life cycles."""

    name: str
    rules: tuple[SayRule, ...] = ()
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    life_cycles: tuple[LifeCycle, ...] = ()
    profiles: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SayPolicy:
    """Everything a guard or a review needs to know."""

    rules: tuple[SayRule, ...] = ()
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    life_cycles: tuple[LifeCycle, ...] = ()
    max_span: int = 1300
