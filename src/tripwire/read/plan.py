"""Groups and budgets: which blocks a matched tripwire brings, and which of them fit.

Values only (CTX-27). Knows nothing of paths or text formats beyond what a block costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from tripwire.model.tripwire import Block, Group, ReadPlan, ReadWarning, Tripwire
from tripwire.read.render import BUDGET

SHOWN, REPEAT = "shown", "repeat"


@dataclass(frozen=True, slots=True)
class Closure:
    """What a tripwire needs shown with it: names in pre-order, without itself (CTX-19)."""

    names: tuple[str, ...]
    warnings: tuple[ReadWarning, ...] = ()


@dataclass(slots=True)
class _Walk:
    """One depth-first walk over `depends_on` from a root."""

    by_name: Mapping[str, Tripwire]
    now: float
    limit: int
    order: list[str] = field(default_factory=list)
    best: dict[str, int] = field(default_factory=dict)
    """The shortest way by which a name was met."""
    warnings: dict[tuple[str, str, str], ReadWarning] = field(default_factory=dict)
    cut: list[tuple[str, str]] = field(default_factory=list)

    def visit(self, tripwire: Tripwire, depth: int, stack: tuple[str, ...]) -> None:
        """Follow the edges of one node; at most `limit` deep, each node once per way's length."""
        for name in tripwire.depends_on:
            if depth >= self.limit:
                self.cut.append((tripwire.name, name))
            elif name in stack:
                way = " → ".join([*stack[stack.index(name) :], name])
                self._warn("TW017", tripwire.name, name, f"dependency cycle: {way}")
            elif (found := self._usable(tripwire.name, name)) is not None:
                self._enter(found, depth + 1, stack)

    def _enter(self, found: Tripwire, depth: int, stack: tuple[str, ...]) -> None:
        met = self.best.get(found.name)
        if met is not None and met <= depth:
            return
        if met is None:
            self.order.append(found.name)
        self.best[found.name] = depth
        self.visit(found, depth, (*stack, found.name))

    def _usable(self, by: str, name: str) -> Tripwire | None:
        found = self.by_name.get(name)
        if found is None:
            self._warn("TW016", by, name, f'"{by}" depends on "{name}", which does not exist')
            return None
        if found.alive(self.now):
            return found
        state = "has expired" if found.active else "is inactive"
        self._warn("TW018", by, name, f'"{by}" depends on "{name}", which {state}')
        return None

    def _warn(self, code: str, name: str, other: str, message: str) -> None:
        self.warnings.setdefault((code, name, other), ReadWarning(code, message, name, other))

    def close(self, root: str) -> Closure:
        """The result; an edge beyond the limit is a loss if nothing else leads to its end."""
        for by, name in self.cut:
            if name in self.by_name and name not in self.best and name != root:
                limit = f"max_dependency_depth ({self.limit})"
                text = f'"{by}" depends on "{name}", deeper than {limit}'
                self._warn("TW019", by, name, text)
        return Closure(tuple(self.order), tuple(self.warnings.values()))


def closure(root: Tripwire, by_name: Mapping[str, Tripwire], *, now: float, limit: int) -> Closure:
    """The dependencies of a root in the order in which they are shown (CTX-19 to CTX-21)."""
    walk = _Walk(by_name, now, limit)
    walk.visit(root, 0, (root.name,))
    return walk.close(root.name)


def admitted(
    groups: Iterable[Group], fits: Callable[[tuple[Block, ...], int], bool], over: str
) -> tuple[Group, ...]:
    """Each group once more with what earlier ones emit left out; atomic (CTX-19, CTX-23).

    A group that is to be shown and does not fit gets `over` as its outcome; smaller ones after it
    are still tried. What a suppressed group would have brought is not emitted. `fits` gets the
    blocks and their cost.
    """
    emitted: set[str] = set()
    made: list[Group] = []
    for group in groups:
        if group.outcome != SHOWN:
            made.append(group)
            continue
        blocks = group.whole
        if group.root.tripwire.name in emitted:
            blocks = ()
        elif len(blocks) > 1:
            blocks = tuple([b for b in blocks if b.tripwire.name not in emitted])
        cost = sum([block.cost for block in blocks])
        outcome = SHOWN if fits(blocks, cost) else over
        if outcome == SHOWN:
            emitted.update([block.tripwire.name for block in blocks])
        if (outcome, cost, blocks) == (SHOWN, group.cost, group.blocks):
            made.append(group)
        else:
            made.append(Group(group.root, blocks, cost, group.digest, outcome, group.whole))
    return tuple(made)


def within_budget(groups: Iterable[Group], limit: int) -> tuple[Group, ...]:
    """The groups under `max_context_length` code points; 0 = unlimited (CTX-23)."""
    used = 0

    def fits(_: tuple[Block, ...], cost: int) -> bool:
        nonlocal used
        if limit and used + cost > limit:
            return False
        used += cost
        return True

    return admitted(groups, fits, BUDGET)


def with_groups(plan: ReadPlan, groups: tuple[Group, ...]) -> ReadPlan:
    """The plan that shows these groups."""
    shown = [group for group in groups if group.outcome == SHOWN]
    return replace(
        plan,
        groups=groups,
        emitted=tuple(block for group in shown for block in group.blocks),
        suppressed=tuple(g for g in groups if g.outcome not in (SHOWN, REPEAT)),
        cost=sum(group.cost for group in shown),
    )
