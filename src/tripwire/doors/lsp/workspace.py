"""What an editor has open, and which project each file belongs to."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from tripwire.doors.lsp.findings import Document
from tripwire.doors.lsp.places import path_of, uri_of
from tripwire.doors.lsp.project import Project
from tripwire.io.project import MARKERS, find_root
from tripwire.model.tripwire import ReadPlan
from tripwire.read.lint_codes import LintFinding
from tripwire.read.tripwire_set import TripwireSet

MAX_LOOSE = 16
"""Projects that are kept of files opened outside every folder."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A document, its project as the editor has it now, and its path from the root."""

    project: Project
    rules: TripwireSet
    document: Document
    file: str

    def plan(self) -> ReadPlan | None:
        """What an agent that reads it would be shown."""
        path = self.project.absolute(self.file)
        return self.project.plan(self.rules, path, self.document.text)

    def findings(self) -> list[LintFinding]:
        """What lint finds in it."""
        return self.project.findings(self.rules).get(self.file, [])

    def uri_of(self, file: str) -> str:
        """The URI of another file of the project, named from the root."""
        return uri_of(self.project.absolute(file))


class OpenWorkspace:
    """The folders and open documents of one editor window."""

    def __init__(self, only: Path | None = None) -> None:
        self._only = only
        self._folders: dict[str, Path] = {}
        self._projects: dict[Path, Project] = {}
        self._open: dict[str, Document] = {}

    # ── what the editor says ────────────────────────────────────────────────────────────────

    def set_folders(self, uris: Iterable[str]) -> None:
        """The folders of the window, by URI; those that are no directories are left out."""
        self._folders = {}
        for uri in uris:
            path = path_of(uri)
            if path is not None and Path(path).is_dir():
                self._folders[uri] = self._only or find_root(None, path)
        kept = set(self._folders.values())
        self._projects = {root: p for root, p in self._projects.items() if root in kept}

    def put(self, document: Document) -> None:
        """A document is open with this text; one that is no file is not looked at."""
        path = path_of(document.uri)
        if path is not None:
            self._open[path] = document

    def drop(self, uri: str) -> None:
        """A document was closed."""
        self._open.pop(path_of(uri) or "", None)

    # ── questions ───────────────────────────────────────────────────────────────────────────

    @property
    def documents(self) -> tuple[Document, ...]:
        """Every open document that is a file."""
        return tuple(self._open.values())

    def projects(self) -> tuple[Project, ...]:
        """Every project of a folder or of an open document."""
        roots = dict.fromkeys(self._folders.values())
        found = {root: self._project(root) for root in roots}
        for path in self._open:
            project = self._project_of(path)
            if project is not None:
                found.setdefault(project.root, project)
        return tuple(found.values())

    def look(self, uri: str) -> Looked | None:
        """A document, open or not, and its project; None if it is in none."""
        path = path_of(uri)
        project = self._project_of(path) if path else None
        file = project.inside(path) if project and path else ""
        if project is None or not path or not file:
            return None
        document = self._open.get(path) or replace(project.document(file), uri=uri)
        return Looked(project, self.rules(project), document, file)

    def rules(self, project: Project) -> TripwireSet:
        """The project's tripwires, with what is open and not saved."""
        return project.rules(self._texts(project))

    def opened_in(self, project: Project) -> dict[str, Document]:
        """The open documents of a project, by path from its root."""
        return {
            file: document
            for path, document in self._open.items()
            if (file := project.inside(path))
        }

    # ── inside ──────────────────────────────────────────────────────────────────────────────

    def _texts(self, project: Project) -> dict[str, str]:
        return {
            file: document.text
            for path, document in self._open.items()
            if path.lower().endswith((".yml", ".yaml")) and (file := project.inside(path))
        }

    def _project_of(self, path: str) -> Project | None:
        """The innermost project of a folder that holds the path, else one around the file."""
        roots = [self._only] if self._only else list(dict.fromkeys(self._folders.values()))
        for root in sorted(roots, key=lambda each: len(each.parts), reverse=True):
            project = self._project(root)
            if project.inside(path):
                return project
        if roots:
            return None  # outside: nothing is said of it (CTX-13)
        root = find_root(None, os.path.dirname(path))  # noqa: PTH120
        if any(os.path.lexists(root / marker) for marker in MARKERS):
            return self._project(root)
        return None

    def _project(self, root: Path) -> Project:
        if root not in self._projects:
            while len(self._projects) >= MAX_LOOSE + len(self._folders):
                del self._projects[next(iter(self._projects))]
            self._projects[root] = Project(root)
        return self._projects[root]
