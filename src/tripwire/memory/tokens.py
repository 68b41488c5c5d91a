"""Every token of the session and who it came from: the flow half of the one index (PROV-1..7).

A text is tokenised once, when it is learnt; every question is a lookup in a hash table, so that a
decision costs the same after ten results and after ten thousand. Texts themselves are not kept
(the receipts hold them), but for the user's own words, which are few.

Keys are Python's own string hashes: 60 bits of them, keyed by the process, so that nobody can
prepare a collision. One by chance can only make a stranger's token look seen: the user's words are
compared as text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum

from tripwire.model.label import Label, Origin, Trust
from tripwire.text import words

_POSTINGS = 8
_BITS = 16
_MASK = (1 << _BITS) - 1
_RECEIPT = 32
_SPARED = 4
"""Bits of a hash that are left out: with them a key would take half as much memory again."""


class Bits(IntEnum):
    """Where a token has been seen; never capped, never taken back (PROV-2, STATE-6).

    Combinations are plain numbers: a decision asks for them a hundred times.
    """

    USER = 1
    PLATFORM = 2
    MEMBER = 4
    WORLD = 8
    TAINTED = 16
    """In the result of a call whose arguments or sources were a stranger's (PROV-5)."""
    AGENT = 32
    """The agent's own making after untrusted text (PROV-3)."""
    PRIVATE = 64
    SECRET = 128
    FIRST_TRUSTED = 256
    """A trusted source had it before any untrusted one (PROV-4)."""
    ESTABLISHED = 512
    """Seen in trusted text before the session read anything untrusted (DEST-1)."""


UNTRUSTED = Bits.MEMBER | Bits.WORLD | Bits.TAINTED
_NOT_AGENT = ~Bits.AGENT
_CLEARED = Bits.USER | Bits.FIRST_TRUSTED
_OF_TRUST = {
    Trust.WORLD: Bits.WORLD,
    Trust.MEMBER: Bits.MEMBER,
    Trust.PLATFORM: Bits.PLATFORM,
    Trust.USER: Bits.USER,
}


def bits_of(trust: Trust, labels: Iterable[Label], *, tainted: bool = False) -> int:
    """The bits of a result of that trust and with those labels."""
    bits: int = Bits.TAINTED if tainted and trust > Trust.MEMBER else _OF_TRUST[trust]
    held = frozenset(labels)
    bits |= Bits.PRIVATE if Label.PRIVATE in held else 0
    return bits | (Bits.SECRET if Label.SECRET in held else 0)


@dataclass(frozen=True, slots=True)
class Sighting:
    """What is known of one value: all its bits, and where it was met first."""

    bits: int = 0
    origins: tuple[Origin, ...] = ()
    private_texts: int = 0
    """How many of the first texts that hold it were private."""

    @property
    def unseen(self) -> bool:
        """No text of the session holds it."""
        return not self.bits & _NOT_AGENT

    @property
    def untrusted(self) -> bool:
        """A stranger could have brought it, and the user did not say it (PROV-4)."""
        tainted = bool(self.bits & UNTRUSTED)
        return tainted and not self.bits & _CLEARED


_NOWHERE = Sighting()


