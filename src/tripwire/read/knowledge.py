"""What one event brings up: the plan, the text and the firing, derived once per judgement.

The rules of READ are views of this value; it looks at nothing but the event and the Case.
"""

from __future__ import annotations

from dataclasses import dataclass

from tripwire.memory.shown import call_of, scope_of
from tripwire.model.event import FileTouched, ToolCall, ToolResult
from tripwire.model.tripwire import Block, FileAccess, Firing, ReadPlan, Repeat, Shown
from tripwire.read.hook_text import hook_text
from tripwire.read.plan import SHOWN
from tripwire.read.render import injection
from tripwire.rule import Case

Touching = ToolCall | ToolResult | FileTouched
SERVER_ROUTE = "read_file"
"""The route of Tripwire's own file server; all others are hooks (CTX-34)."""
_MEMO = "read/knowledge"


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What the project knows about the paths of an event."""

    plan: ReadPlan
    text: str
    """What the agent is told; "" if nothing, or if Tripwire's own server told it."""
    firing: Firing | None
    """None if nothing matched and no problem was shown."""


def knowledge(event: Touching, case: Case) -> Knowledge | None:
    """What READ has to say of an event; None if it touches no project path."""
    if not event.touched or case.policy.read is None:
        return None
    if _MEMO not in case.memo:
        case.memo[_MEMO] = _knowledge(event, case)
    known: Knowledge = case.memo[_MEMO]
    return known


def _knowledge(event: Touching, case: Case) -> Knowledge | None:
    rules = case.policy.read
    if rules is None:
        return None
    first = event.touched[0]
    call = "" if isinstance(event, FileTouched) else call_of(event.call_id)
    scope = scope_of(event.agent)
    shown = case.memory.shown
    served = first.route == SERVER_ROUTE or first.observed
    plan = rules.plan(
        event.touched,
        seen=shown.seen(scope),
        now=event.at,
        by_default=Repeat.ALWAYS if served else Repeat.SESSION,
        told=shown.told(scope, call),
    )
    if first.observed or first.later:
        text = ""
    elif served:
        text = injection(plan)
    else:
        fitted = hook_text(plan)
        plan, text = fitted.plan, fitted.text
    tool = "" if isinstance(event, FileTouched) else event.exposed
    return Knowledge(plan, text, _firing(plan, first, (tool, call, scope)))


def _firing(plan: ReadPlan, first: FileAccess, who: tuple[str, str, str]) -> Firing | None:
    """The journal's record of it; of several paths, the first that brought something up."""
    if not (plan.groups or plan.notices):
        return None
    access = next((a for a in plan.accesses if a.forms and a.forms[0] in plan.paths), first)
    tool, call, scope = who
    return Firing(
        route=access.route,
        path=access.forms[0] if access.forms else access.path,
        real_path=access.real,
        tool=tool,
        call=call,
        agent=scope,
        opaque=access.opaque,
        content=next((m.content for m in plan.matches if m.content), ""),
        tripwires=_shown(plan),
        problems=plan.problem_set if plan.notices else "",
        files=tuple(dict.fromkeys(problem.file for problem in plan.notices)),
        observed=access.observed,
        later=access.later,
        probe=access.probe,
        project=plan.project,
    )


def _shown(plan: ReadPlan) -> tuple[Shown, ...]:
    """Every matched root and every dependency that came in, with its outcome (CTX-37)."""
    shown: list[Shown] = []
    for group in plan.groups:
        if group.outcome == SHOWN:
            shown += [_came_in(block) for block in group.blocks if block.originator]
        root, globs = group.root.tripwire, group.root.globs
        severity = root.severity.value
        shown.append(Shown(root.name, severity, group.digest, globs, outcome=group.outcome))
    return tuple(shown)


def _came_in(block: Block) -> Shown:
    tripwire = block.tripwire
    severity = tripwire.severity.value
    return Shown(
        tripwire.name, severity, block.digest, origin="dependency", originator=block.originator
    )
