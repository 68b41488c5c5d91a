"""Messages for the operator, on stderr: stdout is the protocol."""

from __future__ import annotations

import sys


def note(text: str) -> None:
    """Write one line, with control characters shown escaped."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    print(f"tripwire: {shown}", file=sys.stderr, flush=True)  # noqa: T201 — the operator's channel
