"""Kinds of checks that need a whole reply (say.md §2.3). Code knows no domain: lists are data."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import re2

from tripwire.model.say import SayPolicy, SayRule
from tripwire.say import names
from tripwire.say.predicates import negated, negated_inside
from tripwire.say.reply import Reply
from tripwire.text import secrets

Hit = tuple[int, int, str]
"""Raw offsets in the prose, and what the violation says."""

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


@functools.lru_cache(maxsize=512)
def _pattern(source: str, flags: str = "") -> Any:
    """A pattern of a pack, linear in the text whatever it is (SAY-17)."""
    return re2.compile(f"(?{flags}){source}" if flags else source)


def _words(rule: SayRule, name: str, policy: SayPolicy) -> tuple[str, ...]:
    """The words of an option: a list, or the name of one of the pack's."""
    given = rule.options.get(name, ())
    if isinstance(given, str):
        return policy.lists.get(given, ())
    return tuple(str(word) for word in given) if isinstance(given, list | tuple) else ()


def _names(rule: SayRule, key: str, reply: Reply) -> tuple[str, ...]:
    return reply.options.names.get(str(rule.options.get(key, "")), ())


def _span(reply: Reply, start: int, end: int, reason: str) -> Hit:
    return reply.seen.raw(start), reply.seen.raw_end(end, len(reply.prose)), reason


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def _invented(rule: SayRule, reply: Reply, policy: SayPolicy) -> Iterator[Hit]:
    """A run of capitalised words that ends in a listed word and is no known name (SAY-30)."""
    known = {names.form(name) for name in _names(rule, "known", reply)}
    also = rule.options.get("also", ())
    lists = also if isinstance(also, list | tuple) else ()
    known |= {names.form(word) for key in lists for word in policy.lists.get(str(key), ())}
    ways = names.Ways(
        frozenset(_words(rule, "suffixes", policy)),
        frozenset(_words(rule, "openers", policy)),
        _bounds(rule.options.get("words")),
        prefix=bool(rule.options.get("prefix")),
    )
    for start, end, name in names.invented(reply.seen.text, known, ways):
        yield _span(reply, start, end, f"{name!r} is no known name")


def _bounds(given: object) -> tuple[int, int]:
    if isinstance(given, list | tuple) and len(given) == 2:
        return int(given[0]), int(given[1])
    return 1, 5


def _count(rule: SayRule, reply: Reply, _: SayPolicy) -> Iterator[Hit]:
    """More than so many distinct known names."""
    named = [n for n in _names(rule, "names", reply) if names.stands_in(n, reply.seen.text)]
    distinct = sorted({names.form(name) for name in named})
    most = int(str(rule.options.get("most", 2)))
    if len(distinct) > most:
        yield 0, len(reply.prose), f"{len(distinct)} names, at most {most}"


def _areas(rule: SayRule, reply: Reply, policy: SayPolicy) -> Iterator[Hit]:
    """A listed area; a name that is a common word too needs a word before it that says so."""
    doubtful = set(_words(rule, "needs_context", policy))
    cue = _pattern(str(rule.options.get("context", ".")))
    text = reply.seen.text
    for area in _words(rule, "areas", policy):
        for start, end in names.places_of(area, text):
            before = text[max(0, start - 24) : start].split()
            if area in doubtful and not (before and cue.search(before[-1])):
                continue
            yield _span(reply, start, end, area)
            break


# ── cards ────────────────────────────────────────────────────────────────────────────────────────


def _cards(rule: SayRule, reply: Reply, policy: SayPolicy) -> Iterator[Hit]:
    """How many cards of which types may stand together."""
    options, types = rule.options, [str(card["type"]) for card in reply.cards]
    kind, most = options.get("type"), options.get("most")
    if kind is not None and most is not None and types.count(str(kind)) > int(str(most)):
        yield 0, 0, f"{types.count(str(kind))} cards of type {kind}, at most {most}"
    whole = options.get("most_of_all")
    if whole is not None and len(types) > int(str(whole)):
        yield 0, 0, f"{len(types)} cards, at most {whole}"
    for once in _words(rule, "once", policy):
        if types.count(once) > 1:
            yield 0, 0, f"two cards of type {once}"
    apart = options.get("apart", ())
    for pair in apart if isinstance(apart, list | tuple) else ():
        if {str(name) for name in pair} <= set(types):
            yield 0, 0, " with ".join(str(name) for name in pair)
    known = _words(rule, "known", policy)
    for unknown in sorted(set(types) - set(known)) if known else ():
        yield 0, 0, f"unknown card type {unknown[:40]!r}"


def _has_card(reply: Reply, wanted: object) -> bool:
    types = {card["type"] for card in reply.cards}
    return (
        bool(types & {str(name) for name in wanted}) if isinstance(wanted, list | tuple) else False
    )


def _has_token(reply: Reply, wanted: object) -> bool:
    if not isinstance(wanted, Mapping):
        return False
    return any(
        card["type"] == wanted.get("card")
        and str(card.get("token", "")).startswith(str(wanted.get("prefix")))
        for card in reply.cards
    )


# ── cues and claims ──────────────────────────────────────────────────────────────────────────────


