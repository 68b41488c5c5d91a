"""One project as an editor has it: its files on disk, and over them what is not saved yet."""

from __future__ import annotations

import os
import posixpath
import time
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from tripwire.config import tripwire_yaml
from tripwire.doors.lsp.findings import Document
from tripwire.doors.lsp.places import uri_of
from tripwire.io.project import file_access, path_forms
from tripwire.io.project_files import walk
from tripwire.io.read_rules import POLICY_FILE, bytes_inside
from tripwire.io.tripwires import TripwireFolder
from tripwire.model.tripwire import ReadPlan
from tripwire.read.lint import lint
from tripwire.read.lint_codes import LintFinding
from tripwire.read.lint_files import MAX_FILES, ProjectFiles
from tripwire.read.places import CONFIG_FILE
from tripwire.read.tripwire_set import TripwireSet

MAX_POLICY = 4 << 20
"""Characters of an unsaved configuration that are looked at; a longer one is refused when read."""

FRESH = 10.0
"""Seconds for which what lint finds in unchanged tripwires is not looked for again."""

Texts = Mapping[str, str]
"""Path from the root → text that an editor holds."""


class Project:
    """The tripwires of one root; asked again and again, it reads only what changed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._configs: tuple[str | None, str | None] = (None, None)
        self._folder = TripwireFolder(root)
        self._edited: tuple[TripwireSet, dict[str, bytes], TripwireSet] | None = None
        self._found: tuple[TripwireSet, float, dict[str, list[LintFinding]]] | None = None

    def inside(self, path: str) -> str:
        """An absolute path relative to the root, as it is spelled; "" if it is outside."""
        root, normal = f"{self.root}/", posixpath.normpath(path)
        if normal.startswith(root) and "\\" not in normal:
            return normal[len(root) :]  # asked of every open document: without a look at the disk
        try:
            found = path_forms(self.root, path)
        except (OSError, ValueError):
            return ""
        form = found.spelled or found.real
        return "" if form == "." else form

    def rules(self, texts: Texts) -> TripwireSet:
        """The tripwires as if `texts` were saved; the same object as long as nothing changed."""
        configs = (_short(texts.get(CONFIG_FILE)), _short(texts.get(POLICY_FILE)))
        if configs != self._configs:
            self._configs = configs
            self._folder = TripwireFolder(self.root, config_text=configs[0], policy_text=configs[1])
        saved = self._folder.current()
        place = f"{saved.config.tripwires_dir}/"
        raw = {
            path: text[: tripwire_yaml.MAX_BYTES + 1].encode("utf-8", "surrogatepass")
            for path, text in texts.items()
            if path.startswith(place)
        }
        if not raw:
            return saved
        if self._edited is None or self._edited[0] is not saved or self._edited[1] != raw:
            self._edited = (saved, raw, self._folder.with_texts(raw))
        return self._edited[2]

    def plan(self, rules: TripwireSet, path: str, text: str | None) -> ReadPlan | None:
        """What a read of the file would show; `text` is what the editor holds of it.

        None if the path is outside, or no path.
        """
        try:
            access = file_access(self.root, rules, path, route="read_file", proposed=text)
        except (OSError, ValueError):
            return None
        return rules.plan(access, now=time.time()) if access is not None else None

    def findings(self, rules: TripwireSet) -> dict[str, list[LintFinding]]:
        """What lint finds, by file. What needs a walk over the whole project is left to lint."""
        if self._found and self._found[0] is rules and time.monotonic() < self._found[1]:
            return self._found[2]
        place = rules.config.tripwires_dir
        own = islice(walk(self.root / place, lambda _: False), MAX_FILES)
        files = ProjectFiles(visible=[f"{place}/{file}" for file in own])
        found: dict[str, list[LintFinding]] = {}
        for finding in lint(rules, files, now=time.time()):
            found.setdefault(finding.file, []).append(finding)
        self._found = (rules, time.monotonic() + FRESH, found)
        return found

    def document(self, file: str) -> Document:
        """A file of the project as it is on disk; without text if it cannot be read."""
        try:
            raw, _ = bytes_inside(self.root, self.root / file, MAX_POLICY)
        except ValueError:
            raw = None
        text = (raw or b"").decode("utf-8-sig", "replace")
        return Document(uri_of(self.absolute(file)), text)

    def absolute(self, file: str) -> str:
        """The absolute path of a file named from the root."""
        return os.path.join(self.root, file)  # noqa: PTH118  (keeps what pathlib would fold)


def _short(text: str | None) -> str | None:
    return text if text is None or len(text) <= MAX_POLICY else ""
