"""act/flow — interprets the flow table: which labels meet which write classes (flow.md §3.2).

The rows are policy data (`config/presets/flow.yaml`); a finding carries the id of its row. A new
row needs no code unless it needs a new condition.

Does not catch: a hijack that stays inside what the user asked for (same place, same class, plain
words); see docs/explanation/threat-model.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tripwire.act.choice import object_ok
from tripwire.act.declared import declared
from tripwire.act.facts import CallFacts, call_facts
from tripwire.act.paths import PathContext, is_project_root, is_root, path_kinds
from tripwire.act.payload import payload_texts, rare_private
from tripwire.act.places import Place, clean_payload, first_stranger
from tripwire.act.purpose import Purpose
from tripwire.act.touch import planted
from tripwire.memory.tokens import Tokens
from tripwire.model.event import ToolCall
from tripwire.model.label import Label, Origin, WriteClass
from tripwire.model.policy import FlowRow
from tripwire.model.verdict import Finding
from tripwire.rule import Case, Rule

ID = "act/flow"

_RUNS_AT_ONCE = frozenset({WriteClass.EXEC, WriteClass.UNKNOWN})
_ADDRESSED = frozenset({WriteClass.INTERNAL})
_PATHLIKE = 3
_OPENING = "session"
"""The tool in the origin of labels that a session began with (act/lesson.py)."""


@dataclass(frozen=True, slots=True)
class View:
    """One row against one call: what its conditions look at."""

    event: ToolCall
    case: Case
    facts: CallFacts
    row: FlowRow
    classes: frozenset[WriteClass]

    @property
    def tokens(self) -> Tokens:
        """The index of the session."""
        return self.case.memory.tokens

    @property
    def places(self) -> tuple[Place, ...]:
        """The places that the row is about."""
        found = (p for p in self.facts.places if p.classes & self.row.classes)
        return tuple(p for p in found if p.is_address or not p.classes <= _ADDRESSED)

    @property
    def here(self) -> PathContext:
        """Where the call runs."""
        files = self.case.memory.files
        return PathContext(self.event.cwd or files.root, files.home, self.event.links, files.root)


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """A finding for every row that speaks."""
    facts = call_facts(event, case)
    if not facts.judged:
        return
    held = case.memory.labels.as_set()
    for row in case.policy.flow.rows:
        classes = row.classes & _classes(facts, row)
        if not classes or not _labelled(row, held, facts, classes, case):
            continue
        view = View(event, case, facts, row, classes)
        if row.skip and all(CONDITIONS[name](view) for name in row.skip):
            continue
        yield _finding(view)


def _classes(facts: CallFacts, row: FlowRow) -> frozenset[WriteClass]:
    """An opaque shell command asks under act/opaque-command alone (SH-9)."""
    if facts.shell is not None and "no-opaque-command" not in row.skip:
        return facts.classes - {WriteClass.UNKNOWN}
    return facts.classes


def _labelled(
    row: FlowRow,
    held: frozenset[Label],
    facts: CallFacts,
    classes: frozenset[WriteClass],
    case: Case,
) -> bool:
    """Whether the labels are there, those that the call itself would add included (FLOW-4)."""
    added = facts.reads
    if not (facts.shell is not None and classes & _RUNS_AT_ONCE):
        added = added - {Label.UNTRUSTED}  # what it reads comes after its arguments were chosen
    needs = row.needs
    if case.policy.flow.strict_destinations and "no-unseen-destination" in row.skip:
        needs = needs - {Label.UNTRUSTED}
    return needs <= held | added


# ── conditions ───────────────────────────────────────────────────────────────────────────────


def _chosen_destinations(view: View) -> bool:
    """Every place is the user's choice or carries nothing; to nowhere outside, nothing leaves."""
    relevant = [p for p in view.facts.places if p.classes & view.row.classes]
    if relevant:
        return all(place.cleared for place in relevant)
    return view.classes <= {WriteClass.INTERNAL}


def _foreign_destinations(view: View) -> bool:
    return not _chosen_destinations(view)


