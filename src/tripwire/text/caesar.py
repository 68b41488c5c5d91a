"""A form of a text that is the same for every Caesar shift of its letters (flow.md DLP-5).

Each letter becomes its distance from the letter before it; other characters stand for themselves.
Computed on the whole text at once, as one large number, in linear time.
"""

from __future__ import annotations

_AFTER_LETTER = 100  # a letter is 100 + its place; minus the place before it: 75..125
_AFTER_OTHER = 60  # a letter after another character: 40..65, whatever the letter
_OTHER = 200  # another character: 140..200

_LETTERS = range(97, 123)
_HERE = bytes(_AFTER_LETTER + c - 97 if c in _LETTERS else _OTHER for c in range(256))
_BEFORE = bytes(c - 97 if c in _LETTERS else _AFTER_OTHER for c in range(256))
_KEPT = bytes(0 if c in _LETTERS else c for c in range(256))


def _written(difference: int) -> int:
    if difference >= 126:
        return 0
    return 97 + (difference - _AFTER_LETTER) % 26 if difference >= 75 else ord("*")


_WRITTEN = bytes(_written(difference) for difference in range(256))


def distances(squeezed: str) -> str:
    """The form of a squeezed (lower-case, no separators) text; same length in UTF-8 bytes.

    The first character depends on what stands before it: leave it out of a needle.
    """
    data = squeezed.encode("utf-8", "replace")
    if not data:
        return ""
    here = int.from_bytes(data.translate(_HERE), "big")
    before = int.from_bytes((b" " + data[:-1]).translate(_BEFORE), "big")
    kept = int.from_bytes(data.translate(_KEPT), "big")
    written = (here - before).to_bytes(len(data), "big").translate(_WRITTEN)
    both = int.from_bytes(written, "big") | kept
    return both.to_bytes(len(data), "big").decode("latin-1")
