"""What `--since` takes: a date, a moment, or a span before now."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from tripwire.errors import UsageError

_SPAN = re.compile(r"([0-9]{1,6})(h|d|w)", re.ASCII)
_SECONDS = {"h": 3600.0, "d": 86_400.0, "w": 7 * 86_400.0}


def moment(text: str, now: float) -> float:
    """Seconds since the epoch; a date begins at midnight UTC. Raises UsageError."""
    if span := _SPAN.fullmatch(text):
        return now - int(span[1]) * _SECONDS[span[2]]
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(
            f'"{text[:40]}" is no moment', where="--since", fix="Write 2026-11-30, 30d, 12h or 2w."
        ) from None
