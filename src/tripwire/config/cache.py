"""A Policy as plain JSON values, for the hook's one-shot fallback (flow.md HOOK-3, `policy.cache`).

Holds nothing secret: no environment of upstreams, no addresses. Sets become sorted lists, so that
equal policies give equal bytes. Who reads it compares `digest`; another digest is a stale cache.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tripwire.model.policy import Policy, Role

FORMAT = 1


def cache_form(policy: Policy) -> dict[str, Any]:
    """What the fallback needs: mode, paths, flow rows, the roles of each source, local programs."""
    flow = policy.flow
    paths = flow.paths
    return {
        "format": FORMAT,
        "digest": policy.digest,
        "path": policy.path,
        "mode": flow.mode,
        "deadline_ms": flow.deadline_ms,
        "paths": {name: list(getattr(paths, name)) for name in _PATHS},
        "roles": {
            source: {
                tool: [_role(role) for role in variants] for tool, variants in of.roles.items()
            }
            for source, of in flow.tools.items()
        },
        "rows": [
            {
                "id": row.id,
                "needs": _words(row.needs),
                "classes": _words(row.classes),
                "action": row.action.name,
                "skip": sorted(row.skip),
            }
            for row in flow.rows
        ],
        "local": sorted(flow.shell.local),
        "upstreams": [upstream.name for upstream in policy.upstreams],
    }


_PATHS = (
    "secret", "exec", "build", "untrusted", "public", "shared", "scratch", "fixture", "own_state",
)  # fmt: skip


def _role(role: Role) -> dict[str, Any]:
    """One role; empty facts are left out."""
    facts: dict[str, Any] = {
        "reads": _words(role.reads),
        "writes": _words(role.writes),
        "classifier": role.classifier,
        "path": list(role.path),
        "access": role.access,
        "destination": list(role.destination),
        "harmless": role.harmless,
        "when": [[c.subject, list(c.globs)] for c in role.when],
        "unless": [[c.subject, list(c.globs)] for c in role.unless],
    }
    return {name: fact for name, fact in facts.items() if fact}


def _words(words: Iterable[Any]) -> list[str]:
    return sorted(str(word) for word in words)
