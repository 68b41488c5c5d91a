"""The lint codes of read.md §4.3, and what a finding of one is. Codes are never reused."""

from __future__ import annotations

from dataclasses import dataclass

ERROR, WARNING = "error", "warning"


@dataclass(frozen=True, slots=True)
class Code:
    """One row of the table; a strict one is only reported with `--strict`."""

    id: str
    level: str
    title: str
    strict: bool = False


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One fault at one place. Line and column are 1-based, 0 = the file as a whole."""

    code: str
    level: str
    file: str
    message: str
    line: int = 0
    column: int = 0
    fix: str = ""

    @property
    def where(self) -> str:
        """`file`, or `file:line` once the line is known."""
        return f"{self.file}:{self.line}" if self.line else self.file


_TABLE = (
    Code("TW001", ERROR, "unreadable tripwire file"),
    Code("TW002", ERROR, "YAML error"),
    Code("TW003", ERROR, "schema error"),
    Code("TW004", ERROR, "the name normalises to nothing"),
    Code("TW005", ERROR, "two files, one name"),
    Code("TW006", ERROR, "a file that is never loaded"),
    Code("TW007", ERROR, "unknown key"),
    Code("TW008", ERROR, "empty pattern"),
    Code("TW009", ERROR, "bad expires"),
    Code("TW010", ERROR, "no created_by"),
    Code("TW011", ERROR, "agent rule without learned_from"),
    Code("TW012", ERROR, "agent rule without expires"),
    Code("TW013", ERROR, "bad tag"),
    Code("TW014", ERROR, "bad created_by format", strict=True),
    Code("TW015", WARNING, "agent rule above agent_max_severity"),
    Code("TW016", ERROR, "missing dependency"),
    Code("TW017", ERROR, "dependency cycle"),
    Code("TW018", WARNING, "dependency inactive or expired"),
    Code("TW019", WARNING, "the depth limit cuts the closure"),
    Code("TW020", WARNING, "expired"),
    Code("TW021", WARNING, "identical trigger sets", strict=True),
    Code("TW022", WARNING, "a file under more than one critical", strict=True),
    Code("TW023", WARNING, "long context", strict=True),
    Code("TW024", WARNING, "all contexts together are long", strict=True),
    Code("TW025", WARNING, "a critical's group exceeds the budget", strict=True),
    Code("TW026", WARNING, "a group exceeds the client limit"),
    Code("TW027", WARNING, "delimiter text in a context"),
    Code("TW028", WARNING, "[!a] is not a negation"),
    Code("TW029", WARNING, "a pattern that can never match"),
    Code("TW030", WARNING, "triggers match no project file", strict=True),
    Code("TW031", WARNING, "parenthesised group in a negation"),
    Code("TW032", ERROR, "unquoted ! or * pattern"),
    Code("TW033", ERROR, "regex is not RE2"),
    Code("TW034", WARNING, "semantic model absent"),
    Code("TW035", ERROR, "brace expansion too large"),
    Code("TW040", ERROR, "configuration is not YAML"),
    Code("TW041", ERROR, "bad configuration value"),
    Code("TW042", ERROR, "unknown configuration key"),
    Code("TW043", ERROR, "tripwires_dir leaves the project"),
    Code("TW044", WARNING, "exclude_paths hides every match"),
    Code("TW050", WARNING, "stale"),
    Code("TW301", WARNING, "nested rule file loaded only through the client's own read tool"),
    Code("TW302", WARNING, "path rule not loaded when a new matching file is created"),
    Code("TW303", WARNING, "paths in a form that never loads"),
    Code("TW304", WARNING, "rule without usable scope"),
    Code("TW305", WARNING, "applyTo is only listed, not injected"),
    Code("TW306", WARNING, "glob form the editor ignores"),
    Code("TW307", WARNING, "rule for one client or mode only"),
    Code("TW308", WARNING, "applyTo as a YAML list"),
    Code("TW309", WARNING, "globs with braces or a blank after a comma"),
    Code("TW310", WARNING, "hook matcher misses shell reads"),
    Code("TW311", WARNING, "read guard rests on one hook that can fail open"),
)

CODES = {code.id: code for code in _TABLE}
"""Every code that lint can report, by id."""


def found(
    code: str,
    file: str,
    message: str,
    *,
    line: int = 0,
    column: int = 0,
    fix: str = "",
    level: str = "",
) -> LintFinding:
    """A finding with the level of its code."""
    at = column or (1 if line else 0)
    return LintFinding(code, level or CODES[code].level, file, message, line, at, fix)