@dataclass(slots=True)
class Tokens:
    """Hash of a token → its bits and the first receipts that hold it."""

    _entries: dict[int, int] = field(default_factory=dict)
    _sources: dict[int, Origin] = field(default_factory=dict)
    _private: set[int] = field(default_factory=set)
    _user: dict[str, int] = field(default_factory=dict)
    _user_texts: list[str] = field(default_factory=list)

    # ── learning ─────────────────────────────────────────────────────────────────────────────

    def learn(self, texts: Iterable[str], bits: int, origin: Origin, *, established: bool) -> None:
        """Take in a result's texts. `established`: nothing untrusted has been read so far."""
        receipt = origin.receipt
        self._sources.setdefault(receipt, origin)
        if bits & Bits.PLATFORM and established:
            bits |= Bits.ESTABLISHED
        if bits & (Bits.PRIVATE | Bits.SECRET):
            self._private.add(receipt)
        found: set[str] = set()
        for text in texts:
            found.update(words.tokens(text))
        self._add(found, bits, receipt)

    def _add(self, found: Iterable[str], bits: int, receipt: int) -> None:
        entries = self._entries
        trusted_first = bits | Bits.FIRST_TRUSTED if bits & Bits.PLATFORM else bits
        posting = receipt << _BITS
        full = 1 << (_BITS + _RECEIPT * (_POSTINGS - 1))
        first = posting | trusted_first  # one number for all that are new
        for token in found:
            key = hash(token) >> _SPARED
            entry = entries.get(key)
            if entry is None:
                entries[key] = first
            elif entry < full:
                count = (entry.bit_length() + _RECEIPT - 1 - _BITS) // _RECEIPT
                entries[key] = entry | bits | (receipt << (_BITS + _RECEIPT * count))
            elif entry & bits != bits:
                entries[key] = entry | bits

    def learn_user(self, text: str, receipt: int) -> None:
        """The user's own words, with sentences that were glued together taken apart."""
        self._user_texts.append(text.casefold())
        for variant in (text, words.sentences(text)):
            for token in words.tokens(variant):
                self._user.setdefault(token, receipt)

    def learn_agent(self, texts: Iterable[str], origin: Origin) -> None:
        """Arguments the agent wrote after untrusted text: what nobody said before is its own."""
        self._sources.setdefault(origin.receipt, origin)
        entries = self._entries
        for text in texts:
            for token in words.tokens(text):
                key = hash(token) >> _SPARED
                if key not in entries and token not in self._user:
                    entries[key] = (origin.receipt << _BITS) | int(Bits.AGENT)

    # ── questions ────────────────────────────────────────────────────────────────────────────

    def seen(self, value: str) -> Sighting:
        """Everything known of `value` as a whole token, or as a run of words."""
        token = words.whole(value)
        if token:
            return self._sighting(token)
        parts = words.runs(value)
        if not parts:
            return _NOWHERE
        sightings = [self._sighting(part) for part in dict.fromkeys(parts)]
        if any(not sighting.bits for sighting in sightings):
            return _NOWHERE
        return min(sightings, key=lambda s: len(s.origins))

    def token(self, token: str) -> Sighting:
        """What is known of one token, as `text/words.py` spells it."""
        return self._sighting(token)

    def _sighting(self, token: str) -> Sighting:
        entry = self._entries.get(hash(token) >> _SPARED, 0)
        user = self._user.get(token)
        if not entry and user is None:
            return _NOWHERE
        bits = entry & _MASK
        if user is not None:
            bits |= Bits.USER
        if not bits:
            return _NOWHERE
        receipts = _receipts(entry >> _BITS)
        origins = tuple(self._sources[r] for r in receipts if r in self._sources)
        return Sighting(bits, origins, sum(r in self._private for r in receipts))

    def typed(self, value: str) -> bool:
        """Whether the user said `value`: a whole token, not a trifle (flow-rules.md §3.1)."""
        value = value.strip()
        if len(value) < 3 or (value.isdigit() and len(value) < 4):
            return False
        token = words.whole(value)
        if token:
            return token in self._user
        parts = words.runs(value)
        if not parts or any(part not in self._user for part in parts):
            return False
        phrase = value.casefold()
        return any(_whole_in(phrase, text) for text in self._user_texts)

    def typed_token(self, token: str) -> bool:
        """Whether the user said this token, as `text/words.py` spells it."""
        return token in self._user

    @property
    def size(self) -> int:
        """Tokens held."""
        return len(self._entries)

    def snapshot(self) -> object:
        """A comparable copy."""
        return {
            # The keys differ from process to process; what they stand for does not.
            "entries": sorted(Counter(self._entries.values()).items()),
            "sources": dict(self._sources),
            "user": dict(self._user),
            "user_texts": tuple(self._user_texts),
        }


def _receipts(postings: int) -> list[int]:
    found = []
    while postings:
        found.append(postings & ((1 << _RECEIPT) - 1))
        postings >>= _RECEIPT
    return found


def _whole_in(phrase: str, text: str) -> bool:
    """Whether `phrase` stands in `text` with no letter or digit glued to it (PROV-7)."""
    at = text.find(phrase)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(phrase) : at + len(phrase) + 2]
        if not before.isalnum() and not _goes_on(after):
            return True
        at = text.find(phrase, at + 1)
    return False


def _goes_on(after: str) -> bool:
    return after[:1].isalnum() or (after[:1] in tuple("_%+-@.") and after[1:2].isalnum())
