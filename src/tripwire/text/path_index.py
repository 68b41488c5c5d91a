"""Which of many lists of triggers match a path (read.md CTX-15), without trying every pattern.

Every match of a pattern contains certain literals; one Aho-Corasick search over the path finds the
few patterns whose rarest literal occurs, and only these are tried. One RE2 set over all patterns
takes two orders of magnitude longer for a path it has not seen (`python -m bench.read_index`).
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ahocorasick_rs import AhoCorasick

from tripwire.text.case_fold import simple_fold
from tripwire.text.path_glob import compile_pattern
from tripwire.text.path_literals import Literals, needed_literals, quick_literals
from tripwire.text.well_formed import well_formed

Matched = tuple[tuple[int, tuple[str, ...]], ...]

MAX_PATHS = 4096
"""Paths whose answer is kept."""
COMMON = 16
"""A literal that more patterns than this share filters too little: the pattern is parsed whole."""
MAX_KEPT = 200_000
"""Matches that the kept answers may hold together."""


class PathIndex:
    """Lists of triggers by position. Built at the first path it is asked about.

    A broken pattern raises PolicyError then; whoever loads triggers refuses it before.
    """

    def __init__(self, trigger_lists: Sequence[Sequence[str]], *, match_case: bool = True) -> None:
        self._lists = tuple(tuple(triggers) for triggers in trigger_lists)
        self._match_case = match_case
        self._built: _Patterns | None = None
        self._kept: OrderedDict[str, Matched] = OrderedDict()
        self._size = 0

    def match(self, form: str) -> Matched:
        """(position of a list that matches, its positives that did in declared order), ascending.

        A list matches if one of its positives and none of its negations does; `**` is implied if
        it has only negations. `form` is one normalised path form.
        """
        known = self._kept.get(form)
        if known is not None:
            self._kept.move_to_end(form)
            return known
        found = self._match(form)
        self._keep(form, found)
        return found

    def _match(self, form: str) -> Matched:
        if not form:
            return ()
        if self._built is None:
            self._built = _Patterns.of(self._lists, match_case=self._match_case)
        hits = self._built.hits(form)
        touched = {at for pattern in hits for at in self._built.owners[pattern]}
        found = []
        for at in sorted(touched.union(self._built.only_negations)):
            positives = tuple(p for p in self._lists[at] if p in hits) or ("**",)
            if not self._vetoed(self._lists[at], form):
                found.append((at, positives))
        return tuple(found)

    def _vetoed(self, triggers: tuple[str, ...], form: str) -> bool:
        return any(
            compile_pattern(t[1:], match_case=self._match_case).matches(form, unexamined=False)
            for t in triggers
            if t.startswith("!")
        )

    def _keep(self, form: str, found: Matched) -> None:
        self._kept[form] = found
        self._size += len(found)
        while len(self._kept) > MAX_PATHS or (self._size > MAX_KEPT and len(self._kept) > 1):
            self._size -= len(self._kept.popitem(last=False)[1])


def _rarity(sets: Literals, common: Counter[str]) -> int:
    """How many patterns share the literal that would be chosen."""
    return max(
        (min((common[t] for t in texts), default=MAX_KEPT) for texts in sets), default=MAX_KEPT
    )


@dataclass(slots=True)
class _Patterns:
    """The distinct positive patterns, who has them, and the literals that lead to them."""

    match_case: bool
    owners: dict[str, list[int]] = field(default_factory=dict)
    only_negations: list[int] = field(default_factory=list)
    by_literal: list[list[str]] = field(default_factory=list)
    always: list[str] = field(default_factory=list)
    """Patterns that need no literal, such as `**` or `*`."""
    own_text: dict[str, list[str]] = field(default_factory=dict)
    """A pattern's own text, folded, for the rule that it matches itself."""
    search: AhoCorasick | None = None

    @classmethod
    def of(cls, lists: Sequence[Sequence[str]], *, match_case: bool) -> _Patterns:
        built = cls(match_case)
        for at, triggers in enumerate(lists):
            positives = [trigger for trigger in triggers if not trigger.startswith("!")]
            for pattern in dict.fromkeys(positives):
                built.owners.setdefault(pattern, []).append(at)
            if triggers and not positives:
                built.only_negations.append(at)
        built._choose_literals()
        return built

    def _choose_literals(self) -> None:
        needed = {pattern: quick_literals(pattern, self._folded) for pattern in self.owners}
        common = Counter(text for sets in needed.values() for texts in sets for text in texts)
        for pattern, sets in needed.items():
            if _rarity(sets, common) > COMMON and any(char in pattern for char in '\\"([{'):
                needed[pattern] = needed_literals(pattern, self._folded)
                common.update(text for texts in needed[pattern] for text in texts)
        chosen: dict[str, list[str]] = {}
        for pattern, sets in needed.items():
            self.own_text.setdefault(self._folded(pattern), []).append(pattern)
            if not sets or not all(sets):
                self.always.append(pattern)
                continue
            # The rarest literal of each alternative, the longest of those.
            for text in {min(texts, key=lambda t: (common[t], -len(t))) for texts in sets}:
                chosen.setdefault(text, []).append(pattern)
        self.by_literal = list(chosen.values())
        self.search = AhoCorasick(list(chosen)) if chosen else None

    def _folded(self, text: str) -> str:
        return well_formed(text) if self.match_case else simple_fold(well_formed(text))

    def hits(self, form: str) -> set[str]:
        """The positive patterns that match."""
        folded = self._folded(form)
        candidates = {*self.always, *self.own_text.get(folded, ())}
        if self.search is not None:
            for which, _, _ in self.search.find_matches_as_indexes(f"/{folded}/", overlapping=True):
                candidates.update(self.by_literal[which])
        return {
            pattern
            for pattern in candidates
            if compile_pattern(pattern, match_case=self.match_case).matches(form)
        }
