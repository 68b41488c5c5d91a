"""The rules of ACT, one file each, listed below; nothing is discovered."""

from __future__ import annotations

from tripwire.rule import Rule

RULES: tuple[Rule, ...] = ()
