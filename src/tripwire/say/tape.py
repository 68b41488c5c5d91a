"""The part of a stream that is still needed: left context and held text, raw and folded."""

from __future__ import annotations

from tripwire.say.compiled import after_char
from tripwire.text.fold_map import folded
from tripwire.text.pattern_edges import START

_CONTEXT = 8
"""Folded characters of released text that are kept (SAY-6)."""


class Tape:
    """Folded text as UTF-8 bytes, and where each of its characters begins in the raw text.

    `data` begins with left context, at the start of a text a sign for it; `last` is the byte at
    which the last character of the context begins: the left neighbour of the first held one.
    """

    __slots__ = ("_ascii_before", "_context", "_raw", "_released", "_starts", "data", "last")

    def __init__(self) -> None:
        self.data = chr(START).encode()
        self.last = 0
        self._context = len(self.data)
        self._raw = ""
        self._released = 0
        self._starts: list[int] | None = None
        """Raw offset, within what is held, of each held folded character; None: one for one."""
        self._ascii_before = True

    @property
    def size(self) -> int:
        """Bytes of context and held folded text."""
        return len(self.data)

    @property
    def context(self) -> int:
        """The byte at which the held text begins."""
        return self._context

    @property
    def held(self) -> int:
        """Raw characters that are held."""
        return len(self._raw)

    @property
    def waiting(self) -> bool:
        """Whether folded text is held."""
        return len(self.data) > self._context

    def add(self, text: str) -> None:
        """The next characters."""
        if self._starts is None and text.isascii():
            self._raw += text
            self.data += text.encode()
            self._ascii_before = True
            return
        before = len(self._raw)
        found = folded(text, after_ascii=self._ascii_before)
        self._ascii_before = found.ends_ascii
        if self._starts is None:
            self._starts = list(range(before))
        if found.starts is None:
            self._starts += range(before, before + len(text))
        else:
            self._starts += [before + start for start in found.starts[:-1]]
        self._raw += text
        self.data += found.text.encode()

    def character_ends(self, since: int) -> list[int]:
        """Where each character after byte `since` ends; at least the end of all."""
        if self._starts is None or self.data[since:].isascii():
            return list(range(since + 1, len(self.data) + 1)) or [len(self.data)]
        ends, at = [], since
        while at < len(self.data):
            at = after_char(self.data, at)
            ends.append(at)
        return ends or [len(self.data)]

    def _index(self, at: int) -> int:
        """The held folded character that begins at byte `at`."""
        if self._starts is None:
            return at - self._context
        return len(self.data[self._context : at].decode("utf-8", "replace"))

    def _raw_at(self, index: int) -> int:
        if self._starts is None:
            return index
        return self._starts[index] if index < len(self._starts) else len(self._raw)

    def offset(self, at: int) -> int:
        """The raw offset in the whole text of the character at byte `at`."""
        return self._released + self._raw_at(self._index(at))

    def offset_end(self, at: int) -> int:
        """The raw offset behind the last character before byte `at`."""
        if self._starts is None or at <= self._context:
            return self.offset(at)
        return self._released + self._starts[self._index(at) - 1] + 1

    def at(self, offset: int) -> int:
        """The byte at which the character of a raw offset begins."""
        index = offset - self._released
        if self._starts is None:
            return self._context + max(0, index)
        count = sum(1 for start in self._starts if start < index)
        at = self._context
        for _ in range(count):
            at = after_char(self.data, at)
        return at

    def release(self, upto: int, *, final: bool = False) -> str:
        """The raw text before the character at byte `upto`; it becomes context."""
        if self._starts is None:
            end = index = upto - self._context
            text, self._raw = self._raw[:end], self._raw[end:]
            self._released += end
            self._trim(upto)
            return text
        index = self._index(upto)
        end = len(self._raw) if final or upto >= len(self.data) else self._raw_at(index)
        text = self._raw[:end]
        self._raw = self._raw[end:]
        self._released += end
        self._starts = [start - end for start in self._starts[index:]] if self._raw else None
        self._trim(upto)
        return text

    def drop(self, upto: int) -> None:
        """Leave out what `release` would give."""
        self.release(upto)

    def begin_anew(self) -> None:
        """What is held stands at the start of a text: what was before it has been replaced."""
        held = self.data[self._context :]
        self.data = chr(START).encode()
        self._context, self.last = len(self.data), 0
        self.data += held

    def with_more(self, text: str) -> bytes:
        """What `data` would be after `add`; nothing is added."""
        return self.data + folded(text, after_ascii=self._ascii_before).text.encode()

    def _trim(self, upto: int) -> None:
        if upto <= self._context:
            return
        data, keep, last = self.data, upto - _CONTEXT if upto > _CONTEXT else 0, upto - 1
        while data[keep] & 0xC0 == 0x80:
            keep += 1
        while data[last] & 0xC0 == 0x80:
            last -= 1
        self.data = data[keep:]
        self._context, self.last = upto - keep, last - keep
