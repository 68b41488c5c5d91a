"""What has gone to each place: parts of known values, and short fields in order (DLP-6).

A value that leaves in pieces is a value that leaves: pieces add up per destination.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

TINY = 3
"""Payload fields up to this length are joined in order (DLP-6)."""

PIECE = 24
"""Fields up to this length are joined in order as well, as a second reading."""

_MAX_FIELDS = 1024


@dataclass(slots=True)
class _Place:
    masks: dict[int, int] = field(default_factory=dict)
    tiny: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Sent:
    """Place → what it has been sent."""

    places: dict[str, _Place] = field(default_factory=dict)

    def fields(self, place: str, texts: Iterable[str]) -> None:
        """Remember the short fields of a call, in order."""
        tiny, pieces = _short(place, texts)
        if not pieces:
            return
        kept = self.places.setdefault(place_key(place), _Place())
        for held, new in ((kept.tiny, tiny), (kept.pieces, pieces)):
            held.extend(new)
            if len(held) > _MAX_FIELDS:
                del held[:-_MAX_FIELDS]

    def parts(self, place: str, masks: Mapping[int, int]) -> None:
        """Remember which characters of which values went there."""
        if not masks:
            return
        kept = self.places.setdefault(place_key(place), _Place())
        for number, mask in masks.items():
            kept.masks[number] = kept.masks.get(number, 0) | mask

    def masks(self, place: str) -> Mapping[int, int]:
        """Value → its characters that went to `place`."""
        kept = self.places.get(place_key(place))
        return kept.masks if kept else {}

    def joined(self, place: str, texts: Iterable[str]) -> tuple[str, ...]:
        """The short fields sent to `place`, with those of `texts` at the end, as texts."""
        tiny, pieces = _short(place, texts)
        kept = self.places.get(place_key(place), _Place())
        found = []
        if tiny:
            found.append("".join([*kept.tiny, *tiny]))
        if pieces:
            found.append("".join([*kept.pieces, *pieces]))
        return tuple(text for text in found if len(text) > TINY)

    def snapshot(self, fingerprint: Callable[[str], str]) -> object:
        """A comparable copy without raw values."""
        return {
            fingerprint(key): (
                tuple(sorted(kept.masks.items())),
                fingerprint("\0".join(kept.tiny)),
                fingerprint("\0".join(kept.pieces)),
            )
            for key, kept in sorted(self.places.items())
        }


def place_key(place: str) -> str:
    """One key for all spellings of a destination: the address, or the last two labels of a host.

    A different path, query or subdomain of one site does not start the count again.
    """
    rest = place.strip().casefold().partition("://")[2] or place.strip().casefold()
    if "@" in rest and "/" not in rest.split("@", 1)[0] and "://" not in place:
        return rest
    host = rest.split("/", 1)[0].split("?", 1)[0].split("#", 1)[0].rpartition("@")[2]
    labels = host.split(":", 1)[0].strip(".").split(".")
    if len(labels) > 2 and not labels[-1].isdigit():
        return ".".join(labels[-2:])
    return ".".join(labels)


def mentions(said: str, where: str) -> bool:
    """Whether a case-folded text names the place `where` (a `place_key`) as a whole.

    A subdomain names its site; `not-x.example` and `x.example.evil` do not name `x.example`.
    """
    at = said.find(where)
    while at >= 0:
        before, after = said[max(0, at - 1) : at], said[at + len(where) : at + len(where) + 2]
        joined = before.isalnum() or before in tuple("-_+%") or ("@" in where and before == ".")
        goes_on = after[:1].isalnum() or after[:1] in tuple("-_") or _label_follows(after)
        if not joined and not goes_on:
            return True
        at = said.find(where, at + 1)
    return False


def _label_follows(after: str) -> bool:
    return after[:1] in tuple(".@") and after[1:2].isalnum()


def _short(place: str, texts: Iterable[str]) -> tuple[list[str], list[str]]:
    pieces = [text for text in texts if 0 < len(text) <= PIECE and text != place]
    return [text for text in pieces if len(text) <= TINY], pieces
