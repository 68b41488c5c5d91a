"""What doctor found, and the verdict on a whole set-up (read.md §4.2). Runs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tripwire.model.tripwire import Enforcement

PASS, FAIL, SKIP = "pass", "fail", "skip"
ON, PARTIAL, OFF = "ON", "PARTIAL", "OFF"


@dataclass(frozen=True, slots=True)
class Check:
    """One fact that was looked at; `client` is "" for the project itself."""

    id: str
    client: str
    status: str
    """`pass`, `fail` or `skip` (it could not be, or need not be, told)."""
    detail: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything that was looked at, and what it amounts to."""

    mode: Enforcement
    checks: tuple[Check, ...]
    verdict: str
    uncovered: tuple[tuple[str, str], ...] = field(default=())
    """Client and route that the client does not let us see."""


_EVERYWHERE = (
    "a file that a program of the project opens when it runs",
    "a path that a shell command puts together at run time",
)
HIDDEN = {
    "claude-code": ("MCP resources that are attached to a prompt", *_EVERYWHERE),
    "codex": ("everything, until its hooks are trusted in /hooks", *_EVERYWHERE),
    "gemini": ("context before a call: told with the result", *_EVERYWHERE),
    "cursor": (
        "context before a call: told with the result",
        "mentions in a prompt",
        *_EVERYWHERE,
    ),
    "vscode": _EVERYWHERE,
}
"""Client → what its events do not show (docs/reference/read-routes.md)."""
LEFT_OPEN = {
    "claude-code": "a version before onFailure: the call runs; with it, the call is refused",
    "codex": "the call runs: Codex has no switch for it",
    "gemini": "the call runs: only a hook that could start can refuse",
    "cursor": "refused before tools and reads (failClosed); prompts and results go on",
    "vscode": "the call runs: only a hook that could start can refuse",
}
"""Client → what happens if the hook's program cannot be started at all (interpreter moved)."""


def diagnosis(checks: Sequence[Check], mode: Enforcement) -> Diagnosis:
    """ON: every client passes; PARTIAL: some do, or the mode only advises; OFF: none, or broken.

    A client passes if none of its checks fails, and one shows that text reaches it.
    """
    clients = list(dict.fromkeys(check.client for check in checks if check.client))
    good = [client for client in clients if _passes(client, checks)]
    broken = any(check.status == FAIL for check in checks if not check.client)
    if broken or not good:
        verdict = OFF
    elif len(good) < len(clients) or mode is Enforcement.ADVISORY:
        verdict = PARTIAL
    else:
        verdict = ON
    hidden = tuple((client, route) for client in clients for route in HIDDEN.get(client, ()))
    return Diagnosis(mode, tuple(checks), verdict, hidden)


def as_json(found: Diagnosis) -> dict[str, Any]:
    """For `doctor --json`."""
    return {
        "verdict": found.verdict,
        "mode": found.mode.value,
        "checks": [
            {
                "id": check.id,
                "client": check.client,
                "status": check.status,
                "detail": check.detail,
                "fix": check.fix,
            }
            for check in found.checks
        ],
        "uncovered": [{"client": client, "route": route} for client, route in found.uncovered],
        "left_open": [
            {"client": client, "what": LEFT_OPEN[client]}
            for client in dict.fromkeys(check.client for check in found.checks)
            if client in LEFT_OPEN
        ],
    }


def _passes(client: str, checks: Iterable[Check]) -> bool:
    states = [check.status for check in checks if check.client == client]
    return FAIL not in states and PASS in states