def _clean_payload(view: View) -> bool:
    """What is sent holds no private number or id, and no private file the user did not name."""
    facts = view.facts
    if all(p.cleared and not p.sends for p in facts.places) and facts.places:
        return True
    if facts.shell is not None and any(p.sends for p in facts.places):
        own = [p for p in facts.read_paths if not _named(p, view)]
        if own:
            return False
    found = declared(view.event, view.case)
    if found is not None:
        return not rare_private(payload_texts(found), view.case)
    to = {p.value for p in facts.places}
    return clean_payload(tuple(t for t in facts.payload if t not in to), view.tokens)


def _asked_for(view: View) -> bool:
    """A described tool, the place typed by the user, such a call asked for, a clean payload."""
    found = declared(view.event, view.case)
    if found is None or not found.facts.places or not found.wanted.licensed:
        return False
    return all(p.why == "typed" for p in found.facts.places) and _clean_payload(view)


def _no_untrusted_destination(view: View) -> bool:
    return not any(p.untrusted and not p.cleared for p in view.places)


def _no_unseen_destination(view: View) -> bool:
    return not any(not p.cleared and not p.untrusted for p in view.places)


def _named_code(view: View) -> bool:
    """The user named every file, and no stranger's address goes into it."""
    writes = view.facts.exec_writes
    if not writes or view.facts.classes & {WriteClass.UNKNOWN} or _runs_code(view):
        return False
    return all(
        _named(w.path, view) and w.content is not None and not planted(w.content, view.tokens)
        for w in writes
    )


def _runs_code(view: View) -> bool:
    """Exec for another reason than a file: code fetched and run, a package a stranger named."""
    shell = view.facts.shell
    return shell is not None and WriteClass.EXEC in shell.classes and not view.facts.exec_writes


def _named(path: str, view: View) -> bool:
    """Whether the user said this path: whole, from the project on, or its unusual file name."""
    root = view.here.root
    inside = path.removeprefix(f"{root}/") if root else path
    name = path.rsplit("/", 1)[-1]
    spelled = (path, inside, name) if "." in name else (path, inside)
    return any(len(form) >= _PATHLIKE and view.tokens.typed(form) for form in spelled)


def _own_objects(view: View) -> bool:
    """All that is deleted is scratch, was made here, or was named by the user (OBJ-1, OBJ-4)."""
    facts, files = view.facts, view.case.memory.files
    gone = facts.deletions
    if not gone:
        return False
    if facts.shell is not None and WriteClass.DESTRUCTIVE in facts.shell.classes:
        return False  # something is lost that no path stands for: commits, a stash, a table
    if facts.shell is None:
        return _picked(view)
    kinds = path_kinds(view.case.policy.flow.paths, files.home)
    return all(
        not is_root(path, view.here)
        and not is_project_root(path, view.here)
        and (
            files.made_here(path)
            or _is_scratch(path, view, kinds.scratch.surely_has)
            or _is_build_output(path, view)
            or _named(path, view)
        )
        for path in gone
    )


def _picked(view: View) -> bool:
    """Objects of a service: named by the user, or of a record that the user picked out."""
    role = view.facts.role
    if role is None or role.classifier or not role.object:
        return all(view.tokens.typed(item) for item in view.facts.deletions)
    wanted = Purpose(view.event, role, view.facts.classes, view.case, has_object=True)
    return all(object_ok(item, role.kind, wanted, internal=False) for item in view.facts.deletions)


def _is_scratch(path: str, view: View, scratch: Callable[[str], bool]) -> bool:
    """Inside the project only caches are scratch, wherever the project lies."""
    root = view.here.root
    if root and path.startswith(f"{root}/"):
        path = path[len(root) :]
    bare = path.rstrip("*").rstrip("/")
    return scratch(bare) or scratch(f"{bare}/x")


def _is_build_output(path: str, view: View) -> bool:
    """Inside the project, a directory that build tools make and make again (`build_outputs`).

    Elsewhere, among the sources and in hidden directories (`.git`) such a name says nothing.
    """
    root, lists = view.here.root, view.case.policy.flow.paths
    if not root or not path.startswith(f"{root}/"):
        return False
    for part in path[len(root) + 1 :].split("/"):
        if part in lists.build_outputs:
            return True
        if part.startswith(".") or part in lists.sources:
            return False
    return False


