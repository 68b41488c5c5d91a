"""Unicode folding: one spelling for texts that look alike (flow.md DLP-4).

Pure and total. Folding is for comparing only; what is shown or sent is never the folded form.
"""

from __future__ import annotations

import functools
import json
import pkgutil
import re
import unicodedata

_INVISIBLE_RANGES = (
    (0x00AD, 0x00AD),  # soft hyphen
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x061C, 0x061C),  # Arabic letter mark
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x180B, 0x180F),  # Mongolian selectors and vowel separator
    (0x200B, 0x200F),  # zero width, direction marks
    (0x202A, 0x202E),  # bidi embeddings and overrides
    (0x2060, 0x206F),  # word joiner, invisible operators, bidi isolates
    (0x3164, 0x3164),  # Hangul filler
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFEFF, 0xFEFF),  # byte order mark
    (0xFFA0, 0xFFA0),  # halfwidth Hangul filler
    (0xFFF9, 0xFFFB),  # interlinear annotation
    (0x1BCA0, 0x1BCA3),  # shorthand format controls
    (0x1D173, 0x1D17A),  # musical format controls
    (0xE0000, 0xE0FFF),  # tags, supplementary variation selectors
)
_INVISIBLE = {code: None for first, last in _INVISIBLE_RANGES for code in range(first, last + 1)}

_MERGED = str.maketrans("lio", "110")

_ASCII_KEEP = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() else code for code in range(128)
) + bytes(range(128, 256))
_ASCII_DROP = bytes(code for code in range(128) if not chr(code).isalnum())

_NORMAL = _ASCII_KEEP.translate(bytes.maketrans(b"lio", b"110"))

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
"""Folding works on these runs alone: most texts have few, and ASCII stands for itself."""


def invisible(text: str) -> tuple[int, ...]:
    """Positions of characters that show nothing: zero width, soft hyphen, bidi, tags."""
    if text.isascii():
        return ()
    return tuple(i for i, char in enumerate(text) if ord(char) in _INVISIBLE)


def is_invisible(char: str) -> bool:
    """Whether one character shows nothing."""
    return ord(char) in _INVISIBLE


def visible(text: str) -> str:
    """The text without invisible characters."""
    return text if text.isascii() else text.translate(_INVISIBLE)


def nfkc(text: str) -> str:
    """Compatibility composition: full-width, ligatures, mathematical letters become plain."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def skeleton(text: str) -> str:
    """The text with look-alike letters of other scripts replaced by Latin ones.

    ASCII characters stand for themselves: `1` and `l` stay different.
    """
    return text if text.isascii() else text.translate(_confusables())


def squeeze(text: str) -> str:
    """Lower-case letters and digits only: separators of any kind are gone."""
    if not text.isascii():
        text = _BEYOND_ASCII.sub(lambda run: _letters(run.group()), text)
    data = text.encode("utf-8", "surrogatepass").translate(_ASCII_KEEP, _ASCII_DROP)
    return data.decode("utf-8", "surrogatepass")


@functools.lru_cache(maxsize=4096)
def _letters(run: str) -> str:
    return "".join(char for char in run.casefold() if char.isalnum())


def folded(text: str) -> str:
    """Visible, NFKC, marks stripped, skeleton; case and separators are kept."""
    if text.isascii():
        return text
    # A mark belongs to the letter before it, which may be ASCII; alone it is dropped as well.
    return _BEYOND_ASCII.sub(lambda run: _folded_run(run.group()), text)


@functools.lru_cache(maxsize=4096)
def _folded_run(run: str) -> str:
    plain = skeleton(nfkc(visible(run)))
    if plain.isascii():
        return plain
    split = unicodedata.normalize("NFKD", plain)
    return skeleton("".join(char for char in split if not unicodedata.combining(char)))


def normal(text: str) -> str:
    """The form in which secrets are compared: folded, squeezed, ASCII look-alikes merged.

    `1 l I`, `0 O` are one character each here, so that a swap of them hides nothing (DLP-4).
    """
    if text.isascii():
        return text.encode("ascii").translate(_NORMAL, _ASCII_DROP).decode("ascii")
    return merged(squeeze(folded(text)))


def merged(lower: str) -> str:
    """A lower-case text with ASCII look-alikes as one character each."""
    return lower.translate(_MERGED)


@functools.cache
def _confusables() -> dict[int, str]:
    table: dict[int, str] = {}
    # Its own loader imports urllib; the data alone is what is wanted.
    data = json.loads(pkgutil.get_data("confusable_homoglyphs", "confusables.json") or b"{}")
    for char, likes in data.items():
        if len(char) != 1 or char.isascii():
            continue
        latin = sorted(like["c"] for like in likes if like["c"].isascii() and len(like["c"]) == 1)
        letters = [like for like in latin if like.isalnum()] or latin
        if letters:
            table[ord(char)] = letters[0]
    return table
