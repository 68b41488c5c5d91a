"""One index of every text of the session (skeleton)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Tokens:
    """Token → origin bits and postings."""

    def snapshot(self) -> object:
        """A comparable copy."""
        return {}