def _requires(rule: SayRule, reply: Reply, _: SayPolicy) -> Iterator[Hit]:
    """A context and a cue, and none of several things that should then be there."""
    options = rule.options
    intents = options.get("intents", ())
    if not isinstance(intents, list | tuple) or reply.options.intent not in intents:
        return
    asked = _pattern(str(options.get("cue"))).search(reply.options.question or "") is not None
    if not asked and not _has_card(reply, options.get("listed_cards")):
        return
    if not any(names.stands_in(n, reply.seen.text) for n in _names(rule, "names", reply)):
        return
    said = _pattern(str(options.get("one_of"))).search(reply.seen.text) is not None
    if not said and not _has_card(reply, options.get("cards")):
        yield 0, len(reply.prose), "no next step is offered"


def _claims(rule: SayRule, reply: Reply, _: SayPolicy) -> Iterator[Hit]:
    """Statements that need something to stand on; one finding for each kind of them."""
    options = rule.options
    if _has_card(reply, options.get("excused_by")):
        return
    if _has_token(reply, options.get("excused_by_token")):
        return
    claims, text = options.get("claims"), reply.seen.text
    denied = "not_negated" in rule.where
    for name, source in claims.items() if isinstance(claims, Mapping) else ():
        for hit in _pattern(str(source), rule.flags).finditer(text):
            if denied and (negated(text, hit.start()) or negated_inside(hit.group())):
                continue
            yield _span(reply, hit.start(), hit.end(), str(name))
            break


_BOUNDARY = re.compile(r"[.!?\n]")


def _near(rule: SayRule, reply: Reply, _: SayPolicy) -> Iterator[Hit]:
    """Two things within so many characters, in one sentence if the rule says so."""
    text, flags = reply.seen.text, rule.flags
    one, other = (
        sorted(hit.span() for source in sources for hit in _pattern(source, flags).finditer(text))
        for sources in (rule.patterns, rule.others)
    )
    for first in one:
        for second in other:
            early, late = sorted((first, second))
            gap = text[early[1] : late[0]]
            if late[0] < early[1] or len(gap) > rule.within:
                continue
            broken = _BOUNDARY.search(gap) if rule.options.get("sentence") else "\n" in gap
            if broken or ("not_negated" in rule.where and negated(text, early[0])):
                continue
            yield _span(reply, early[0], late[1], "close together")
            return


def _figures(rule: SayRule, reply: Reply, _: SayPolicy) -> Iterator[Hit]:
    """A figure near an unverified name."""
    text = reply.seen.text
    before, after = (
        int(str(rule.options.get("before", 100))),
        int(str(rule.options.get("after", 200))),
    )
    figure = _pattern(str(rule.options.get("figure")))
    for name in _names(rule, "names", reply):
        for start, end in names.places_of(name, text):
            around = text[max(0, start - before) : start] + "\n" + text[end : end + after]
            if figure.search(around) is not None:
                yield _span(reply, start, end, f"a figure beside {name!r}")
                break


# ── words and scripts ────────────────────────────────────────────────────────────────────────────


def _word_cap(rule: SayRule, reply: Reply, _: SayPolicy) -> Iterator[Hit]:
    most = int(str(rule.options.get(reply.options.persona, rule.options.get("other", 100))))
    count = len(reply.prose.split())
    if count > most:
        yield 0, len(reply.prose), f"{count} words, at most {most}"


def _in_script(text: str, rule: SayRule) -> bool:
    low, high = _bounds(rule.options.get("script"))
    return not text.isascii() and any(low <= ord(char) <= high for char in text)


def _script(rule: SayRule, reply: Reply, _: SayPolicy) -> Iterator[Hit]:
    """A script that the question does not use."""
    if _in_script(reply.prose, rule) and not _in_script(reply.options.question or "", rule):
        yield 0, len(reply.prose), "a script that the question does not use"


def _density(rule: SayRule, reply: Reply, policy: SayPolicy) -> Iterator[Hit]:
    """The question is in a language that the reply hardly uses."""
    question = reply.options.question
    if not question:
        return
    if _in_script(question, rule):
        if not _in_script(reply.prose, rule):
            yield 0, len(reply.prose), "the question is in another script"
        return
    words = frozenset(_words(rule, "words", policy))
    asked, answered = (_share(text, words) for text in (question, reply.prose))
    least, most = float(str(rule.options.get("asked"))), float(str(rule.options.get("answered")))
    if asked > least and answered < most:
        yield 0, len(reply.prose), f"question {_percent(asked)} %, reply {_percent(answered)} %"


def _share(text: str, words: frozenset[str]) -> float:
    found = [word.casefold() for word in _WORD.findall(text)]
    return sum(word in words for word in found) / len(found) if found else 0.0


def _percent(share: float) -> int:
    return int(share * 100 + 0.5)


def _shapes(_rule: SayRule, reply: Reply, _: SayPolicy) -> Iterator[Hit]:
    """The catalogue of credential shapes that ACT uses."""
    for span in secrets.find(reply.seen.text):
        yield _span(reply, span.start, span.end, f"shape {span.rule}")


Check = Callable[[SayRule, Reply, SayPolicy], Iterator[Hit]]
CHECKS: Mapping[str, Check] = {
    "names": _invented,
    "count": _count,
    "areas": _areas,
    "cards": _cards,
    "requires": _requires,
    "claims": _claims,
    "near": _near,
    "figures": _figures,
    "words": _word_cap,
    "script": _script,
    "density": _density,
    "shapes": _shapes,
}
"""Kind → check."""
