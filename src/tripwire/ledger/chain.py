"""The keyed hash chain of audit.jsonl and heads.jsonl (gateway.md §2, audit entry).

An entry's `hash` is an HMAC over its canonical form without `hash`; `prev_hash` ties it to the
entry before. A line is canonical, byte for byte, so any other byte is an edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from tripwire.errors import JournalTampered, NotCanonical
from tripwire.ledger.keys import halves, mac
from tripwire.text.canonical import canonical_bytes

START = "0" * 64


@dataclass(frozen=True, slots=True)
class Tip:
    """The last number and hash of a chained file; (0, 64 zeros) before the first line."""

    seq: int = 0
    hash: str = START

    def data(self) -> dict[str, object]:
        """For a head record."""
        return {"hash": self.hash, "seq": self.seq}


BEGINNING = Tip()
"""Before the first line."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One verified line."""

    seq: int
    ts: str
    type: str
    data: dict[str, Any]
    hash: str


def link(tip: Tip, ts: str, kind: str, data: Mapping[str, object], key: bytes) -> tuple[bytes, Tip]:
    """The next line (with its newline) and the new tip."""
    seq = tip.seq + 1
    # Byte-identical to RFC 8785 for what ledger/entry.py builds: ASCII keys, integers, valid text.
    before = b'{"data":' + orjson.dumps(data, option=orjson.OPT_SORT_KEYS)
    after = b',"prev_hash":"%s","seq":%d,"ts":"%s","type":"%s"}' % (
        tip.hash.encode(),
        seq,
        ts.encode(),
        kind.encode(),
    )
    digest = mac(key, before + after).hex()
    return before + b',"hash":"' + digest.encode() + b'"' + after + b"\n", Tip(seq, digest)


def parse(line: bytes) -> Entry:
    """An entry's fields, unverified. Raises JournalTampered if the line is no entry."""
    try:
        raw = orjson.loads(line)
        entry = Entry(raw["seq"], raw["ts"], raw["type"], raw["data"], raw["hash"])
    except (ValueError, TypeError, KeyError):
        raise JournalTampered("edited: the line is no entry") from None
    kinds = (type(entry.seq), type(entry.ts), type(entry.type), type(entry.data), type(entry.hash))
    if kinds != _KINDS:
        raise JournalTampered("edited: the line is no entry")
    return entry


_KINDS = (int, str, str, dict, str)


def check(line: bytes, tip: Tip, key: bytes) -> tuple[Entry, Tip]:
    """The entry of `line` (with its newline), if it is exactly what follows `tip`.

    Raises JournalTampered, `what` starting with the kind of finding (gateway.md E-7).
    """
    entry = parse(line)
    if _fits(line, entry, tip, key):
        return entry, Tip(entry.seq, entry.hash)
    try:
        expected, new = link(tip, entry.ts, entry.type, entry.data, key)
    except (TypeError, UnicodeEncodeError):
        raise JournalTampered("edited: the line is no entry") from None
    if expected == line:
        return entry, new
    raise JournalTampered(_why(line, entry, tip, key))


def run(lines: Sequence[bytes], key: bytes) -> tuple[list[Entry], Tip]:
    """The entries of a file from its start, up to the first that is not simply genuine.

    What `check` finds of each, in one loop: a whole log is verified four times as fast.
    """
    entries: list[Entry] = []
    seq, hash_ = 0, START
    inner, outer = halves(key)
    loads, skip = orjson.loads, len(_HASH) + len(START) + 1
    for line in lines:
        at = line.rfind(_HASH)
        ahead = b',"prev_hash":"%s","seq":%d,"ts":"' % (hash_.encode(), seq + 1)
        end = at + skip
        if at < 0 or not line.startswith(ahead, end) or not line.endswith(b"}\n"):
            break
        first, second = inner.copy(), outer.copy()
        first.update(line[:at])
        first.update(line[end:-1])
        second.update(first.digest())
        made = second.hexdigest()
        try:
            raw = loads(line)
            entry = Entry(raw["seq"], raw["ts"], raw["type"], raw["data"], raw["hash"])
        except (ValueError, TypeError, KeyError):
            break
        if made != entry.hash or type(entry.data) is not dict:
            break
        entries.append(entry)
        seq, hash_ = seq + 1, made
    return entries, Tip(seq, hash_)


def _fits(line: bytes, entry: Entry, tip: Tip, key: bytes) -> bool:
    """Whether it follows `tip` and its hash fits its own bytes, as they stand.

    The usual case, and far cheaper: bytes with our MAC need not be made again to be believed. A
    quote in a text is escaped, so the last `,"hash":"` is the entry's own.
    """
    at = line.rfind(_HASH)
    end = at + len(_HASH) + len(START) + 1
    ahead = b',"prev_hash":"%s","seq":%d,"ts":"' % (tip.hash.encode(), tip.seq + 1)
    if at < 0 or not line.startswith(ahead, end) or not line.endswith(b"}\n"):
        return False
    return mac(key, line[:at] + line[end:-1]).hex() == entry.hash


_HASH = b',"hash":"'


def claimed(line: bytes) -> Tip:
    """The tip that a line says it follows. Raises JournalTampered."""
    entry = parse(line)
    previous = orjson.loads(line).get("prev_hash")
    if not isinstance(previous, str) or not previous.isascii():
        raise JournalTampered("edited: the line is no entry")
    return Tip(entry.seq - 1, previous)


def genuine(line: bytes, key: bytes) -> tuple[Entry, Tip]:
    """The entry of a line that was written with `key`, wherever it stands."""
    return check(line, claimed(line), key)


def follow(line: bytes, tip: Tip) -> tuple[Entry, Tip]:
    """As `check` for who has no key: only number, link and form are checked."""
    entry, before = parse(line), claimed(line)
    if entry.seq != tip.seq + 1:
        kind = "gap" if entry.seq > tip.seq + 1 else "reordered"
        raise JournalTampered(f"{kind}: number {entry.seq} where {tip.seq + 1} is due")
    if before.hash != tip.hash:
        raise JournalTampered("edited: the line before it was changed")
    try:
        canonical = canonical_bytes(orjson.loads(line)) + b"\n"
    except NotCanonical:
        raise JournalTampered("edited: the line is no entry") from None
    if canonical != line:
        raise JournalTampered("edited: the line is not in canonical form")
    return entry, Tip(entry.seq, entry.hash)


def _why(line: bytes, entry: Entry, tip: Tip, key: bytes) -> str:
    """Which finding it is; a line that is genuine elsewhere was moved, any other was changed."""
    try:
        previous = _typed(orjson.loads(line)["prev_hash"], str)
        genuine, _ = link(Tip(entry.seq - 1, previous), entry.ts, entry.type, entry.data, key)
    except (ValueError, TypeError, KeyError, UnicodeEncodeError):
        return "edited: the line is no entry"
    if genuine != line:
        return "edited: the hash does not fit the line"
    if entry.seq > tip.seq + 1:
        return f"gap: number {entry.seq} where {tip.seq + 1} is due"
    if entry.seq <= tip.seq:
        return f"reordered: number {entry.seq} where {tip.seq + 1} is due"
    return "edited: the line before it was changed"


def _typed(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise TypeError(kind.__name__)
    return value
