"""Where state lives, and what sessions are called (flow.md §2.5, gateway.md §2)."""

from __future__ import annotations

import hashlib
import math
import os
import secrets
import sys
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path


def state_home() -> Path:
    """`$TRIPWIRE_HOME`, else the OS state directory of this user."""
    given = os.environ.get("TRIPWIRE_HOME")
    if given:
        return Path(given).expanduser().absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "tripwire"
    state = os.environ.get("XDG_STATE_HOME")
    if state and Path(state).is_absolute():
        return Path(state) / "tripwire"
    return Path.home() / ".local" / "state" / "tripwire"


def session_name(client: str, client_id: str) -> str:
    """The directory name of a client's session: SHA-256 hex of client and id."""
    return hashlib.sha256(f"{client}\0{client_id}".encode("utf-8", "surrogatepass")).hexdigest()


def gateway_session_name(now: float) -> str:
    """A new name, `now` in seconds since the epoch: ISO time with - for : and ., and 8 hex."""
    return f"{iso(now).replace(':', '-').replace('.', '-')}-{secrets.token_hex(4)}"


def iso(now: float) -> str:
    """UTC, milliseconds: `2026-11-30T10:00:01.120Z`."""
    seconds = math.floor(now)
    return f"{_second(seconds)}.{int((now - seconds) * 1000):03d}Z"


def seconds_of(text: str) -> float:
    """Seconds since the epoch of what `iso` writes; 0.0 for any other text."""
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0


@lru_cache(maxsize=4)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
