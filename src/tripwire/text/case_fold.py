"""Unicode simple case folding: one code point stays one code point (read.md CTX-16).

`É` and `é` fold to the same text, `ß` and `SS` do not: that needs full folding, which changes
lengths. Not for security comparisons of look-alikes; see fold.py.
"""

from __future__ import annotations

_IRREGULAR = {
    0x1E9E: "ß",
    0x1FD3: "\u0390",
    0x1FE3: "\u03b0",
    0xFB05: "\ufb06",
}
"""Code points whose full folding is longer than one, but that have a simple one."""


def simple_fold(text: str) -> str:
    """`text` under simple case folding; its length in code points does not change."""
    if text.isascii():
        return text.lower()
    return "".join(map(_folded, text))


def _folded(char: str) -> str:
    if ord(char) in _IRREGULAR:
        return _IRREGULAR[ord(char)]
    folded = char.casefold()
    if len(folded) == 1:
        return folded
    lower = char.lower()
    return lower if len(lower) == 1 else char