def _spares_roots(view: View) -> bool:
    return not view.facts.roots


def _no_opaque_command(view: View) -> bool:
    return view.facts.shell is None or not view.facts.shell.opaque


CONDITIONS: Mapping[str, Callable[[View], bool]] = {
    "chosen-destinations": _chosen_destinations,
    "foreign-destinations": _foreign_destinations,
    "clean-payload": _clean_payload,
    "asked-for": _asked_for,
    "no-untrusted-destination": _no_untrusted_destination,
    "no-unseen-destination": _no_unseen_destination,
    "named-code": _named_code,
    "own-objects": _own_objects,
    "spares-roots": _spares_roots,
    "no-opaque-command": _no_opaque_command,
}
"""What a row's `skip` may name; a row is cleared if all that it names hold."""


# ── what is said ─────────────────────────────────────────────────────────────────────────────


def _finding(view: View) -> Finding:
    row = view.row
    return Finding(
        rule=row.id,
        action=row.action,
        reason=_reason(view),
        remedy=_remedy(view),
        evidence=_evidence(view),
        code="flow_violation",
        at=row.at,
    )


def _remedy(view: View) -> str:
    """What now; for a tool that no policy describes also how a person ends the question."""
    if view.facts.known or view.facts.shell is not None:
        return view.row.remedy
    return (
        f"{view.row.remedy} If {view.event.exposed} sends nothing out, the user can say so in"
        f" flow.policies of tripwire.yaml."
    )


def _reason(view: View) -> str:
    session = _session(view)
    what = f"{view.event.exposed} {_effect(view)}"
    return f"{what}, and {session}" if session else what


def _session(view: View) -> str:
    """What the session holds; labels it only began with are no text that anybody saw it read."""
    held = view.case.memory.labels
    first = {label: next(iter(held.origins(label)), None) for label in sorted(view.row.needs)}
    assumed = [o for o in first.values() if o is not None and o.tool == _OPENING and o.where]
    read = [x.value for x, o in first.items() if o is None or o not in assumed]
    parts = [f"this session has read {' and '.join(read)} text"] if read else []
    if assumed:
        names = " and ".join(x.value for x, o in first.items() if o in assumed)
        parts.append(f"{assumed[0].where}, so {names} text is assumed")
    return "; ".join(parts)


def _effect(view: View) -> str:
    facts, row = view.facts, view.row
    if "named-code" in row.skip:
        names = ", ".join(w.path for w in facts.exec_writes[:3])
        return f"changes what runs next ({names or 'code from elsewhere'})"
    if "no-opaque-command" in row.skip and facts.shell is not None:
        opaque = "; ".join(f"{o.key or 'command'}: {o.why}" for o in facts.shell.opaque[:3])
        return f"runs something whose effect cannot be told ({opaque})"
    if WriteClass.DESTRUCTIVE in view.classes:
        gone = facts.roots if "spares-roots" in row.skip else facts.deletions
        return f"deletes {', '.join(gone[:3]) or 'without undo'}"
    return f"reaches {_where(view)}"


def _where(view: View) -> str:
    relevant = [p for p in view.facts.places if p.classes & view.row.classes] or view.facts.places
    open_ones = [p for p in relevant if not p.cleared] or list(relevant)
    if not open_ones:
        return "a place nobody can tell" if WriteClass.UNKNOWN in view.classes else "others"
    return ", ".join(f"{p.shown} ({_who(p)})" for p in open_ones[:3])


def _who(place: Place) -> str:
    if place.chosen:
        return place.why
    stranger = first_stranger(place)
    if stranger is not None:
        return f"from untrusted text of {stranger.source}.{stranger.tool}"
    if place.computed:
        return "computed by the command"
    return "unseen so far" if place.unseen else "not chosen by the user"


def _evidence(view: View) -> tuple[Origin, ...]:
    labels = view.case.memory.labels
    of_labels = (o for label in sorted(view.row.needs) for o in labels.origins(label)[:1])
    of_places = (o for place in view.places for o in place.origins[:1])
    return tuple(dict.fromkeys((*of_labels, *of_places)))


RULE = Rule(ID, ToolCall, check)
