"""Rule and Case: the one signature of every rule, and everything a rule may look at.

A rule that needs more than its event and a Case is in the wrong room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import UnionType
from typing import Any

from tripwire.memory.memory import Memory
from tripwire.model.policy import Policy
from tripwire.model.verdict import Finding


@dataclass(frozen=True, slots=True)
class Case:
    """Policy and memory. `memo` holds what this one judgement has already derived from them."""

    policy: Policy
    memory: Memory
    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Rule:
    """An id, the event type it watches, and a generator of findings."""

    id: str
    watches: type | UnionType
    check: Callable[[Any, Case], Iterator[Finding]]
