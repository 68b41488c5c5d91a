"""Rule files of other clients as values: which there are, and what one says (read.md §4.3, §4.4).

`config/front_matter.py` reads them. Paths are relative to the project's root.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Format(StrEnum):
    """A kind of rule file, by the name that `import --from` takes."""

    CLAUDE_MD = "claude-md"
    AGENTS_MD = "agents-md"
    CLAUDE_RULES = "claude-rules"
    CURSOR = "cursor"
    COPILOT = "copilot"


FOLDERS = {
    Format.CLAUDE_RULES: (".claude/rules/", ".md"),
    Format.CURSOR: (".cursor/rules/", ".mdc"),
    Format.COPILOT: (".github/instructions/", ".instructions.md"),
}
"""Where rule files of a format are, and how their names end."""
SCOPES = {Format.CLAUDE_RULES: "paths", Format.CURSOR: "globs", Format.COPILOT: "applyTo"}
"""The key that holds the patterns."""
_NAMES = {"CLAUDE.md": Format.CLAUDE_MD, "AGENTS.md": Format.AGENTS_MD}
_AT_ROOT = ("", ".claude", ".github")
"""Directories whose CLAUDE.md or AGENTS.md speaks of the whole project."""


@dataclass(frozen=True, slots=True)
class ForeignPattern:
    """One pattern of a rule file."""

    text: str
    line: int = 0
    quoted: bool = True


@dataclass(frozen=True, slots=True)
class ForeignRule:
    """One rule file. Lines are 1-based, 0 if a key is not there."""

    file: str
    format: Format
    body: str
    body_line: int = 1
    patterns: tuple[ForeignPattern, ...] = ()
    scope_line: int = 0
    is_list: bool = False
    """The patterns are a YAML list."""
    written: str = ""
    """The patterns as one text, if they are no list."""
    always: bool = False
    described: bool = False
    others: tuple[tuple[str, int], ...] = ()
    """Further keys and their lines."""

    @property
    def directory(self) -> str:
        """The directory that a CLAUDE.md or AGENTS.md speaks of, "" for the whole project."""
        folder = self.file.rpartition("/")[0]
        return "" if folder in _AT_ROOT else folder


@dataclass(frozen=True, slots=True)
class UnreadableRule:
    """A rule file that cannot be read, and why."""

    file: str
    format: Format
    why: str
    line: int = 1
    column: int = 1


def format_of(file: str) -> Format | None:
    """Which kind of rule file a path names, None if it is none."""
    if (named := _NAMES.get(file.rpartition("/")[2])) is not None:
        return named
    for kind, (folder, ending) in FOLDERS.items():
        if file.startswith(folder) and file.endswith(ending) and len(file) > len(folder + ending):
            return kind
    return None


def split_patterns(text: str) -> Iterator[str]:
    """The patterns of a comma string, trimmed; commas inside of braces belong to a pattern."""
    depth, start = 0, 0
    for at, char in enumerate(text):
        depth += (char == "{") - (char == "}" and depth > 0)
        if char == "," and not depth:
            yield text[start:at].strip()
            start = at + 1
    yield text[start:].strip()
