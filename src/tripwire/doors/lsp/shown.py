"""A plan as an editor shows it: code lenses, a hover, and one line of information.

Text of tripwires is written by many people and shown as it stands, in a code fence: nothing in it
becomes a link, an image that is fetched, or a command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lsprotocol import types

from tripwire.model.tripwire import Group, ReadPlan
from tripwire.read.explain import as_text
from tripwire.read.plan import SHOWN
from tripwire.read.render import injection, one_line

EXPLAIN, OPEN = "tripwire.explain", "tripwire.open"
"""Commands that the server carries out for its lenses."""

MAX_LENSES = 5
"""Tripwires with a lens of their own; the first lens counts all of them."""

MAX_HOVER = 32_768
"""Code points of blocks in one hover."""

CODE = "read/tripwire"
SOURCE = "tripwire"
_TOP = types.Range(types.Position(0, 0), types.Position(0, 0))
_TICKS = re.compile("`+")


def count(plan: ReadPlan) -> str:
    """`1 tripwire`, `2 tripwires`."""
    number = len(plan.groups)
    return f"{number} tripwire{'' if number == 1 else 's'}"


def lenses(plan: ReadPlan, uri: str) -> list[types.CodeLens]:
    """One lens that counts and explains, then one for each tripwire, which opens it."""
    if not plan.groups:
        return []
    made = [types.CodeLens(_TOP, types.Command(count(plan), EXPLAIN, arguments=[uri]))]
    for group in plan.groups[:MAX_LENSES]:
        title = f"{_named(group)}{_left_out(group)}"
        opens = types.Command(title, OPEN, arguments=[uri, group.root.tripwire.name])
        made.append(types.CodeLens(_TOP, opens))
    return made


def information(plan: ReadPlan, line: types.Range) -> list[types.Diagnostic]:
    """That the file has tripwires, on its first line."""
    if not plan.groups:
        return []
    names = [_named(group) for group in plan.groups[:MAX_LENSES]]
    more = len(plan.groups) - len(names)
    rest = f" and {more} more" if more else ""
    text = f"{count(plan)}: {', '.join(names)}{rest}"
    severity = types.DiagnosticSeverity.Information
    return [types.Diagnostic(line, text, severity, CODE, source=SOURCE)]


def plain(plan: ReadPlan) -> str:
    """Why, then the blocks, as plain text."""
    return f"{as_text(plan)}\n\n{_blocks(plan)}".rstrip()


def message(plan: ReadPlan) -> str:
    """Why, for a message box; no pattern or name becomes a link.

    Some editors make links of `[words](address)` there and run the command that one names.
    """
    return as_text(plan).replace("](", "] (")


def markdown(plan: ReadPlan, link: Callable[[str], str]) -> str:
    """The same as Markdown. `link` gives the URI of a file named from the root."""
    parts = []
    if plan.groups:
        parts += [f"**{count(plan)}** for {_code(plan.accesses[0].forms[0])}", ""]
        parts += _reasons(plan, link)
        parts.append("")
    blocks = _blocks(plan).strip("\n")
    fence = "`" * max([3, *(len(run) + 1 for run in _TICKS.findall(blocks))])
    parts += [f"{fence}text", blocks, fence]
    return "\n".join(parts)


def _reasons(plan: ReadPlan, link: Callable[[str], str]) -> Iterator[str]:
    for group in plan.groups:
        tripwire = group.root.tripwire
        globs = ", ".join(_code(glob) for glob in group.root.globs)
        content = f"; content {group.root.content.replace('_', ' ')}" if group.root.content else ""
        head = f"- {tripwire.severity.value} [{tripwire.name}]({link(tripwire.file)})"
        yield f"{head}: matched {globs}{content}{_left_out(group)}"
    for block in plan.emitted:
        if block.originator:
            tripwire = block.tripwire
            head = f"- {tripwire.severity.value} [{tripwire.name}]({link(tripwire.file)})"
            yield f"{head}: needed by {block.originator}"
    for warning in plan.warnings:
        yield f"- {warning.code} {_code(warning.message)}"


def _named(group: Group) -> str:
    return f"{group.root.tripwire.severity.value} {group.root.tripwire.name}"


def _left_out(group: Group) -> str:
    return "" if group.outcome == SHOWN else f" (not shown: {group.outcome.replace('_', ' ')})"


def _blocks(plan: ReadPlan) -> str:
    text = injection(plan)
    if len(text) <= MAX_HOVER:
        return text
    return f"{text[:MAX_HOVER]}…\n(cut here; `tripwire explain PATH` says what is shown)"


def _code(text: str) -> str:
    """Text in a code span that nothing in it can end."""
    shown = one_line(text)
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    pad = " " if shown[:1] in ("`", " ") or shown[-1:] in ("`", " ") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"
