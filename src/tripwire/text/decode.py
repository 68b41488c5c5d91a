"""What a text says when its encodings are undone, layer by layer (flow.md DLP-5).

Work is bounded: every decoder is a few linear passes, layers are counted, their characters capped.
What a bound cut off is told by `Reading.cut`, never dropped in silence.

Does not catch: encryption, keyed ciphers, base58, steganography, paraphrase.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from tripwire.text.decoders import (
    DECODERS,
    TO_BYTES,
    TO_TEXT,
    blobs,
    credential_parts,
    present,
    quick_bytes,
)
from tripwire.text.fold import folded
from tripwire.text.readable import BREAK

MAX_LAYERS = 96
"""Layers that one text may open into."""

MIN_CHARS = 6
"""Shorter readings are dropped: no known value is shorter (DLP-2)."""

MAX_GROWTH = 6
"""All layers together hold at most this many times the text (and 64 KB more)."""

_TURNED_CHARS = 1024
"""Longer texts are not turned as a whole (reversed, rot13) to be decoded, only their blobs are."""

_FILLER_SAMPLE = 4096
_SORTED_CHARS = 256

_SOUND_CHARS = 10
"""Readable parts under this are not decoded further."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One reading of a text; `via` names the decoders that led to it, outermost first."""

    text: str
    via: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """All layers of a text, the text itself first; `cut` says what was not looked at."""

    layers: tuple[Layer, ...]
    cut: tuple[str, ...] = ()


def layers(text: str, *, depth: int = 3, max_chars: int = 1 << 20) -> Iterator[Layer]:
    """The text itself and everything that decodes out of it, up to `depth` steps."""
    yield from read(text, depth=depth, max_chars=max_chars).layers


def read(text: str, *, depth: int = 3, max_chars: int = 1 << 20) -> Reading:
    """As `layers`, with what was cut off. Texts beyond `max_chars` code points are cut there."""
    cut = list(beyond((text,), max_chars))
    walk = _Walk(text[:max_chars], depth)
    walk.run()
    if walk.stopped:
        cut.append("decodings after the work limit")
    return Reading(tuple(walk.found), tuple(cut))


def beyond(texts: tuple[str, ...], max_chars: int) -> tuple[str, ...]:
    """What a reading of these texts would cut off for their length."""
    return (f"text after {max_chars} characters",) if any(len(t) > max_chars for t in texts) else ()


class _Walk:
    """Breadth first, so that a bound cuts the least likely readings."""

    def __init__(self, text: str, depth: int) -> None:
        self.depth = depth
        self.room = MAX_GROWTH * len(text) + 65_536
        self.found = [Layer(text)]
        self.seen = {text}
        self.queue = deque(self.found)
        self.stopped = False

    def run(self) -> None:
        while self.queue and not self.stopped:
            layer = self.queue.popleft()
            if len(layer.via) < self.depth:
                self._open(layer)

    def _open(self, layer: Layer) -> None:
        for name, out in _readings(layer):
            if out in self.seen or not out:
                continue
            if len(self.found) >= MAX_LAYERS or self.room < len(out):
                self.stopped = True
                return
            self.seen.add(out)
            self.room -= len(out)
            deeper = Layer(out, (*layer.via, name))
            self.found.append(deeper)
            self.queue.append(deeper)


def _readings(layer: Layer) -> Iterator[tuple[str, str]]:
    plain = folded(layer.text)
    if layer.via:
        plain = _sound(plain)
    names = present(plain)
    for name, decoder in DECODERS:
        if name in names:
            # One layer a decoder: what its alignments say stands part by part.
            said = BREAK.join(dict.fromkeys(decoder(plain)))
            if len(said) >= MIN_CHARS:
                yield name, said
    if layer.via in ((), ("filler",)) and _coded(plain, names):
        yield from _turned(plain)


def _coded(plain: str, names: frozenset[str]) -> bool:
    return "pieces" in names or ("blob" in names and bool(blobs(plain)))


class OneStep:
    """What `read` to depth 1 makes of `text`, as far as a credential may be in it.

    Before anybody looks for what is readable in bytes.

    `texts` are there, the first the text itself; `readable.texts_of` gives what the bytes say.
    """

    __slots__ = ("_names", "_plain", "texts")

    def __init__(self, text: str) -> None:
        plain = self._plain = folded(text)
        names = present(plain)
        self._names = [name for name in names if name in TO_BYTES]
        self.texts = [text]
        for name in names:
            if name in TO_TEXT:
                self.texts.append(BREAK.join(dict.fromkeys(TO_TEXT[name](plain))))
        if _coded(plain, names):
            self.texts += [turned for _, turned in _turned(plain)]

    def parts(self) -> list[bytes]:
        """What each decoder gives at each alignment."""
        return [part for name in self._names for part in credential_parts(name, self._plain)]

    def quick(self) -> list[bytes]:
        """The same, faster: every part is there as a whole, with anything around it."""
        return [quick_bytes(name, self._plain) for name in self._names]


def _sound(text: str) -> str:
    """Without the short parts: what was no encoding decodes to noise, in short readable runs."""
    if BREAK not in text:
        return text
    return BREAK.join(part for part in text.split(BREAK) if len(part) >= _SOUND_CHARS)


def _turned(text: str) -> Iterator[tuple[str, str]]:
    # A turned text is only worth decoding further; matching turns its needles itself.
    small = len(text) <= _TURNED_CHARS
    for start in (0, 1):
        if _filled(text[1 - start :: 2]):
            yield "filler", text[start::2]
        elif small:
            yield "every-2nd", text[start::2]
    if small:
        yield "case", text.swapcase()
    else:
        text = "\n".join(blobs(text))[:_TURNED_CHARS]
    yield "reversed", text[::-1]
    yield "rot13", text.translate(_ROT13)


def _filled(between: str) -> bool:
    """Whether these characters are mostly one and the same: a filler."""
    sample = between[:_FILLER_SAMPLE]
    if not sample:
        return True
    if len(sample) <= _SORTED_CHARS:  # what more than half of them are is in the middle
        return sample.count(sorted(sample)[len(sample) // 2]) * 5 >= len(sample) * 3
    return max(map(sample.count, set(sample[:64]))) * 5 >= len(sample) * 3


_LOWER = "abcdefghijklmnopqrstuvwxyz"
_ROT13 = str.maketrans(
    _LOWER + _LOWER.upper(), _LOWER[13:] + _LOWER[:13] + (_LOWER[13:] + _LOWER[:13]).upper()
)
