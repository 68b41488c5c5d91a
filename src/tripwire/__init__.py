"""Tripwire: the guard that every AI agent runs behind.

The public names; everything else may change. They are loaded on first use, so that importing one
part does not pay for the others.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tripwire.config.load import load_policy
    from tripwire.doors.library import Answer, Blocked, Guard
    from tripwire.engine import Engine
    from tripwire.errors import PolicyErrors, TripwireError
    from tripwire.io.verify import verify_log
    from tripwire.model.policy import Policy
    from tripwire.model.verdict import Action, Finding, Question, Verdict

_HOMES = {
    "Action": "tripwire.model.verdict",
    "Answer": "tripwire.doors.library",
    "Blocked": "tripwire.doors.library",
    "Engine": "tripwire.engine",
    "Finding": "tripwire.model.verdict",
    "Guard": "tripwire.doors.library",
    "Policy": "tripwire.model.policy",
    "PolicyErrors": "tripwire.errors",
    "Question": "tripwire.model.verdict",
    "TripwireError": "tripwire.errors",
    "Verdict": "tripwire.model.verdict",
    "load_policy": "tripwire.config.load",
    "verify_log": "tripwire.io.verify",
}

__all__ = [
    "Action",
    "Answer",
    "Blocked",
    "Engine",
    "Finding",
    "Guard",
    "Policy",
    "PolicyErrors",
    "Question",
    "TripwireError",
    "Verdict",
    "load_policy",
    "verify_log",
]


def __getattr__(name: str) -> Any:
    """Load a public name from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tripwire' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
