"""Globs in micromatch style: a small translator to RE2, so that matching is linear in the text.

Two modes. Paths: `*` and `?` stay inside one segment, `**` crosses segments. Names (tools): `*`
matches anything. Dot files match. Negated extglobs `!(…)` are not expressible and are refused.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import re2

from tripwire.errors import PolicyError
from tripwire.text.well_formed import well_formed

MAX_ALTERNATIVES = 1000
"""Patterns that one pattern may expand to through braces."""

_SPECIAL = frozenset("\\.+^$|(){}[]*?")
_GROUPS = {"@": "", "?": "?", "*": "*", "+": "+"}


def match(pattern: str, name: str, *, path: bool = False) -> bool:
    """Whether `name` matches `pattern` as a whole. Raises PolicyError for a broken pattern."""
    return bool(_compiled(well_formed(pattern), path=path).fullmatch(well_formed(name)))


def compile_globs(patterns: Sequence[str], *, path: bool = False) -> GlobSet:
    """Many patterns as one automaton."""
    return GlobSet(tuple(patterns), path=path)


class GlobSet:
    """Many patterns; `matches` gives the positions of those that match, ascending."""

    def __init__(self, patterns: Sequence[str], *, path: bool = False) -> None:
        self.patterns = tuple(patterns)
        self._set = re2.Set.FullMatchSet(_options(64 << 20 if len(self.patterns) > 50 else 8 << 20))
        for pattern in self.patterns:
            self._set.Add(_translated(pattern, path=path))
        if self.patterns:
            self._set.Compile()

    def matches(self, name: str) -> tuple[int, ...]:
        """Positions of the patterns that match `name`."""
        if not self.patterns:
            return ()
        return tuple(sorted(self._set.Match(well_formed(name)) or ()))

    def any(self, name: str) -> bool:
        """Whether one of the patterns matches."""
        return bool(self.matches(name))


def translate(pattern: str, *, path: bool = False) -> str:
    """The pattern as an RE2 regular expression for a whole match.

    Raises PolicyError for an unclosed bracket, group or brace, a `!(…)`, or too many alternatives.
    """
    if not pattern:
        raise PolicyError("an empty glob matches nothing", fix="Write `**` or `*` to match all.")
    expanded = dict.fromkeys(expand_braces(pattern))
    return "|".join(f"(?:{_Translator(one, path=path).all()})" for one in expanded)


@functools.lru_cache(maxsize=4096)
def _translated(pattern: str, *, path: bool) -> str:
    """A policy's lists come again with each home directory; few patterns change with it."""
    return translate(pattern, path=path)


@functools.lru_cache(maxsize=4096)
def _compiled(pattern: str, *, path: bool) -> Any:
    try:
        return re2.compile(translate(pattern, path=path), _options(8 << 20))
    except re2.error:
        raise PolicyError(f"glob {pattern!r} cannot be compiled", fix="Simplify it.") from None


def _options(max_mem: int) -> re2.Options:
    options = re2.Options()
    options.dot_nl = True
    options.log_errors = False
    options.max_mem = max_mem
    return options


# ── braces ───────────────────────────────────────────────────────────────────────────────────


