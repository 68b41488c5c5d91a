"""What lint finds, as the diagnostics and quick fixes of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lsprotocol import types

from tripwire.doors.lsp.fixes import Fix, fixes
from tripwire.doors.lsp.places import lines_of, span, units
from tripwire.doors.lsp.shown import SOURCE
from tripwire.read.lint_codes import ERROR, LintFinding
from tripwire.read.tripwire_set import TripwireSet

Encoding = types.PositionEncodingKind | str


@dataclass(frozen=True, slots=True)
class Document:
    """One file: how the client names it, which version it holds (None = it is not open)."""

    uri: str
    text: str
    version: int | None = None


def diagnostics(
    findings: Iterable[LintFinding], text: str, encoding: Encoding
) -> list[types.Diagnostic]:
    """One diagnostic a finding, in their order."""
    lines = lines_of(text)
    return [_diagnostic(finding, lines, encoding) for finding in findings]


def _diagnostic(finding: LintFinding, lines: list[str], encoding: Encoding) -> types.Diagnostic:
    level = types.DiagnosticSeverity
    fix = f"\n{finding.fix}" if finding.fix else ""
    return types.Diagnostic(
        span(lines, finding.line, finding.column, encoding),
        f"{finding.message}{fix}",
        level.Error if finding.level == ERROR else level.Warning,
        finding.code,
        source=SOURCE,
    )


def actions(
    findings: Iterable[LintFinding],
    document: Document,
    rules: TripwireSet,
    *,
    within: types.Range,
    encoding: Encoding,
    link: Callable[[str], str] | None = None,
) -> list[types.CodeAction]:
    """The quick fixes of the findings whose lines a range touches.

    `link` gives the URI of a path from the root; without it the client renames no files.
    """
    lines = lines_of(document.text)
    made = []
    for finding in findings:
        shown = _diagnostic(finding, lines, encoding)
        if not (within.start.line <= shown.range.start.line <= within.end.line):
            continue
        for fix in fixes(finding, document.text, rules):
            edit = _edit(fix, document, encoding, link)
            if edit is not None:
                kind = types.CodeActionKind.QuickFix
                made.append(types.CodeAction(fix.title, kind, [shown], edit=edit))
    return made


def _edit(
    fix: Fix, document: Document, encoding: Encoding, link: Callable[[str], str] | None
) -> types.WorkspaceEdit | None:
    if not fix.rename:
        change = _replacement(document.text, fix.text, encoding)
        return types.WorkspaceEdit(changes={document.uri: [change]})
    if link is None:
        return None
    rename = types.RenameFile(document.uri, link(fix.rename))
    return types.WorkspaceEdit(document_changes=[rename])


def _replacement(old: str, new: str, encoding: Encoding) -> types.TextEdit:
    """The one edit that makes `new` of `old`; it leaves alone what both begin and end with."""
    most = min(len(old), len(new))
    start = next((at for at in range(most) if old[at] != new[at]), most)
    if old[:start].endswith("\r"):  # a line end stays whole
        start -= 1
    tail = next((at for at in range(most - start) if old[-1 - at] != new[-1 - at]), most - start)
    if tail and old[len(old) - tail] == "\n":
        tail -= 1
    end = len(old) - tail
    place = types.Range(_position(old, start, encoding), _position(old, end, encoding))
    return types.TextEdit(place, new[start : len(new) - tail])


def _position(text: str, offset: int, encoding: Encoding) -> types.Position:
    rows = lines_of(text[:offset])
    return types.Position(len(rows) - 1, units(rows[-1], encoding))
