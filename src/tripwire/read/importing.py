"""Tripwires out of other clients' rule files: what would be written, and what is lost (§4.4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256

from tripwire.read.foreign import FOLDERS, ForeignRule, Format, UnreadableRule
from tripwire.read.render import trimmed
from tripwire.text.path_glob import pattern_faults
from tripwire.text.tripwire_name import normalise

CREATOR = "tool:import"
TAG = "imported"

_INCLUDE = re.compile(r"(?:^|(?<=\s))@([~\w./-]+)", re.ASCII)
"""What Claude Code takes for the text of another file, if a `/` or a `.` is in it."""
_INCLUDING = (Format.CLAUDE_MD, Format.CLAUDE_RULES)
_SPECIAL = re.compile(r'([\\*?\[\]{}()!+@|"])')
_FATAL = ("TW008", "TW035")
_MAX_NAME = 100


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that a rule file says and the tripwire does not; line 0: of the whole file."""

    line: int
    what: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A tripwire that an import would write."""

    name: str
    source: str
    triggers: tuple[str, ...]
    context: str
    losses: tuple[Loss, ...] = ()

    def values(self) -> dict[str, str | list[str]]:
        """The keys of its file."""
        return {
            "triggers": list(self.triggers),
            "context": self.context,
            "created_by": CREATOR,
            "tags": [TAG],
            "source": self.source,
        }


@dataclass(frozen=True, slots=True)
class Skipped:
    """A rule file that is not imported, and why; `failed` if it should have been."""

    source: str
    why: str
    line: int = 0
    failed: bool = False


def drafts(
    found: Iterable[ForeignRule | UnreadableRule], *, include_root: bool = False
) -> tuple[tuple[Draft, ...], tuple[Skipped, ...]]:
    """What an import of these files would write, each name once, and what it leaves out."""
    made: dict[str, Draft] = {}
    skipped: list[Skipped] = []
    for rule in sorted(found, key=lambda each: each.file):
        if isinstance(rule, UnreadableRule):
            skipped.append(Skipped(rule.file, rule.why, rule.line, failed=True))
            continue
        draft = _draft(rule, include_root=include_root)
        if isinstance(draft, Skipped):
            skipped.append(draft)
        else:
            name = _name(rule, made)
            made[name] = Draft(name, rule.file, *draft)
    return tuple(made.values()), tuple(skipped)


def escaped(path: str) -> str:
    """A pattern that matches exactly this path."""
    return _SPECIAL.sub(r"\\\1", path)


def _draft(
    rule: ForeignRule, *, include_root: bool
) -> tuple[tuple[str, ...], str, tuple[Loss, ...]] | Skipped:
    """Triggers, context and losses; or why there is nothing to import."""
    losses = list(_losses(rule))
    context = trimmed(rule.body)
    if not context:
        return Skipped(rule.file, "holds no text")
    if rule.format in (Format.CLAUDE_MD, Format.AGENTS_MD):
        whole = not rule.directory
        triggers: tuple[str, ...] = ("**",) if whole else (f"{escaped(rule.directory)}/**",)
    elif rule.always or not rule.patterns:
        if rule.format is Format.CURSOR and not rule.always:
            why = "has no globs: only its description" if rule.described else "has no globs"
            return Skipped(rule.file, f"{why}, so no path brings it up", rule.scope_line)
        if rule.format is Format.COPILOT and not rule.patterns:
            return Skipped(rule.file, "has no applyTo, so no path brings it up", rule.scope_line)
        whole, triggers = True, ("**",)
    else:
        whole, triggers = False, tuple(_usable(rule, losses))
        if not triggers:
            return Skipped(
                rule.file, "none of its patterns can be used", rule.scope_line, failed=True
            )
    if whole and not include_root:
        return Skipped(rule.file, "is always loaded by its client (--include-root imports it)")
    return triggers, context, tuple(losses)


def _usable(rule: ForeignRule, losses: list[Loss]) -> Iterator[str]:
    """The patterns that may be triggers; what is wrong with the others is a loss."""
    for pattern in dict.fromkeys((p.text, p.line) for p in rule.patterns):
        text, line = pattern
        negated = text.startswith("!")
        faults = pattern_faults(text[1:] if negated else text, in_negation=negated)
        losses += [Loss(line, f'pattern "{text}": {why}') for _, why in faults]
        if not any(code in _FATAL for code, _ in faults):
            yield text


def _losses(rule: ForeignRule) -> Iterator[Loss]:
    for key, at in rule.others:
        yield Loss(at, f'the key "{key}" is not carried over')
    if rule.described:
        yield Loss(0, "the description is not carried over")
    if rule.format in _INCLUDING:
        for number, line in enumerate(rule.body.split("\n"), rule.body_line):
            for found in _INCLUDE.findall(line):
                name = found.rstrip("./-")
                if "/" in name or "." in name:
                    yield Loss(number, f"@{name} stays as text: the file it names is not included")


def _name(rule: ForeignRule, taken: Iterable[str]) -> str:
    """A name that says where it comes from, and is not taken."""
    folder, ending = FOLDERS.get(rule.format, ("", ""))
    inner = rule.file.removeprefix(folder).removesuffix(ending) if folder else rule.directory
    prefix = rule.format.value.removesuffix("-rules")
    name = normalise(f"{prefix}-{re.sub(r'[/.]', '-', inner)}")[:_MAX_NAME].rstrip("-")
    if name not in taken:
        return name
    return f"{name[: _MAX_NAME - 9]}-{sha256(rule.file.encode()).hexdigest()[:8]}"
