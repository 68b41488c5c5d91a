"""`tripwire verify-log`: whether a session's evidence was changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.errors import StateUnusable
from tripwire.io import verify


def verify_log(
    directory: Path,
    /,
    *,
    keys_dir: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Check receipts, audit chain and heads of a session, or of all sessions of a state directory.

    Exit codes: 0 nothing was changed, 1 tampered, 2 unreadable, 3 not everything could be checked.

    Args:
        directory: The session directory, or the state directory above `sessions/`.
        keys_dir: Where the keys are, if not in the usual place.
        json: Print one JSON object instead of text.

    """
    try:
        report = verify.verify_log(directory, keys_dir=keys_dir)
    except StateUnusable as error:
        if not json:
            raise
        show.data(verify.unreadable(error, directory))
        return verify.UNREADABLE
    if json:
        show.data(report.data())
    else:
        show.text(report.text())
    return report.code
