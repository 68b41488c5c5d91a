"""Which records trusted sources hold, by the words that name them (gateway.md P-10, C-9).

Counts in how many records a word stands, so that a goal's rarest words can be told.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tripwire.memory.leaves import Record
from tripwire.text import fold, numerals, values
from tripwire.text.lexicon import lexicon
from tripwire.text.paths import opened_json

MAX_NAME = 240
MAX_PROSE = 65_536
MAX_RECORDS = 64
"""A word in more records than this names none of them."""

_NAME_FIELD = re.compile(
    r"(?:^|_|\b)(?:name|title|vendor|customer|company|supplier|merchant|payee|beneficiary|owner|"
    r"holder|contact|client|organi[sz]ation|firm|label|e?_?mail|nombre|nom|firma|slug|handle|"
    r"username|display_name|full_name|legal_name|employee|person|user)s?$",
    re.IGNORECASE,
)
_NO_IDENTITY_FIELD = re.compile(
    r"(?:^|_|\b)(?:request|req|trace|correlation|span|session|nonce|time|timestamp|ts|date|version|"
    r"etag|hash|checksum|digest|status|state|type|kind|format|encoding|country|network|chain|scheme|"
    r"currency|bank|bic|query|input|echo|message|msg|error|note|notes|memo|comment|description|"
    r"result|reason|warning|hint|algorithm|locale|lang|language|unit|code|out|output|transaction|tx|"
    r"draft|job|event)(?:_?id)?s?$",
    re.IGNORECASE,
)
_STATUS = lexicon(
    "ok okay valid invalid active inactive pending success successful error failed failure unknown "
    "none null true false yes no not found record records match matching created updated stored "
    "saved submitted accepted rejected completed done normalized new open closed approved verified "
    "unverified enabled disabled paid unpaid due draft wallet address iban account vendor customer "
    "the a an for with is was has value query result echo of to from"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[^\W_]+(?:[-'.&][^\W_]+)*")
_END = re.compile(r"[.!?](?:\s|$)")


def identifies(name: str, text: str) -> bool:
    """Whether a field names its record: an id, an e-mail address, or a name; no prose."""
    field_name = _CAMEL.sub("_", name)
    bare = text.strip()
    if not bare or len(bare) > 120 or _NO_IDENTITY_FIELD.search(field_name):
        return False
    typed = values.whole(bare)
    if typed is not None:
        return typed.kind in ("id", "email")
    words = _WORD.findall(bare)
    if not words or len(words) > 8 or numerals.currency(bare) or len("".join(words)) < 2:
        return False
    if _END.search(bare[:-1]) or all(word.casefold() in _STATUS for word in words):
        return False
    if _NAME_FIELD.search(field_name):
        return True
    return all(
        word[0].isupper() or not word.isascii() or word[0].isdigit() for word in words[:1]
    ) and (not any(word.casefold() in _STATUS for word in words))


@functools.lru_cache(maxsize=8192)
def _short_words(text: str) -> tuple[str, ...]:
    return tuple(_name_words(text))


def name_words(text: str) -> Iterable[str]:
    """The folded words of a name, ids whole and by their parts."""
    return _short_words(text) if len(text) <= MAX_NAME else _name_words(text)


def _name_words(text: str) -> Iterator[str]:
    for word in _WORD.findall(fold.nfkc(text)):
        yield _plain(word)
        if "-" in word or "'" in word or "." in word or "&" in word:
            yield from (_plain(part) for part in re.split(r"[-'.&]", word) if part)


def _plain(word: str) -> str:
    """Case and accents folded; look-alike letters of other scripts stay what they are."""
    if word.isascii():
        return word.lower()
    split = unicodedata.normalize("NFKD", word.casefold())
    bare = "".join(char for char in split if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", bare)


def record_words(record: Record) -> frozenset[str]:
    """Every word that names a record."""
    found: set[str] = set(name_words(record.under))
    for name, text in record.fields():
        if len(text) <= MAX_NAME and not _MONEY_OR_STATUS.search(name):
            found.update(name_words(text))
    return frozenset(found)


_MONEY_OR_STATUS = re.compile(
    r"^(?:currency|status|state|note|notes|memo|comment|message)$", re.IGNORECASE
)


@dataclass(slots=True)
class Records:
    """Word → the records that hold it."""

    by_word: dict[str, set[str]] = field(default_factory=dict)

    def learn(self, document: object, source: str) -> None:
        """Take in the records of a trusted document."""
        for record in _objects(opened_json(document), (), 64):
            words = record_words(record)
            identity = f"{source}\0{record.identity or ' '.join(sorted(words))[:200]}"
            for word in words:
                held = self.by_word.setdefault(word, set())
                if len(held) <= MAX_RECORDS:
                    held.add(identity)

    def count(self, word: str) -> int:
        """In how many records a word stands; 0 for none."""
        return len(self.by_word.get(word, ()))

    def snapshot(self) -> object:
        """A comparable copy."""
        return {word: frozenset(held) for word, held in self.by_word.items()}


def _objects(value: object, outer: tuple[dict[str, object], ...], depth: int) -> Iterator[Record]:
    if depth <= 0:
        return
    if isinstance(value, dict):
        if any(isinstance(item, str) for item in value.values()):
            yield Record((value,), _identity(value))
        for key, item in value.items():
            if isinstance(item, dict) and not any(k in item for k in ("name", "id")):
                # An object under a name is named by it: {"Acme": {"wallet": …}}.
                yield Record((item,), str(key), str(key))
            if not isinstance(item, str):
                yield from _objects(item, (value,), depth - 1)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _objects(item, outer, depth - 1)
    elif isinstance(value, str) and not outer:
        for line in value[:MAX_PROSE].splitlines():
            if line.strip() and len(line) <= MAX_NAME:
                yield Record(({"text": line},), line)


def _identity(value: dict[str, object]) -> str:
    for name in ("id", "_id", "uuid", "key", "name"):
        found = value.get(name)
        if isinstance(found, str) and found:
            return found
    return ""
