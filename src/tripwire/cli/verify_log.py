"""`tripwire verify-log`: whether a session's evidence was changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.errors import StateUnusable
from tripwire.io import verify
from tripwire.io.home import state_home
from tripwire.io.reading import session_directories, usual_roots


def verify_log(
    directory: Path | None = None,
    /,
    *,
    pub: str = "",
    anchor: tuple[Path, ...] = (),
    keys_dir: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Check the evidence of a session, or of all sessions of a state directory.

    Exit codes: 0 nothing was changed, 1 tampered, 2 unreadable, 3 not all could be checked.

    Args:
        directory: A session directory, or a state directory. Default: those of this place.
        pub: The public key that checkpoints must be signed with: its text, or a file.
        anchor: A file or git repository that was told the checkpoints.
        keys_dir: Where the keys are, if not in the usual place.
        json: Print one JSON object instead of text.

    """
    places, codes, found = [directory] if directory is not None else _usual(), set(), []
    for place in places:
        try:
            report = verify.verify_log(place, keys_dir=keys_dir, public_key=pub, anchors=anchor)
        except StateUnusable as error:
            if not json:
                raise
            codes.add(verify.UNREADABLE)
            found.append(verify.unreadable(error, place))
            continue
        codes.add(report.code)
        found.append(report.data())
        if not json:
            if len(places) > 1:
                show.line(f"── {place}", style="bold")
            show.text(report.text())
    if json:
        show.data(found[0] if len(found) == 1 else {"directories": found})
    return next(code for code in _WORST_FIRST if code in codes)


_WORST_FIRST = (verify.TAMPERED, verify.UNREADABLE, verify.INCOMPLETE, verify.OK)


def _usual() -> list[Path]:
    """The state directories of this place that hold sessions, as `logs` reads them."""
    held = [root for root in usual_roots() if any((root / "sessions").glob("*/audit.jsonl"))]
    if not held:
        session_directories(state_home())  # says that there is none
    return held
