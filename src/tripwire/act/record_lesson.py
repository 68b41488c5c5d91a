"""What records and free texts a result teaches (flow-rules.md §3.1), and what a call leaves behind.

A write's result teaches only the ids it made: an echo launders nothing. Neither does the result of
a call that was given a stranger's words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tripwire.act.arguments import all_texts
from tripwire.act.facts import CallFacts
from tripwire.memory import held_records
from tripwire.memory.held_records import Held, HeldRecords, Source
from tripwire.model.event import ToolCall, ToolResult
from tripwire.model.label import Label, Trust, WriteClass
from tripwire.model.policy import Role
from tripwire.rule import Case
from tripwire.text import content, urls, words

_FETCH = frozenset({WriteClass.EXTERNAL})


def learn_records(
    event: ToolResult, facts: CallFacts, case: Case, source: Source, *, carried: bool
) -> None:
    """Take the records of this result in."""
    role, held = facts.role, case.memory.held
    if role is None or not facts.judged or event.is_error or event.omitted:
        return
    if role.writes and not role.carries_data:
        _created(event, role, held)
        return
    if carried and source.trust > Trust.MEMBER:
        return
    documents = list(content.documents(event.result))
    if source.trust is Trust.WORLD:
        _documents(event, held)
    if not role.records:
        return
    for document in documents:
        if isinstance(document, list):
            held.listed.update(x for x in document if isinstance(x, str) and len(x) < 128)
        for leaves in held_records.records_in(document):
            _record(leaves, source, case)


def source_of(
    event: ToolResult, facts: CallFacts, case: Case, trust: Trust, receipt: int
) -> Source:
    """Where the records of this result come from."""
    given = [text for text in all_texts(event.args) if text]
    typed = case.memory.tokens.typed
    return Source(
        facts.role.kind if facts.role is not None else "",
        trust,
        Label.PRIVATE in facts.reads,
        receipt,
        asked=bool(given),
        asked_by_user=all(typed(text) or text.isdigit() for text in given),
        own_only=(roles := case.policy.flow.tools.get(event.source)) is not None and roles.own_only,
    )


def _record(leaves: tuple[tuple[str, str], ...], source: Source, case: Case) -> None:
    flow, held = case.policy.flow, case.memory.held
    author = held_records.author_of(leaves)
    if source.trust is Trust.WORLD and _domain(author) in flow.own_domains:
        source = _as_member(source)
    me = {mine.casefold() for mine in flow.me}
    own = source.trust >= Trust.PLATFORM or author.casefold() in me
    held.add(Held(source, leaves, own, author))
    if source.trust is Trust.MEMBER and author:
        free = [v for k, v in leaves if not held_records.is_structural(k, v)]
        held.write(held.letters, author, "\n".join(free))


def _as_member(source: Source) -> Source:
    return replace(source, trust=Trust.MEMBER)


def _domain(author: str) -> str:
    return author.rpartition("@")[2].casefold() if "@" in author else "\0"


def _documents(event: ToolResult, held: HeldRecords) -> None:
    """A stranger's text, by each address that it was fetched by."""
    for given in all_texts(event.args):
        if ("." in given or "/" in given) and len(given) < 1024:
            held.write(held.documents, given, "\n".join(content.texts(event.result)))


def _created(event: ToolResult, role: Role, held: HeldRecords) -> None:
    """The ids of what a call made, which it was not given."""
    given = set(all_texts(event.args))
    for document in content.documents(event.result):
        for leaves in held_records.records_in(document):
            made = held_records.author_of(()) or next(_ids(leaves), "")
            if made and made not in given:
                held.created.add((role.kind, made))


def _ids(leaves: tuple[tuple[str, str], ...]) -> Iterator[str]:
    return (value for key, value in leaves if held_records.is_id(key))


def learn_attempt(event: ToolCall, facts: CallFacts, held: HeldRecords) -> None:
    """What a call that was let through leaves behind: links opened, recipients paid."""
    for place in facts.places:
        if not place.sends and place.kind == "url":
            held.opened.setdefault(urls.host_of(place.value), set()).add(place.value)
        if WriteClass.COMMIT in place.classes:
            held.paid.add((event.source, event.tool, words.fold(place.value)))
