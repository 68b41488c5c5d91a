"""`tripwire hook CLIENT`: the slow path of the shim; an event on stdin, the answer on stdout.

Nothing on its way imports cyclopts or rich. Never exits 1: a client would let the call run.
"""

from __future__ import annotations

import sys

from tripwire.doors.hooks import shim


def hook(argv: list[str]) -> int:
    """Answer one event as `install`'s own command would."""
    if len(argv) != 1 or argv[0].startswith("-"):
        sys.stderr.write("usage: tripwire hook CLIENT   (an event on stdin; `install` writes it)\n")
        return 2
    try:
        return shim.main(argv[0])
    except Exception as bug:  # noqa: BLE001 - exit 1 would let the call run
        sys.stderr.write(f"Tripwire could not judge this ({type(bug).__name__}).\n")
        return 2
