"""States and the actions that lead to them (say.md §2.6, §3.5)."""

from __future__ import annotations

from tripwire.errors import UnknownAction
from tripwire.model.say import LifeCycle


def validate(cycle: LifeCycle, status: str, action: str) -> str | None:
    """None if `action` may be applied in `status`, else why not (SAY-31)."""
    if status not in cycle.states:
        return f"Unknown status {status!r}. Known: {', '.join(cycle.states)}."
    target = cycle.actions.get(action)
    if target is None:
        return f"Unknown action {action!r}. Known: {', '.join(cycle.actions)}."
    if target == status:
        return f"{cycle.label} is already {status}."
    if status == cycle.terminal and action != cycle.undo:
        undo = "Reactivate first before applying another action."
        return f"{cycle.label} is {status} - {undo}"
    return None


def next_status(cycle: LifeCycle, action: str) -> str:
    """The state that `action` leads to. Raises UnknownAction (SAY-32)."""
    target = cycle.actions.get(action)
    if target is None:
        raise UnknownAction(f"no action {action!r}", fix=f"Known: {', '.join(cycle.actions)}.")
    return target


def reason_required(cycles: tuple[LifeCycle, ...], action: str) -> bool:
    """Whether whoever applies `action` must say why."""
    return not any(action in cycle.silent for cycle in cycles)
