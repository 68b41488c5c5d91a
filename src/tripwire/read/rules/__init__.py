"""The rules of READ, one file each, listed below; nothing is discovered."""

from __future__ import annotations

from tripwire.read.rules import authority, broken, raw_read, tripwire
from tripwire.rule import Rule

RULES: tuple[Rule, ...] = (
    authority.RULE,
    broken.RULE,
    raw_read.RULE,
    tripwire.RULE,
)
