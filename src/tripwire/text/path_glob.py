"""Path globs of tripwires: one pattern, whether it matches a path, what is wrong with it.

read.md CTX-16. Paths are project-relative forms: `/` between segments, no `.`, `..`, `//` and no
slash at the end. Matching is linear in the path (RE2); only `!(…)` goes to a capped matcher of its
own. Lists of triggers, with their negations, are path_index.py. Globs of tool names are glob.py.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import re2

from tripwire.errors import PolicyError
from tripwire.text.case_fold import simple_fold
from tripwire.text.path_class import CharClass
from tripwire.text.path_negation import MAX_NODES, MAX_TEXT, Positions, complement_weight, weight
from tripwire.text.path_regex import class_regex, linear, never_matches, regex
from tripwire.text.path_syntax import Group, Nodes, parse, walk
from tripwire.text.well_formed import well_formed

_EAGER = 512
"""A pattern longer than this may be too large for RE2: that is found out when it is loaded."""

_NEGATED_GROUP = (
    "the `!` before {} negates the whole pattern, and its parentheses are a group; for the `!(…)` "
    "of a segment put `./` before it, for parentheses in a name write `\\(`"
)


@dataclass(slots=True)
class PathPattern:
    """One pattern, as written but for a `!` that negates a trigger; see `compile_pattern`."""

    pattern: str
    match_case: bool
    alternatives: tuple[Nodes, ...]
    """Without braces; what a match needs, for path_index.py."""
    complement: bool = False
    """The pattern itself begins with a further `!`: it matches what the rest does not."""
    _regex: Any = None

    def matches(self, path: str, *, unexamined: bool = True) -> bool:
        """Whether a normalised path matches; the pattern's own text always does.

        `unexamined` is the answer for a path too long to be examined for `!(…)`: true where too
        many matches are the safe direction, false for a trigger's negation.
        """
        path = well_formed(path)
        if not path:
            return False
        if path == self.pattern or (not self.match_case and self._same(path)):
            return True
        return self._found(path, unexamined=unexamined) is not self.complement

    def _same(self, path: str) -> bool:
        return simple_fold(path) == simple_fold(self.pattern)

    def _found(self, path: str, *, unexamined: bool) -> bool:
        if self._expression().fullmatch(path.encode()):
            return True
        hard = [nodes for nodes in self.alternatives if not linear(nodes)]
        if hard and len(path) > MAX_TEXT:
            return unexamined is not self.complement
        if not hard:
            return False
        positions = Positions(
            path,
            match_case=self.match_case,
            class_matcher=functools.partial(_class, self.match_case),
        )
        return any(positions.matches(nodes) for nodes in hard)

    def _expression(self) -> Any:
        if self._regex is None:
            easy = [regex(nodes) for nodes in self.alternatives if linear(nodes)]
            self._regex = _compiled("|".join(easy) or r"[^\x00-\x{10ffff}]", self.match_case)
        return self._regex

    def check(self) -> None:
        """Raise PolicyError if the pattern is larger than its matcher takes."""
        hard = complement_weight(self.alternatives)
        if hard > MAX_NODES:
            raise PolicyError(
                f"a pattern whose `!(…)` hold {hard} parts is too large",
                fix=f"At most {MAX_NODES}: use a second trigger that begins with `!`.",
            )
        if sum(map(weight, self.alternatives)) > _EAGER:
            self._expression()


@functools.lru_cache(maxsize=4096)
def compile_pattern(pattern: str, *, match_case: bool = True) -> PathPattern:
    """The pattern of a trigger (without the `!` that negates it), ready to match.

    Raises PolicyError if braces expand to more than 1,000 patterns, or it is otherwise too large.
    """
    pattern = well_formed(pattern)
    marks = len(pattern) - len(pattern.lstrip("!"))
    if pattern[marks : marks + 1] == "(":
        marks = max(marks - 1, 0)  # the last one belongs to `!(`
    rest = pattern[marks:]
    compiled = PathPattern(pattern, match_case, parse(rest), marks % 2 == 1)
    compiled.check()
    return compiled


def pattern_faults(pattern: str, *, in_negation: bool = False) -> tuple[tuple[str, str], ...]:
    """(lint code, message) for what is wrong with a pattern: TW008, TW028, TW029, TW031, TW035.

    `pattern` is without the `!` of a negation; `in_negation` tells that it had one.
    """
    if not pattern:
        return (("TW008", "an empty pattern matches nothing; write a glob such as src/**"),)
    try:
        compiled = compile_pattern(pattern)
    except PolicyError as error:
        return (("TW035", f"pattern {_short(pattern)} is too large: {error}"),)
    nodes = [node for one in compiled.alternatives for node in walk(one)]
    faults: list[tuple[str, str]] = []
    if any(isinstance(n, CharClass) and n.written.startswith("[!") for n in nodes):
        faults.append(("TW028", f"`[!` in {_short(pattern)} is no negation; write `[^` for it"))
    if not compiled.complement and all(map(never_matches, compiled.alternatives)):
        faults.append(
            ("TW029", f"pattern {_short(pattern)} can never match; {_remedy(compiled.pattern)}")
        )
    if in_negation and any(isinstance(n, Group) and not n.kind for n in nodes):
        faults.append(("TW031", _NEGATED_GROUP.format(_short(pattern))))
    return tuple(faults)


def _remedy(pattern: str) -> str:
    if pattern.startswith("/"):
        return "paths are relative to the project, so drop the leading `/`"
    if pattern.endswith("/"):
        return "for a directory and all below it end it with `/**`"
    return "paths hold no empty, `.` or `..` segment, no backslash, and ranges go upwards"


def _short(pattern: str) -> str:
    return repr(pattern if len(pattern) <= 80 else f"{pattern[:79]}…")


@functools.lru_cache(maxsize=256)
def _class(match_case: bool, node: CharClass) -> Any:  # noqa: FBT001 - for functools.partial
    return _compiled(node.regex or class_regex(node), match_case)


def _compiled(source: str, match_case: bool) -> Any:  # noqa: FBT001 - private
    options = re2.Options()
    options.dot_nl = True
    options.log_errors = False
    options.never_capture = True
    options.case_sensitive = match_case
    options.max_mem = (64 << 20) if len(source) > _EAGER else (8 << 20)
    try:
        return re2.compile(source.encode(), options)
    except re2.error:
        raise PolicyError("a pattern is too large to be matched", fix="Simplify it.") from None