def expand_braces(pattern: str) -> tuple[str, ...]:
    """`a{b,c}` and `{1..3}` written out; a brace without comma or range stands for itself."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        current = waiting.pop()
        split = _first_brace(current)
        if split is None:
            done.append(current)
        else:
            before, options, after = split
            waiting.extend(f"{before}{option}{after}" for option in reversed(options))
        if len(done) + len(waiting) > MAX_ALTERNATIVES:
            raise PolicyError(f"a glob expands to more than {MAX_ALTERNATIVES} patterns")
    return tuple(done)


def _first_brace(pattern: str) -> tuple[str, list[str], str] | None:
    start = 0
    while (start := _unescaped(pattern, "{", start)) >= 0:
        end, commas = _closing_brace(pattern, start)
        if end >= 0:
            options = _options_of(pattern[start + 1 : end], [c - start - 1 for c in commas])
            if options is not None:
                return pattern[:start], options, pattern[end + 1 :]
        start += 1
    return None


def _unescaped(pattern: str, wanted: str, start: int) -> int:
    position = start
    while position < len(pattern):
        if pattern[position] == "\\":
            position += 2
            continue
        if pattern[position] == wanted:
            return position
        position += 1
    return -1


def _closing_brace(pattern: str, start: int) -> tuple[int, list[int]]:
    commas: list[int] = []
    depth, position = 0, start
    while position < len(pattern):
        char = pattern[position]
        if char == "\\":
            position += 1
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return position, commas
        elif char == "," and depth == 1:
            commas.append(position)
        position += 1
    return -1, []


def _options_of(body: str, commas: list[int]) -> list[str] | None:
    if commas:
        edges = [-1, *commas, len(body)]
        return [body[a + 1 : b] for a, b in pairwise(edges)]
    return _range(body)


def _range(body: str) -> list[str] | None:
    parts = body.split("..")
    if len(parts) not in (2, 3) or not all(parts):
        return None
    step = abs(int(parts[2])) if len(parts) == 3 and parts[2].lstrip("-").isdecimal() else 1
    low, high = parts[0], parts[1]
    if low.lstrip("-").isdecimal() and high.lstrip("-").isdecimal():
        return _numbers(low, high, step or 1)
    if len(low) == len(high) == 1 and low.isalpha() and high.isalpha():
        return [chr(code) for code in _steps(ord(low), ord(high), step or 1)]
    return None


def _numbers(low: str, high: str, step: int) -> list[str]:
    padded = any(len(t.lstrip("-")) > 1 and t.lstrip("-").startswith("0") for t in (low, high))
    width = max(len(low), len(high)) if padded else 0
    return [f"{number:0{width}d}" for number in _steps(int(low), int(high), step)]


def _steps(low: int, high: int, step: int) -> range:
    numbers = range(low, high + 1, step) if low <= high else range(low, high - 1, -step)
    if len(numbers) > MAX_ALTERNATIVES:
        raise PolicyError(f"a glob range holds more than {MAX_ALTERNATIVES} values")
    return numbers


# ── one pattern ──────────────────────────────────────────────────────────────────────────────


class _Translator:
    """One left-to-right pass over a pattern without braces."""

    def __init__(self, pattern: str, *, path: bool) -> None:
        self.pattern = pattern
        self.path = path
        self.at = 0

    def all(self) -> str:
        """The whole pattern."""
        out = []
        while self.at < len(self.pattern):
            out.append(self._next())
        return "".join(out)

    def _next(self) -> str:
        char = self.pattern[self.at]
        if char in "@?*+!" and self.pattern[self.at + 1 : self.at + 2] == "(":
            return self._group(char)
        if char == "*":
            return self._stars()
        self.at += 1
        if char == "?":
            return "[^/]" if self.path else "."
        if char == "[":
            return self._class()
        if char == "\\" and self.at < len(self.pattern):
            self.at += 1
            return _literal(self.pattern[self.at - 1])
        if char == "/" and self.path and self.pattern[self.at :] == "**":
            self.at += 2
            return "(?:/.*)?"  # `dir/**` is the directory and all below it
        return _literal(char)

    def _stars(self) -> str:
        start = self.at
        while self.pattern[self.at : self.at + 1] == "*":
            self.at += 1
        if not self.path:
            return ".*"
        whole = self.at - start >= 2 and (start == 0 or self.pattern[start - 1] == "/")
        after = self.pattern[self.at : self.at + 1]
        if whole and after == "/":
            self.at += 1
            return "(?:.*/)?"
        if whole and not after:
            return ".*"
        return "[^/]*"

    def _class(self) -> str:
        end = self.pattern.find("]", self.at + 1)
        if end < 0:
            return r"\["
        body = self.pattern[self.at : end]
        self.at = end + 1
        negated = body[0] in "!^"
        inside = "".join(_class_char(char) for char in (body[1:] if negated else body))
        if not inside:
            return _literal(f"[{body}]")
        if not negated:
            return f"[{inside}]"
        return f"[^{inside}{'/' if self.path else ''}]"

    def _group(self, kind: str) -> str:
        if kind == "!":
            raise PolicyError(
                f"glob {self.pattern!r} uses !(…), which no linear matcher can express",
                fix="List what should match, or add a second pattern that starts with `!`.",
            )
        end = self._closing()
        body = self.pattern[self.at + 2 : end]
        self.at = end + 1
        options = [_Translator(one, path=self.path).all() for one in _split_bars(body)]
        return f"(?:{'|'.join(options)}){_GROUPS[kind]}"

    def _closing(self) -> int:
        depth = 0
        for position in range(self.at + 1, len(self.pattern)):
            depth += {"(": 1, ")": -1}.get(self.pattern[position], 0)
            if depth == 0:
                return position
        raise PolicyError(f"glob {self.pattern!r} has a group that is not closed", fix="Add `)`.")


@functools.lru_cache(maxsize=1024)
def _literal(text: str) -> str:
    return str(re2.escape(text))


def _class_char(char: str) -> str:
    return char if char == "-" or char not in _SPECIAL else f"\\{char}"


def _split_bars(body: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for position, char in enumerate(body):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == "|" and depth == 0:
            parts.append(body[start:position])
            start = position + 1
    return [*parts, body[start:]]
