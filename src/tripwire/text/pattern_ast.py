r"""The regular subset that rules are written in, parsed (say.md SAY-17).

Literals, classes, `.`, groups, alternation, repeats, `^ $ \A \z \b \B`, `\d \w \s` (ASCII).
Look-around and back-references are refused: no linear automaton has them. Does not match anything:
`pattern_edges` and `pattern_re2` make what RE2 compiles.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tripwire.errors import PolicyError
from tripwire.text.char_ranges import (
    DIGIT,
    NEWLINE,
    SPACE,
    WORD,
    Ranges,
    both_cases,
    inverse,
    union,
)

MAX_REPEAT = 1000
"""RE2 compiles no larger repeat."""

_FIX = "Use the keys `before_not` and `after_not` for what must not stand beside a match."
_CLASSES = {"d": DIGIT, "w": WORD, "s": SPACE}
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "0": "\0"}


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of these ranges."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Seq:
    """One after the other; empty for nothing."""

    items: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Alt:
    """One of these."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """`item` at least `low` and at most `high` times, None without a bound."""

    item: Node
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class Assertion:
    """`start`, `end`, `line-start`, `line-end`, `word`, `not-word`, or a neighbour.

    `before` and `after` are neighbours that must be there and of `ranges` (of a `not` pattern:
    that may be missing); see `pattern_edges`.
    """

    kind: str
    ranges: Ranges = ()
    or_edge: bool = False


Node = Chars | Seq | Alt | Repeat | Assertion


def parse(source: str, flags: str = "") -> Node:
    """The pattern `source`; `flags` of `i` (ignore case), `m` (lines), `s` (dot takes newlines).

    Raises PolicyError, which names the construct and where it stands.
    """
    return _Parser(source, frozenset(flags)).whole()


def literal(text: str, flags: str = "") -> Node:
    """A pattern for the text itself; a run of blanks equals any run of blanks and newlines."""
    ignore = "i" in flags
    items: list[Node] = []
    for word in text.split():
        if items:
            items.append(Repeat(Chars(SPACE), 1, 8))
        items += [_char(char, ignore=ignore) for char in word]
    return Seq(tuple(items))


def char_class(text: str, flags: str = "") -> Ranges:
    r"""The characters of a class such as `[A-Z0-9_]` or `\d`, or of the word `word`."""
    if text == "word":
        return WORD
    found = parse(text, flags)
    if not isinstance(found, Chars):
        raise PolicyError(f"{text!r} is no character class", fix="Write one, such as `[0-9]`.")
    return found.ranges


def _char(char: str, *, ignore: bool) -> Chars:
    ranges = ((ord(char), ord(char)),)
    return Chars(both_cases(ranges) if ignore else ranges)


class _Parser:
    """Recursive descent over one pattern."""

    def __init__(self, source: str, flags: frozenset[str]) -> None:
        self.source, self.at, self.flags, self.depth = source, 0, flags, 0

    def whole(self) -> Node:
        if self.source.startswith("(?"):
            self._inline_flags()
        node = self._alternation()
        if self.at < len(self.source):
            self._fail("an unbalanced `)`", "Escape it as `\\)`.")
        return node

    def _fail(self, what: str, fix: str = "Simplify the pattern.") -> None:
        raise PolicyError(f"pattern {self.source!r}: {what} at character {self.at}", fix=fix)

    def _peek(self) -> str:
        return self.source[self.at : self.at + 1]

    def _take(self, text: str) -> bool:
        if self.source.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def _inline_flags(self) -> None:
        end = self.source.find(")")
        names = self.source[2:end]
        if end > 0 and names and set(names) <= set("ims"):
            self.flags, self.at = self.flags | set(names), end + 1

    def _alternation(self) -> Node:
        self.depth += 1
        if self.depth > 50:
            self._fail("groups nested too deep")
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        self.depth -= 1
        return options[0] if len(options) == 1 else Alt(tuple(options))

    def _sequence(self) -> Node:
        items: list[Node] = []
        while self.at < len(self.source) and self._peek() not in "|)":
            items.append(self._repeated(self._atom()))
        return items[0] if len(items) == 1 else Seq(tuple(items))

    def _repeated(self, item: Node) -> Node:
        while (bounds := self._bounds()) is not None:
            if isinstance(item, Assertion):
                self._fail("a repeat of an assertion")
            low, high = bounds
            if low > MAX_REPEAT or (high is not None and (high > MAX_REPEAT or high < low)):
                self._fail(f"a repeat {{{low},{high}}}", f"Repeat at most {MAX_REPEAT} times.")
            if self._take("+"):
                self._fail("a possessive repeat", "Leave the second `+` out.")
            self._take("?")
            item = Repeat(item, low, high)
        return item

    def _bounds(self) -> tuple[int, int | None] | None:
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._take(sign):
                return bounds
        if self._peek() != "{":
            return None
        end = self.source.find("}", self.at)
        low, comma, high = self.source[self.at + 1 : max(end, 0)].partition(",")
        if not low.isdecimal() or (high and not high.isdecimal()):
            return None
        self.at = end + 1
        return int(low), (int(high) if high else None if comma else int(low))

    def _atom(self) -> Node:
        char = self._peek()
        self.at += 1
        if char == "(":
            return self._group()
        if char == "[":
            return Chars(self._set())
        if char == "\\":
            return self._escape()
        if char == ".":
            return Chars(inverse(() if "s" in self.flags else NEWLINE))
        if char == "^":
            return Assertion("line-start" if "m" in self.flags else "start")
        if char == "$":
            return Assertion("line-end" if "m" in self.flags else "end")
        if char in "*+?":
            self._fail(f"a `{char}` that repeats nothing", f"Escape it as `\\{char}`.")
        return _char(char, ignore="i" in self.flags)

    def _group(self) -> Node:
        if self._take("?"):
            kept = self.flags
            neighbour = self._neighbour()
            if neighbour is not None:
                return neighbour
            self._group_head()
            node = self._alternation()
            self.flags = kept
        else:
            node = self._alternation()
        if not self._take(")"):
            self._fail("a group that is not closed", "Add `)`.")
        return node

    def _group_head(self) -> None:
        if self._take(":"):
            return
        if self._take("P<") or (self._peek() == "<" and self._take("<")):
            end = self.source.find(">", self.at)
            if end > 0:
                self.at = end + 1
                return
        end = self.source.find(":", self.at)
        names = self.source[self.at : max(end, self.at)]
        if end < 0 or not names or not set(names) <= set("ims"):
            self._fail(f"the construct `(?{self._peek()}`", _FIX)
        self.flags, self.at = self.flags | set(names), end + 1

    def _neighbour(self) -> Assertion | None:
        if self._take("<="):
            self._fail("a look-behind", _FIX)
        if self._take("<!"):
            kind, negated = "before", True
        elif self._take("!"):
            kind, negated = "after", True
        elif self._take("="):
            kind, negated = "after", False
        else:
            return None
        node = self._alternation()
        if not self._take(")") or not isinstance(node, Chars):
            self._fail("look-around of more than one character", _FIX)
        ranges = node.ranges if isinstance(node, Chars) else ()
        return Assertion(kind, inverse(ranges) if negated else ranges, or_edge=negated)

    def _escape(self) -> Node:
        char = self._peek()
        if char == "b":
            self.at += 1
            return Assertion("word")
        if char == "B":
            self.at += 1
            return Assertion("not-word")
        if char in ("A", "z", "Z"):
            self.at += 1
            return Assertion("start" if char == "A" else "end")
        if char in "123456789":
            self._fail("a back-reference", "Write out what it repeats.")
        ranges = self._escaped()
        return Chars(both_cases(ranges) if "i" in self.flags else ranges)

    def _escaped(self) -> Ranges:
        char = self._peek()
        self.at += 1
        if not char:
            self._fail("a `\\` at the end", "Escape it as `\\\\`.")
        if char.lower() in _CLASSES:
            ranges = _CLASSES[char.lower()]
            return inverse(ranges) if char.isupper() else ranges
        if char in ("x", "u"):
            code = self._code(2 if char == "x" else 4)
            return ((code, code),)
        if char.isalnum() and char not in _CONTROLS:
            self._fail(
                f"the escape `\\{char}`", "Only d, w, s, b, A, z, n, t, r, x and u are known."
            )
        code = ord(_CONTROLS.get(char, char))
        return ((code, code),)

    def _code(self, digits: int) -> int:
        if self._take("{"):
            end = self.source.find("}", self.at)
            text, self.at = self.source[self.at : max(end, self.at)], max(end, self.at) + 1
        else:
            text, self.at = self.source[self.at : self.at + digits], self.at + digits
        try:
            code = int(text, 16)
        except ValueError:
            code = -1
        if not 0 <= code <= 0x10FFFF:
            self._fail("an escape that is no character")
        return code

    def _set(self) -> Ranges:
        negated = self._take("^")
        found: list[Ranges] = []
        first = True
        while first or self._peek() != "]":
            first = False
            if not self._peek():
                self._fail("a class that is not closed", "Add `]`.")
            found.append(self._member())
        self.at += 1
        ranges = union(found)
        if "i" in self.flags:
            ranges = both_cases(ranges)
        return inverse(ranges) if negated else ranges

    def _member(self) -> Ranges:
        low = self._set_char()
        if self._peek() != "-" or self.source[self.at + 1 : self.at + 2] in ("]", ""):
            return low
        self.at += 1
        high = self._set_char()
        single = all(len(one) == 1 and one[0][0] == one[0][1] for one in (low, high))
        if not single or low[0][0] > high[0][0]:
            self._fail("a range that is none", "Write the lower character first.")
        return ((low[0][0], high[0][0]),)

    def _set_char(self) -> Ranges:
        char = self._peek()
        self.at += 1
        if char == "\\":
            return self._escaped()
        return ((ord(char), ord(char)),)


def seq(*items: Node) -> Node:
    """One after the other, flat."""
    flat: list[Node] = []
    for item in items:
        flat += item.items if isinstance(item, Seq) else (item,)
    return flat[0] if len(flat) == 1 else Seq(tuple(flat))


def alt(options: Iterable[Node]) -> Node:
    """One of these, as plain as it can be."""
    found = tuple(dict.fromkeys(options))
    return found[0] if len(found) == 1 else Alt(found)
