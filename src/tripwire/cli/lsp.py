"""`tripwire lsp`: the language server on standard streams. stdout is the protocol only."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tripwire.errors import UsageError
from tripwire.io.project import find_root


def lsp(*, project: Annotated[str | None, Parameter(name=["--project"])] = None) -> int:
    """Serve an editor over LSP (stdio): tripwires of the open file, lint of their files.

    An editor starts this command; its folders are the projects.

    Args:
        project: The only project, whatever folders the editor has open.

    """
    only = find_root(project, str(Path.cwd())) if project is not None else None
    try:
        from tripwire.doors.lsp.server import serve
    except ImportError as problem:
        if (problem.name or "").startswith("tripwire"):
            raise
        raise UsageError(
            f"the LSP library is not installed ({problem.name})",
            fix='Run: pip install "tripwire[lsp]"',
        ) from None
    return serve(only)
