"""The text that a hook adds to an event: a first line, the injection, all within a client's limit.

Clients count UTF-16 units and spill a longer text into a file that nobody reads (CTX-31). What is
added is worded as fact, never as a command (CTX-36).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tripwire.model.tripwire import Block, Enforcement, Group, ReadPlan
from tripwire.read.plan import SHOWN, admitted, with_groups
from tripwire.read.render import (
    BUDGET,
    CLIENT,
    block_text,
    injection,
    notices,
    one_line,
    suppression,
)

LIMIT = 9_500
"""UTF-16 units of one hook string; the client spills at 10,000 (CTX-31)."""
READ_TOOL = "mcp__tripwire__read_file"
_MAX_PATHS = 3
_PLAIN = re.compile(r"[A-Za-z0-9_./@%+=:,-]+")
_MAX_PATH = 160
_ADVICE = f"{READ_TOOL} serves a file together with what is known about it."
_LIST_ROOM = 1_000
"""Units kept free for the names of groups that do not fit."""


@dataclass(frozen=True, slots=True)
class HookText:
    """The text for the client, and the plan with what did not fit marked so."""

    text: str
    plan: ReadPlan


def hook_text(plan: ReadPlan, *, limit: int = LIMIT) -> HookText:
    """The hook string of a plan; "" if there is nothing to say (CTX-30, CTX-31)."""
    if not (plan.emitted or plan.suppressed or plan.notices):
        return HookText("", plan)
    head = first_line(plan.paths) + "\n"
    if plan.config.enforcement_mode is Enforcement.ADVISORY:
        head += f"{_ADVICE}\n"
    whole = head + injection(plan)
    if units(whole) <= limit:
        return HookText(whole, plan)
    return _fitted(head, plan, limit)


def first_line(paths: Sequence[str]) -> str:
    """`Tripwire: project knowledge for a, b, c and 2 more`."""
    more = f" and {len(paths) - _MAX_PATHS} more" if len(paths) > _MAX_PATHS else ""
    return f"Tripwire: project knowledge for {', '.join(map(_path, paths[:_MAX_PATHS]))}{more}"


def units(text: str) -> int:
    """The length of a text in UTF-16 units."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def group_units(blocks: Sequence[Block]) -> int:
    """UTF-16 units of these blocks, the newlines that join them included."""
    return sum(units(block_text(block)) + 1 for block in blocks)


def _fitted(head: str, plan: ReadPlan, limit: int) -> HookText:
    """Groups that do not fit go to a list of their own; lists are cut before blocks are."""
    told = notices(plan)
    over = [group for group in plan.suppressed if group.outcome == BUDGET]
    used = units(head) + sum(units(each) + 1 for each in told)
    hint = f"\nThe full text: tripwire explain {_word(plan.paths[0] if plan.paths else '.')}"
    waiting = [group for group in plan.groups if group.outcome == SHOWN]
    reserve = units(_list(over, BUDGET, _LIST_ROOM)) + units(
        _list(waiting, CLIENT, _LIST_ROOM) + hint
    )

    def fits(blocks: tuple[Block, ...], _: int) -> bool:
        nonlocal used
        size = group_units(blocks)
        if used + size + reserve > limit:
            return size == 0
        used += size
        return True

    fitted = with_groups(plan, admitted(plan.groups, fits, CLIENT))
    left = [group for group in fitted.groups if group.outcome == CLIENT]
    parts = [*told, *(block_text(block) for block in fitted.emitted)]
    text = head + "\n".join(parts)
    room = limit - units(text)
    budget_list = _list(over, BUDGET, room // 2 if left else room)
    room -= units(budget_list)
    client_list = _list(left, CLIENT, room - units(hint)) + hint if left else ""
    return HookText(text + budget_list + client_list, fitted)


def _list(groups: Sequence[Group], reason: str, room: int) -> str:
    """The suppression block with as many names as `room` UTF-16 units hold."""
    whole = suppression(groups, reason)
    if units(whole) <= room:
        return whole
    low, high = 0, len(groups)
    while low < high:
        middle = (low + high + 1) // 2
        if units(suppression(groups, reason, lines=middle)) <= room:
            low = middle
        else:
            high = middle - 1
    return suppression(groups, reason, lines=low)


def _word(path: str) -> str:
    """A path as one word of a shell, whatever a file may be called."""
    shown = _path(path)
    if shown.startswith("-"):
        shown = f"./{shown}"
    if _PLAIN.fullmatch(shown):
        return shown
    quoted = shown.replace("'", "'\\''")
    return f"'{quoted}'"


def _path(path: str) -> str:
    """A path on one line, shortened in its middle."""
    shown = one_line(path) or "."
    if len(shown) <= _MAX_PATH:
        return shown
    return f"{shown[: _MAX_PATH // 2]}…{shown[-_MAX_PATH // 2 :]}"
