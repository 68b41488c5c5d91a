"""`expires` of a tripwire: from when on it is dead (read.md §2.1, CTX-9). Has no clock."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta, timezone

_DAY = 86_400.0
_FORM = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})"
    r"(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,40}))?)?(Z|[+-]\d{2}:\d{2})?)?",
    re.ASCII,
)


def dead_from(text: str) -> float:
    """The first instant (seconds since the epoch) at which `expires: text` has passed.

    A date lives until the next midnight UTC, a date-time through its instant; without a zone it is
    UTC. Raises ValueError if `text` is neither, or no real date.
    """
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError("not of the form YYYY-MM-DD or YYYY-MM-DDTHH:MM[:SS][Z or ±HH:MM]")
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    midnight = datetime(int(year), int(month), int(day), tzinfo=UTC)
    if hour is None:
        return midnight.timestamp() + _DAY
    moment = midnight.replace(hour=int(hour), minute=int(minute), second=int(second or 0))
    seconds = moment.timestamp() - _offset(zone).total_seconds() + float(f"0.{fraction or 0}")
    return math.nextafter(seconds, math.inf)


def _offset(zone: str | None) -> timedelta:
    if zone is None or zone == "Z":
        return timedelta()
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    if minutes > 59:
        raise ValueError("a zone has at most 59 minutes")
    span = timedelta(hours=hours, minutes=minutes)
    timezone(span)  # raises ValueError beyond 24 hours
    return -span if zone[0] == "-" else span
