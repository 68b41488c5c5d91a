"""TripwireSet: a project's tripwires with one index over their triggers; makes plans (§4.5).

Immutable in effect: what it keeps is derived from what it was built with. Does no I/O.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import chain

from tripwire.errors import PolicyError
from tripwire.model.tripwire import (
    Block,
    FileAccess,
    Group,
    Match,
    Problem,
    ReadConfig,
    ReadPlan,
    ReadWarning,
    Repeat,
    Tripwire,
)
from tripwire.read.content import MATCHED, Similar, examine
from tripwire.read.places import project_id
from tripwire.read.plan import REPEAT, SHOWN, Closure, closure, with_groups, within_budget
from tripwire.read.render import FOOTER, block_text, body_of, good_tags, header, in_order
from tripwire.text.path_glob import compile_pattern
from tripwire.text.path_index import PathIndex

Found = dict[int, tuple[tuple[str, ...], str]]
"""Position of a tripwire → its globs that matched, and what its content condition says."""

_MAX_KEPT = 20_000
"""Groups of matches that are kept for the next plan."""
_NOTHING: Mapping[str, str] = {}
_HARMLESS = frozenset({"TW007", "TW042"})
"""Unknown keys: worth a warning, nothing is lost by them (§2.1, §2.2)."""


class TripwireSet:
    """The tripwires of one project, as of one moment. `tripwires` are in the order of CTX-18."""

    def __init__(
        self,
        root: str,
        config: ReadConfig,
        tripwires: Iterable[Tripwire],
        problems: Iterable[Problem] = (),
        *,
        similar: Similar | None = None,
    ) -> None:
        self.root = root
        self.config = config
        self.tripwires = tuple(sorted(tripwires, key=in_order))
        self.problems = tuple(problems)
        self.similar = similar
        self.by_name = {tripwire.name: tripwire for tripwire in self.tripwires}
        self.broken = tuple(p for p in self.problems if p.code not in _HARMLESS)
        """Problems because of which advice is lost or a default holds (CTX-8)."""
        case = config.match_case
        self._index = PathIndex([t.triggers for t in self.tripwires], match_case=case)
        self._excluded = PathIndex([config.exclude_paths], match_case=case)
        self._affected = PathIndex([_readable(p) for p in self.broken], match_case=case)
        self._conditions = any(t.match_content and t.active for t in self.tripwires)
        self._deaths = sorted({t.dead_from for t in self.tripwires if t.dead_from is not None})
        self._closures: dict[tuple[str, int], Closure] = {}
        self._groups: dict[tuple[str, int], tuple[tuple[Block, ...], str]] = {}
        self._matched: dict[tuple[int, tuple[str, ...], str, int], Group] = {}
        self._project = project_id(root)
        self._problem_set = _digest(repr((p.code, p.where, p.message)) for p in self.broken)

    # ── questions ───────────────────────────────────────────────────────────────────────────

    def excluded(self, forms: Sequence[str]) -> bool:
        """Whether every form is excluded (CTX-12)."""
        return bool(forms) and all(self._excluded.match(form) for form in forms)

    def wants_content(self, forms: Sequence[str]) -> bool:
        """Whether the text of a file with these forms could decide what fires (CTX-17)."""
        if not self._conditions or self.excluded(forms):
            return False
        found = chain.from_iterable(self._index.match(form) for form in forms)
        return any(
            self.tripwires[at].match_content is not None and self.tripwires[at].active
            for at, _ in found
        )

    def matching(self, forms: Sequence[str]) -> tuple[tuple[Tripwire, tuple[str, ...]], ...]:
        """Every tripwire whose triggers match a form, dead ones too, with the globs that did.

        Looks neither at exclusion nor at content.
        """
        found: dict[int, set[str]] = {}
        for form in forms:
            for at, globs in self._index.match(form):
                found.setdefault(at, set()).update(globs)
        return tuple((self.tripwires[at], self._in_order(at, found[at])) for at in sorted(found))

    def closure(self, name: str, now: float) -> Closure:
        """What the tripwire of that name brings with it at `now`."""
        key = (name, bisect_right(self._deaths, now))
        if key not in self._closures:
            self._closures[key] = closure(
                self.by_name[name], self.by_name, now=now, limit=self.config.max_dependency_depth
            )
        return self._closures[key]

    def group(self, name: str, now: float) -> tuple[tuple[Block, ...], str]:
        """The whole group of a root, itself last, and the digest of its text."""
        key = (name, bisect_right(self._deaths, now))
        if key not in self._groups:
            names = (*self.closure(name, now).names, name)
            blocks = tuple(self._block(each, name, now) for each in names)
            self._groups[key] = (blocks, self._group_digest(name, now))
        return self._groups[key]

    # ── planning ────────────────────────────────────────────────────────────────────────────

    def plan(
        self,
        access: FileAccess | Sequence[FileAccess],
        *,
        seen: Mapping[str, str] = _NOTHING,
        now: float,
        by_default: Repeat = Repeat.ALWAYS,
        told: Collection[str] = (),
    ) -> ReadPlan:
        """What is shown for one event, and why; pure (CTX-32). See model/tripwire.py."""
        seen = seen or _NOTHING
        accesses = (access,) if isinstance(access, FileAccess) else tuple(access)
        open_ = [each for each in accesses if each.forms and not self.excluded(each.forms)]
        found: Found = {}
        problems: dict[Problem, None] = {}
        paths = [
            each.forms[0]
            for each in open_
            if self._look(each, now, found) | self._broken_for(each.forms, problems)
        ]
        fresh = [self._fresh(at, globs, says, now) for at, (globs, says) in sorted(found.items())]
        matches = tuple([group.root for group in fresh])
        plan = ReadPlan(
            accesses,
            excluded=bool(accesses) and not open_,
            paths=tuple(dict.fromkeys(paths)),
            matches=matches,
            warnings=self._warnings(matches, now),
            problems=tuple(problems),
            notices=tuple(p for p in problems if seen.get(p.file) != self._problem_set),
            problem_set=self._problem_set,
            project=self._project,
            config=self.config,
        )
        groups = fresh
        if seen or told:
            groups = [self._left(group, (seen, told), by_default) for group in fresh]
        return with_groups(plan, within_budget(groups, self.config.max_context_length))

    def _look(self, access: FileAccess, now: float, found: Found) -> bool:
        """Add what fires for one access; whether anything does."""
        fires = False
        for form in access.forms:
            for at, globs in self._index.match(form):
                tripwire = self.tripwires[at]
                if not tripwire.alive(now):
                    continue
                condition = tripwire.match_content
                said = examine(condition, access, self.similar) if condition else ""
                if said is None:
                    continue
                fires = True
                before, says = found.get(at, ((), ""))
                found[at] = (before + globs, MATCHED if MATCHED in (says, said) else says or said)
        return fires

    def _broken_for(self, forms: Sequence[str], problems: dict[Problem, None]) -> bool:
        """Add the problems that affect a path; whether any does."""
        touching = {at for form in forms for at, _ in self._affected.match(form)}
        problems.update((self.broken[at], None) for at in sorted(touching))
        return bool(touching)

    def _in_order(self, at: int, globs: Collection[str]) -> tuple[str, ...]:
        """The positives in file order; the implied `**` of a list of negations is no trigger."""
        if len(globs) == 1:
            return tuple(globs)
        declared = tuple(dict.fromkeys(t for t in self.tripwires[at].triggers if t in globs))
        return declared or tuple(dict.fromkeys(globs))

    def _fresh(self, at: int, globs: tuple[str, ...], content: str, now: float) -> Group:
        """The whole group of a match, for a scope that was shown nothing yet."""
        key = (at, globs, content, bisect_right(self._deaths, now))
        group = self._matched.get(key)
        if group is None:
            match = Match(self.tripwires[at], self._in_order(at, globs), content)
            blocks, digest = self.group(match.tripwire.name, now)
            cost = sum(block.cost for block in blocks)
            group = Group(match, blocks, cost, digest, SHOWN, blocks)
            if len(self._matched) >= _MAX_KEPT:
                self._matched.clear()
            self._matched[key] = group
        return group

    def _left(
        self,
        group: Group,
        shown: tuple[Mapping[str, str], Collection[str]],
        by_default: Repeat,
    ) -> Group:
        """What of a group is still to be shown in a scope (CTX-34)."""
        seen, told = shown
        mode = group.root.tripwire.repeat or self.config.repeat or by_default

        def known(block: Block) -> bool:
            name = block.tripwire.name
            if name in told:
                return True
            if mode is Repeat.CHANGED:
                return seen.get(name) == block.digest
            return mode is Repeat.SESSION and name in seen

        if known(group.whole[-1]):
            return Group(group.root, (), 0, group.digest, REPEAT)
        blocks = tuple([block for block in group.whole if not known(block)])
        cost = sum(block.cost for block in blocks)
        return Group(group.root, blocks, cost, group.digest, SHOWN, blocks)

    def _block(self, name: str, root: str, now: float) -> Block:
        tripwire = self.by_name[name]
        body = body_of(tripwire, self.config.separator)
        tags, originator = good_tags(tripwire.tags), root if name != root else ""
        cost = len(header(tripwire, tags, originator)) + len(body) + len(FOOTER) + 3
        return Block(tripwire, body, tags, originator, cost, self._group_digest(name, now))

    def _group_digest(self, name: str, now: float) -> str:
        made = []
        for each in (*self.closure(name, now).names, name):
            tripwire = self.by_name[each]
            body = body_of(tripwire, self.config.separator)
            origin = name if each != name else ""
            made.append(block_text(Block(tripwire, body, good_tags(tripwire.tags), origin)))
        return _digest(made)

    def _warnings(self, matches: Iterable[Match], now: float) -> tuple[ReadWarning, ...]:
        """What a person should know: cut closures, keys that nobody reads (§2.1, CTX-21)."""
        found: dict[ReadWarning, None] = {}
        for problem in self.problems:
            if problem.code in _HARMLESS:
                found[ReadWarning(problem.code, f"{problem.where}: {problem.message}")] = None
        for match in matches:
            name, tripwire = match.tripwire.name, match.tripwire
            if warnings := self.closure(name, now).warnings:
                found.update(dict.fromkeys(warnings))
            for key in tripwire.unknown_keys:
                text = f'{tripwire.file}: unknown key "{key}"'
                found[ReadWarning("TW007", text, name)] = None
        return tuple(found)


def _readable(problem: Problem) -> tuple[str, ...]:
    """The triggers that bound what a problem affects; every path if they cannot be relied on."""
    try:
        for pattern in problem.triggers or ():
            compile_pattern(pattern.removeprefix("!"))
    except PolicyError:
        return ("**",)
    return problem.triggers or ("**",)


def _digest(parts: Iterable[str]) -> str:
    return sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()
