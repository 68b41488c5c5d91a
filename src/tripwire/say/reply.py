"""A finished reply as the checks see it: raw, folded, prose and cards (say.md SAY-26, 27)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tripwire.errors import InputTooLarge
from tripwire.text.fold_map import Folded, folded

MAX_CHARS = 1_000_000
INTENTS = (
    "general_query",
    "project_query",
    "comparison_query",
    "visit_query",
    "builder_query",
    "budget_query",
    "intent_capture",
    "qualification_query",
)
PERSONAS = ("premium", "value", "investor", "unknown")
_OPEN, _CLOSE = "<!--CARD:", "-->"


@dataclass(frozen=True, slots=True)
class ReplyOptions:
    """What is known of the conversation; blank names are dropped."""

    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """`known_project_names`, `known_builder_names`, `unverified_project_names`."""
    question: str | None = None
    intent: str = "general_query"
    persona: str = "unknown"


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply."""

    text: str
    prose: str
    """The text with its cards blanked out: what stands in it has the same offsets."""
    seen: Folded
    """The prose, folded."""
    whole: Folded
    """The text, folded: what a stream would have seen."""
    cards: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]
    options: ReplyOptions


def reply_of(text: str, options: ReplyOptions) -> Reply:
    """The parts of a reply. Raises InputTooLarge before any work (SAY-28)."""
    if len(text) > MAX_CHARS:
        raise InputTooLarge(f"a reply of {len(text)} characters", fix=f"At most {MAX_CHARS}.")
    prose, cards, notes = _without_cards(text)
    return Reply(text, prose, folded(prose), folded(text), cards, notes, options)


def _without_cards(text: str) -> tuple[str, tuple[Mapping[str, Any], ...], tuple[str, ...]]:
    """Prose, cards and notes. What is no well-formed card stays prose, so that it hides nothing."""
    decoder = json.JSONDecoder()
    prose: list[str] = []
    cards: list[Mapping[str, Any]] = []
    notes: list[str] = []
    done = 0
    while (start := text.find(_OPEN, done)) >= 0:
        prose.append(text[done:start])
        body = start + len(_OPEN)
        try:
            card, end = decoder.raw_decode(text, body)
        except (ValueError, RecursionError):
            card, end = None, body
        if (
            text.startswith(_CLOSE, end)
            and isinstance(card, dict)
            and isinstance(card.get("type"), str)
        ):
            done = end + len(_CLOSE)
            cards.append(card)
            prose.append("\n" * (done - start))
        else:
            done = body
            notes.append(f"a card at character {start} is malformed and was ignored")
            prose.append(text[start:body])
    prose.append(text[done:])
    return "".join(prose), tuple(cards), tuple(notes)
