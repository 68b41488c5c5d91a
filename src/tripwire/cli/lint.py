"""`tripwire lint`: what is wrong with the project's tripwires and their configuration."""

from __future__ import annotations

import json as codec
import time
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.cli.read_project import tripwires_of
from tripwire.io.project_files import every_file
from tripwire.read.lint import failed
from tripwire.read.lint import lint as findings_of
from tripwire.read.lint_files import ProjectFiles
from tripwire.read.lint_report import as_json, as_sarif, as_text


def lint(
    *,
    strict: Annotated[bool, Parameter(negative="")] = False,
    project: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
    sarif: Path | None = None,
) -> int:
    """Check every tripwire and the configuration; exit code 1 on an error.

    Args:
        strict: Look at more, and fail on a warning as well.
        project: The project directory; without it, the nearest one around this directory.
        json: Print one JSON object instead of text.
        sarif: Also write the findings to this file, as SARIF 2.1.0.

    """
    root, rules = tripwires_of(project)
    files = ProjectFiles(*every_file(root, lambda path: rules.excluded((path,))))
    found = findings_of(rules, files, now=time.time(), strict=strict)
    bad = failed(found, strict=strict)
    if sarif is not None:
        log = as_sarif(found, version=version("tripwire"))
        sarif.write_text(codec.dumps(log, indent=2) + "\n", encoding="utf-8")
    if json:
        show.data(as_json(found, failed=bad))
    else:
        show.text(as_text(found) + "\n")
    return 1 if bad else 0
