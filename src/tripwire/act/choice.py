"""What the user chose: recipients and objects by records, people, listings (flow-rules.md §3.2).

Adds to what `act/places.py` clears by itself (typed, configured, loopback). Free text never
chooses; an address or id in a structural field of a record that the user named does.
Applies to tools that a policy describes, not to shell lines and files.

Does not catch: a stranger who writes the whole page that the user named (endorsed), a colleague who
misuses a delegation, a platform whose own fields can be forged (set `own_only` there).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from tripwire.act.places import Place
from tripwire.act.purpose import Purpose
from tripwire.memory.held_records import Text, number_of
from tripwire.memory.tokens import Bits
from tripwire.model.label import WriteClass
from tripwire.text import purpose, urls, words

MOST_LINKS = 3
"""Addresses of one host that a colleague's words may have opened in a session."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}[\d:.Z+-]*)?$")
_LOCAL = re.compile(r"[^\W\d_]{3,}")


def settled(places: tuple[Place, ...], wanted: Purpose) -> tuple[Place, ...]:
    """`places` with those cleared that the user chose through what the session holds."""
    if all(p.cleared for p in places):
        return places
    # Names first: an address may be chosen because it goes with the name (flow-rules.md §3.2, 6).
    named = tuple(_judged(p, places, wanted) if p.kind == "name" else p for p in places)
    return tuple(p if p.cleared or p.kind == "name" else _judged(p, named, wanted) for p in named)


def _judged(place: Place, places: tuple[Place, ...], wanted: Purpose) -> Place:
    if place.cleared or place.computed or place.kind == "query":
        return place
    if not place.sends:
        if _colleagues_link(place, wanted):
            return replace(place, cleared=True, untrusted=False, why="a colleague's link")
        return place
    why = _why(place, places, wanted)
    if not why:
        return place
    return replace(place, chosen=True, cleared=True, untrusted=False, unseen=False, why=why)


def _why(place: Place, places: tuple[Place, ...], wanted: Purpose) -> str:
    """The first reason for which a recipient is the user's choice, "" for none."""
    if place.kind == "email" and not place.value.isascii():
        return ""
    value, classes = place.value, place.classes
    if _of_record(value, wanted):
        return "of a record you named"
    if place.kind == "email" and _of_person(value, wanted):
        return "a person you named"
    inside = classes <= {WriteClass.PRIVILEGED, WriteClass.INTERNAL}
    known = wanted.case.memory.tokens.seen(value).bits & Bits.PLATFORM
    if inside and known and not wanted.strict:
        return "in your directory"
    addressed = classes & {WriteClass.PRIVILEGED, WriteClass.EXTERNAL}
    if place.kind == "email" and addressed and _endorsed(value, places, wanted):
        return "on the page you named, beside the name you gave"
    if inside and place.kind == "name" and wanted.licensed:
        if any(_whole_in(value, letter.text) for letter in delegated(wanted)):
            return "in the message you told me to follow"
        if WriteClass.PRIVILEGED in classes and value in wanted.held.listed:
            return "listed by the service"
    return ""


def _of_record(value: str, wanted: Purpose) -> bool:
    held = wanted.held
    for index in held.pins:
        record = held.records[index]
        if not record.holds(value):
            continue
        pin = held.pinned(index)
        if pin is None:
            continue
        own_only = wanted.own_only or record.source.own_only
        if record.own or (not own_only and pin.score == 1 and not held.ambiguous(index)):
            return True
    return False


def _of_person(value: str, wanted: Purpose) -> bool:
    """The user wrote to this address before, and said a word of it; nobody else answers to it."""
    own = wanted.held.own_addresses
    if wanted.strict or value.casefold() not in own:
        return False
    return any(
        word in wanted.held.words and sum(word in _local(other) for other in own) == 1
        for word in _local(value)
    )


def _local(address: str) -> frozenset[str]:
    return frozenset(_LOCAL.findall(address.rpartition("@")[0].casefold()))


def _endorsed(value: str, places: tuple[Place, ...], wanted: Purpose) -> bool:
    pages = [] if wanted.strict else named_sources(wanted)
    said = wanted.held.words | _words_of_chosen(places)
    for page in pages:
        if not _whole_in(value, page.text):
            continue
        others = {m.casefold() for m in urls.emails(page.text)} - {value.casefold()}
        for word in _local(value) & said:
            alone = not any(word in _local(other) for other in others)
            if alone and (len(pages) == 1 or word in page.where.casefold()):
                return True
    return False


def _words_of_chosen(places: tuple[Place, ...]) -> frozenset[str]:
    chosen = (place.value for place in places if place.chosen)
    return frozenset(word for value in chosen for word in _LOCAL.findall(value.casefold()))


def delegated(wanted: Purpose) -> Iterator[Text]:
    """Messages whose author the user named ("do what David's mail says")."""
    if wanted.strict:
        return
    typed = wanted.case.memory.tokens.typed
    yield from (t for t in wanted.held.letters if t.where and _names(t.where, wanted, typed))


