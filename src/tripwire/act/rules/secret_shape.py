"""act/secret-shape — something that looks like a credential, not seen before, would leave.

Does not catch: a credential without a format of its own and without a name beside it; known values
are act/known-secret.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.act.facts import CallFacts, call_facts
from tripwire.act.paths import path_kinds
from tripwire.act.rules.known_secret import goes_out, outgoing, places_of
from tripwire.model.event import ToolCall
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule
from tripwire.text import decode, plausible, secret_signs, secrets

ID = "act/secret-shape"

_MAX_FINDINGS = 8
_QUICK_CHARS = 8192
"""Longer texts are read at once: they rarely are without anything that looks like a credential."""


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """Ask about each rule that recognises an unknown credential in what leaves."""
    limits = case.policy.flow.dlp
    facts = call_facts(event, case)
    if not limits.shapes or not goes_out(facts) or _only_fixtures(facts, case):
        return
    # No format is as short, nor what a few escapes would make of it.
    texts = [t for t in outgoing(event, case) if len(t) >= plausible.MIN_CHARS]
    if not texts:
        return
    cut = [t[: limits.max_kb * 1024] for t in texts]
    depth = min(limits.depth, 1)
    if _nothing(cut, depth, case):
        return
    places = places_of(event, facts)
    found: dict[str, int] = {}
    for text in cut:
        reading = _reading(text, depth, case)
        for rule, value in _recognised(reading):
            known = case.memory.secrets.knows(value)
            typed = all(case.memory.secrets.typed_for(value, place) for place, _ in places)
            if not known and not typed:
                found.setdefault(rule, len(value))
    for rule, length in list(found.items())[:_MAX_FINDINGS]:
        yield Finding(
            ID,
            Action.ASK,
            f"what looks like a credential ({rule}, {length} characters) "
            f"would go to {places[0][1]}",
            remedy="Leave it out, or let the user name it together with the destination.",
        )


def _nothing(texts: list[str], depth: int, case: Case) -> bool:
    """Whether a quick look at all of the texts together tells that none holds a credential."""
    known = case.memo.get("readings", {})
    if any(len(text) > _QUICK_CHARS or text in known for text in texts):
        return False
    if not depth:
        return not secrets.possible(texts)
    steps = [decode.OneStep(text) for text in texts]
    if secrets.possible([text for step in steps for text in step.texts]):
        return False
    quick = [data for step in steps for data in step.quick()]
    if not secret_signs.may_hold_any(quick):
        return True
    return not secret_signs.may_hold([part for step in steps for part in step.parts()])


def _reading(text: str, depth: int, case: Case) -> tuple[str, ...]:
    """The text and what one step of decoding makes of it; act/known-secret may have it already."""
    known: decode.Reading | None = case.memo.get("readings", {}).get(text)
    layers = known.layers if known is not None else decode.read(text, depth=depth).layers
    return tuple(layer.text for layer in layers if len(layer.via) <= depth)


def _recognised(layers: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if not secrets.possible(layers):
        return
    for span in secrets.find(layers[0]):
        yield span.rule, span.text(layers[0])
    for layer in layers[1:]:
        for span in secrets.find_shapes(layer):
            yield span.rule, span.text(layer)


def _only_fixtures(facts: CallFacts, case: Case) -> bool:
    """Whether everything goes into test fixtures of the working tree."""
    if not facts.writes or facts.places:
        return False
    kinds = path_kinds(case.policy.flow.paths, case.memory.files.home)
    return all(kinds.fixture.surely_has(write.path) for write in facts.writes)


RULE = Rule(ID, ToolCall, check)
