"""What a server's tools would count as, and what is odd in what they say (flow.md §4.3 `inspect`).

A description is read by the agent like an order. Notes name what a person should look at; they
clear and block nothing. Does not catch: an order that is written like an explanation.
"""

# ruff: noqa: E501  # one pattern per line is easier to compare than wrapped ones

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tripwire.act.role import variants
from tripwire.errors import NotCanonical
from tripwire.model.policy import Role, ToolRoles
from tripwire.text import fold, urls
from tripwire.text.canonical import canonical_bytes
from tripwire.text.decode import layers
from tripwire.workbench.draft import Drafted, draft_policy

LONG = 4000
"""Characters of a description that nobody reads to the end."""

_PINNED = (
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    "icons",
    "execution",
)
_ORDERS = (
    (re.compile(r"\b(?:ignore|disregard|forget) (?:all |any |the )?(?:previous|prior|above|other)\b"), "overrides other instructions"),
    (re.compile(r"\b(?:do not|don't|never|without) (?:tell|telling|mention|mentioning|show|showing|inform|informing|notify|notifying|ask|asking) (?:this |it |anything )?(?:to )?(?:the )?user\b"), "keeps something from the user"),
    (re.compile(r"<(?:important|system|secret|instructions?|hidden)\b"), "is marked up like an order"),
    (re.compile(r"\b(?:before|after|whenever|when|prior to) (?:using|calling|you use|you call|invoking) (?:this|any|other|another)\b.{0,80}?\b(?:must|always|first|read|call|send|pass)\b"), "orders what to do besides the call"),
    (re.compile(r"(?:~/\.|\.ssh\b|id_rsa|\.env\b|\.aws\b|/etc/passwd|mcp\.json|\.cursor\b)"), "names private files"),
    (re.compile(r"\b(?:you must|always) (?:call|use|send|forward|include|read|pass)\b"), "orders what to do besides the call"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Inspected:
    """One tool: its role, by whom, its fingerprint and what is odd about it."""

    name: str
    status: str
    """`described` (the policy has a role), `drafted` (a proposal) or `unclassified`."""
    role: Mapping[str, object]
    why: tuple[str, ...]
    fingerprint: str
    """SHA-256 over the canonical form of what it says of itself; "" if there is no such form."""
    notes: tuple[str, ...]


def inspected(
    tools: Sequence[Mapping[str, object]], *, source: str, roles: ToolRoles | None
) -> tuple[Inspected, ...]:
    """Every tool of a `tools/list`, in its order; `roles` are those of the policy in force."""
    drafted = {each.tool: each for each in draft_policy(tools, source=source).roles}
    names = [str(tool.get("name", "")) for tool in tools]
    return tuple(
        _one(tool, name, drafted.get(name), _described(roles, name), _notes(tool, name, names))
        for tool, name in zip(tools, names, strict=True)
    )


def _described(roles: ToolRoles | None, name: str) -> tuple[Role, ...]:
    return variants(roles, name) if roles is not None else ()


def _one(
    tool: Mapping[str, object],
    name: str,
    drafted: Drafted | None,
    described: tuple[Role, ...],
    notes: tuple[str, ...],
) -> Inspected:
    mark = fingerprint(tool)
    if described:
        said = " or ".join(dict.fromkeys(_in_words(role) for role in described))
        return Inspected(name, "described", {"role": said}, ("of the policy",), mark, notes)
    if drafted is not None:
        proposed = {"role": drafted.entry}
        return Inspected(name, "drafted", proposed, drafted.why, mark, notes)
    why = ("no word of its name says what it does",)
    unknown = {"reads": ["untrusted"], "writes": ["unknown"]}
    return Inspected(name, "unclassified", {"role": unknown}, why, mark, notes)


def _in_words(role: Role) -> str:
    if role.harmless:
        return "harmless"
    if role.classifier:
        return f"by its {role.classifier}"
    reads = ", ".join(sorted(label.value for label in role.reads)) or "nothing"
    writes = ", ".join(sorted(name.value for name in role.writes)) or "nothing"
    return f"reads {reads}; writes {writes}"


def fingerprint(tool: Mapping[str, object]) -> str:
    """SHA-256 hex of what a tool says of itself; changes when the definition does."""
    try:
        said = canonical_bytes({key: tool[key] for key in _PINNED if key in tool})
    except NotCanonical:
        return ""
    return hashlib.sha256(said).hexdigest()


def _notes(tool: Mapping[str, object], name: str, names: Sequence[str]) -> tuple[str, ...]:
    found = []
    if names.count(name) > 1:
        found.append("two tools have this name")
    if not name.isascii() or fold.invisible(name):
        found.append("its name can be mistaken for another")
    for place, text in _texts({key: tool.get(key) for key in _PINNED if key != "name"}, ""):
        found += [f"{place} {what}" for what in _odd(text, name, names)]
    return tuple(dict.fromkeys(found))


def _odd(text: str, name: str, names: Sequence[str]) -> Iterator[str]:
    if fold.invisible(text):
        yield "holds invisible characters"
    if len(text) > LONG:
        yield f"has {len(text):,} characters"
    told = [fold.folded(fold.visible(text)), *(fold.folded(each.text) for each in layers(text))]
    for pattern, what in _ORDERS:
        if any(pattern.search(" ".join(each.split()).casefold()) for each in told):
            yield what
    others = [each for each in names if each != name and len(each) > 5 and each in text]
    if others:
        yield f"speaks of another tool ({others[0]})"
    if urls.emails(text):
        yield "holds an e-mail address"


def _texts(value: object, place: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Every text of a definition with its place; keys too, as the agent reads them."""
    if depth > 32:
        return
    if isinstance(value, str):
        yield place or "it", value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield place or "it", str(key)
            yield from _texts(inner, f"{place}.{key}".lstrip("."), depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner, place, depth + 1)