def _names(author: str, wanted: Purpose, typed: object) -> bool:
    if callable(typed) and typed(author):
        return True
    local = _local(author)
    return bool(local) and local <= wanted.held.words


def named_sources(wanted: Purpose) -> list[Text]:
    """Strangers' texts that were fetched by an address the user gave."""
    letters = list(delegated(wanted))
    typed = wanted.case.memory.tokens.typed
    return [
        page
        for page in wanted.held.documents
        if typed(page.where) or any(_whole_in(page.where, letter.text) for letter in letters)
    ]


def _colleagues_link(place: Place, wanted: Purpose) -> bool:
    seen = wanted.case.memory.tokens.seen(place.value).bits
    if wanted.strict or not seen & Bits.MEMBER or place.kind not in ("url", "host"):
        return False
    opened = wanted.held.opened.get(urls.host_of(place.value) or place.value, set())
    return place.value in opened or len(opened) < MOST_LINKS


def _whole_in(value: str, text: str) -> bool:
    """Whether `value` stands in `text` as a whole (flow.md PROV-7)."""
    folded, whole = text.casefold(), value.casefold()
    at = folded.find(whole)
    while at >= 0:
        after = folded[at + len(whole) : at + len(whole) + 2]
        goes_on = after[:1].isalnum() or (after[:1] in tuple("_%+-@.") and after[1:2].isalnum())
        if not folded[at - 1 : at].isalnum() and not goes_on:
            return True
        at = folded.find(whole, at + 1)
    return False


# ── objects ──────────────────────────────────────────────────────────────────────────────────


def object_ok(value: str, kind: str, wanted: Purpose, *, internal: bool) -> bool:
    """Whether the user picked this object out (flow-rules.md §3.4)."""
    held = wanted.held
    if (kind, value) in held.created or wanted.case.memory.tokens.typed(value):
        return True
    known = [i for i in held.by_id.get(value, ()) if held.records[i].source.kind == kind]
    for index in known:
        pin = held.pinned(index)
        if pin is not None and (internal or pin.score == 1) and not held.ambiguous(index):
            return True
        if internal and _in_delegated(index, wanted):
            return True
    if any(_is_extremum(index, wanted) for index in known):
        return True
    if not (internal and wanted.concept == "upd" and wanted.licensed):
        return False
    sources = [held.records[i].source for i in held.by_id.get(value, ())]
    if not sources:
        return not wanted.case.memory.tokens.seen(value).untrusted
    return any(source.asked_by_user for source in sources)


def _in_delegated(index: int, wanted: Purpose) -> bool:
    names = [v for k, v in wanted.held.records[index].leaves if k in ("filename", "title")]
    return any(_whole_in(n, letter.text) for n in names for letter in delegated(wanted))


def _is_extremum(index: int, wanted: Purpose) -> bool:
    """The only largest, oldest, cheapest … of its kind, where the user said so (OBJ-3)."""
    held = wanted.held
    if held.full or wanted.strict:
        return False
    kind = held.records[index].source.kind
    for word in held.words & purpose.SUPERLATIVES.keys():
        end, sort = purpose.SUPERLATIVES[word]
        keys = purpose.FIELDS.get(sort, held.words)
        same = {id_of(r.leaves): r for r in held.records if r.source.kind == kind}.values()
        for key in keys:
            found = [(v, r) for r in same if (v := _measure(r.leaves, key)) is not None]
            if len(found) < 2 or len(found) != len(same):
                continue
            best = max(v for v, _ in found) if end == "max" else min(v for v, _ in found)
            winners = [r for v, r in found if v == best]
            if len(winners) == 1 and id_of(winners[0].leaves) == id_of(held.records[index].leaves):
                return True
    return False


def id_of(leaves: tuple[tuple[str, str], ...]) -> str:
    """The id of a record."""
    return next((v for k, v in leaves if k in ("id", "id_") or k.endswith("_id")), "")


def _measure(leaves: tuple[tuple[str, str], ...], key: str) -> tuple[int, float, str] | None:
    value = next((v for k, v in leaves if k == key), None)
    if value is None:
        return None
    plain = value.replace(".", "", 1)
    if plain.isdigit():
        return (0, float(value), "")
    return (1, 0.0, value) if value[:4].isdigit() else None


def private_leaf(value: str) -> bool:
    """A value that could name a person's secret: 8 characters and a digit."""
    if _DATE.match(value):
        return False  # a date carries no secret of its own (TYPE-1)
    return len(value) >= 8 and any(c.isdigit() for c in value) and number_of(value) is None


def rare_runs(text: str) -> Iterator[str]:
    """Tokens of six characters with four digits (flow-rules.md §3.5 step 10)."""
    for run in words.runs(text):
        if len(run) >= 6 and sum(c.isdigit() for c in run) >= 4:
            yield run
