"""act/known-secret — a credential that the session has seen would leave with this call.

Whatever the class of the call and whoever chose the destination: in any argument, in any encoding
that `text/decode.py` undoes, in parts, together with what went there before (flow.md DLP-3..8).

Does not catch: an encrypted or paraphrased value, fewer than 60 % of its characters, a value that a
program reads and sends by itself (act/secret-out judges that by labels).
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.act.arguments import all_texts
from tripwire.act.facts import CallFacts, call_facts
from tripwire.memory.known_secrets import SecretHit
from tripwire.model.event import ToolCall
from tripwire.model.label import LEAVING, Label, Origin
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule

ID = "act/known-secret"

_CERTAIN = 0.9
"""From this part of a value on there is no doubt; below it a person may be asked."""

_MAX_PLACES = 16


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """Block a call that would carry a known value out; ask where only a part of one is there."""
    facts = call_facts(event, case)
    if not goes_out(facts):
        return
    limits = case.policy.flow.dlp
    texts = outgoing(event, case)
    found: dict[str, tuple[SecretHit, str]] = {}
    missed: set[str] = set()
    readings = case.memo.setdefault("readings", {})
    for place, shown in places_of(event, facts):
        scan = case.memory.secrets.scan(
            texts,
            place=place,
            depth=limits.depth,
            max_kb=limits.max_kb,
            fragments=limits.fragments,
            readings=readings,
        )
        missed.update(scan.not_scanned)
        for hit in scan.hits:
            found.setdefault(hit.fingerprint, (hit, shown))
    for hit, shown in found.values():
        yield _finding(hit, shown)
    if missed and Label.SECRET in case.memory.labels:
        yield _not_scanned(missed, case)


def goes_out(facts: CallFacts) -> bool:
    """Whether anything of the call leaves: by its class, its places, or to another agent."""
    delegates = facts.role is not None and facts.role.delegates
    return bool(facts.classes & LEAVING) or facts.leaves or delegates


def outgoing(event: ToolCall, case: Case) -> tuple[str, ...]:
    """Every text that could carry a value out: arguments as they are, and resolved words."""
    kept: tuple[str, ...] | None = case.memo.get("outgoing")
    if kept is None:
        facts = call_facts(event, case)
        words = facts.shell.words if facts.shell is not None else ()
        joined = ("\n".join(words),) if words else ()
        kept = tuple(dict.fromkeys((*all_texts(event.args), *facts.payload, *joined)))
        case.memo["outgoing"] = kept
    return kept


def places_of(event: ToolCall, facts: CallFacts) -> tuple[tuple[str, str], ...]:
    """(place, how it may be shown) of everything the call sends to; the tool itself if unnamed."""
    places = {p.value: p.shown or p.kind for p in facts.places[:_MAX_PLACES]}
    return tuple(places.items()) or ((event.exposed, event.exposed),)


def _finding(hit: SecretHit, shown: str) -> Finding:
    whole = hit.coverage >= _CERTAIN
    how = f", encoded ({' of '.join(hit.via)})" if hit.via and whole else ""
    part = "" if whole else f"{hit.coverage:.0%} of "
    return Finding(
        ID,
        Action.BLOCK if whole else Action.ASK,
        f"{part}a known secret ({hit.rule}, {hit.length} characters, "
        f"from {_seen(hit.origin)}){how} would go to {shown}",
        remedy="Send the text without the secret; refer to it by the name of its variable.",
        evidence=(hit.origin,),
    )


def _seen(origin: Origin) -> str:
    return ".".join(filter(None, (origin.source, origin.tool))) or "the session"


def _not_scanned(missed: set[str], case: Case) -> Finding:
    return Finding(
        ID,
        Action.BLOCK,
        f"a secret was read and this call could not be searched whole: {', '.join(sorted(missed))}",
        remedy="Send less at a time, as plain text.",
        evidence=case.memory.labels.origins(Label.SECRET),
    )


RULE = Rule(ID, ToolCall, check)
