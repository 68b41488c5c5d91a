"""Rule files of other clients in a project: found, read, and imported as tripwires (§4.4)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from tripwire.config.front_matter import MAX_BYTES, parse_rule
from tripwire.config.tripwire_schema import EXTENSION, parse_tripwire
from tripwire.config.tripwire_text import edited, new_text
from tripwire.io.project import encodable
from tripwire.io.read_rules import bytes_inside
from tripwire.io.tripwire_files import Held, locked
from tripwire.model.tripwire import Tripwire
from tripwire.read.foreign import ForeignRule, Format, UnreadableRule, format_of
from tripwire.read.importing import CREATOR, Draft
from tripwire.read.render import trimmed
from tripwire.read.tripwire_set import TripwireSet

NEW, SAME, OUTDATED, TAKEN = "new", "unchanged", "outdated", "taken"
WRITTEN, UPDATED, REFUSED = "written", "updated", "refused"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of one draft: `state` is one of the words above; `why` of a refusal."""

    draft: Draft
    file: str
    state: str
    text: str = ""
    """The file as it would be, or is, written; "" if nothing is."""
    why: str = ""

    @property
    def good(self) -> bool:
        """Whether nothing kept it from being imported."""
        return self.state not in (TAKEN, REFUSED)


def rule_files(
    root: Path, files: Iterable[str], formats: Collection[Format] = tuple(Format)
) -> list[ForeignRule | UnreadableRule]:
    """The rule files of these formats among some files of the project, in the order of paths."""
    found: list[ForeignRule | UnreadableRule] = []
    for file in sorted(files):
        kind = format_of(file)
        if kind is None or kind not in formats:
            continue
        if file != encodable(file):
            found.append(UnreadableRule(encodable(file), kind, "its name is not UTF-8"))
            continue
        raw, fault = bytes_inside(root, root / file, MAX_BYTES)
        if raw is None:
            found.append(UnreadableRule(file, kind, fault))
        else:
            found.append(parse_rule(raw, file, kind))
    return found


def imported(
    root: Path, rules: TripwireSet, drafts: Iterable[Draft], *, update: bool, really: bool
) -> list[Outcome]:
    """Write the drafts, or (not `really`) say what would be written.

    A file of that name stays; one that was imported from the same source is refreshed with
    `update`. Raises AuthoringRefused if the directory stays locked or leads outside, OSError.
    """
    if not really:
        return [_planned(root, rules, draft, update=update) for draft in drafts]
    with locked(root, rules.config.tripwires_dir) as held:
        found = [_planned(root, rules, draft, update=update) for draft in drafts]
        return [_written(held, outcome) for outcome in found]


def _written(held: Held, outcome: Outcome) -> Outcome:
    if outcome.state not in (NEW, OUTDATED) or not outcome.text:
        return outcome
    held.write(outcome.file.rpartition("/")[2], outcome.text.encode())
    state = WRITTEN if outcome.state == NEW else UPDATED
    return Outcome(outcome.draft, outcome.file, state, outcome.text)


def _planned(root: Path, rules: TripwireSet, draft: Draft, *, update: bool) -> Outcome:
    """What the disk says of a draft, right now."""
    ours = (t for t in rules.tripwires if t.created_by == CREATOR and t.source == draft.source)
    old = next(ours, None)
    if old is not None:
        return _refreshed(root, old, draft, update=update)
    file = f"{rules.config.tripwires_dir}/{draft.name}{EXTENSION}"
    if draft.name in rules.by_name or (root / file).exists() or (root / file).is_symlink():
        return Outcome(draft, file, TAKEN, why="a tripwire of that name is there already")
    text = new_text(draft.values())
    return _checked(Outcome(draft, file, NEW, text))


def _refreshed(root: Path, old: Tripwire, draft: Draft, *, update: bool) -> Outcome:
    if old.triggers == draft.triggers and trimmed(old.context) == draft.context:
        return Outcome(draft, old.file, SAME)
    if not update:
        return Outcome(draft, old.file, OUTDATED, why="--update refreshes it")
    raw, fault = bytes_inside(root, root / old.file, MAX_BYTES)
    if raw is None or parse_tripwire(raw, old.file)[0] != old:
        return Outcome(draft, old.file, REFUSED, why=fault or "it changed meanwhile")
    changes: dict[str, str | list[str]] = {"context": draft.context}
    if old.triggers != draft.triggers:
        changes["triggers"] = list(draft.triggers)
    try:
        text = edited(raw, changes).decode()
    except ValueError:
        return Outcome(draft, old.file, REFUSED, why="it is not laid out so that it can be changed")
    return _checked(Outcome(draft, old.file, OUTDATED, text))


def _checked(outcome: Outcome) -> Outcome:
    """The same, refused unless the text says exactly what the draft does."""
    draft = outcome.draft
    made, problems = parse_tripwire(outcome.text.encode(), outcome.file)
    if (
        made is not None
        and made.triggers == draft.triggers
        and trimmed(made.context) == draft.context
        and (made.created_by, made.source) == (CREATOR, draft.source)
    ):
        return outcome
    why = problems[0].message if problems else "it cannot be written so that it reads the same"
    return Outcome(draft, outcome.file, REFUSED, why=why)
