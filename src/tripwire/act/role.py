"""Which role a tool has: what it reads and writes, by policy (flow.md §2.4).

Exact name beats glob, the longest literal prefix beats a shorter one, the first variant whose
conditions hold counts. A tool nobody described reads untrusted text and writes who knows where.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tripwire.act.arguments import values_at
from tripwire.model.label import Label, WriteClass
from tripwire.model.policy import Condition, Policy, Role, ToolRoles
from tripwire.text.glob import match

UNKNOWN = Role(reads=frozenset({Label.UNTRUSTED}), writes=frozenset({WriteClass.UNKNOWN}))
"""A tool, or a variant of a call, that no policy describes."""

_LITERAL = re.compile(r"[^*?\[{(!+@]*")


def is_judged(policy: Policy, source: str) -> bool:
    """Whether the flow rules judge this source.

    In a gateway only the upstreams that `flow.policies` names (README of the specs, rule 5).
    """
    return source in policy.flow.tools or policy.upstream(source) is None


def role_of(policy: Policy, source: str, tool: str, args: Mapping[str, object]) -> Role | None:
    """The role of this call, None if no policy describes it."""
    roles = policy.flow.tools.get(source)
    if roles is None:
        return None
    found = variants(roles, tool)
    return next((role for role in found if _applies(role, args)), None)


def variants(roles: ToolRoles, tool: str) -> tuple[Role, ...]:
    """The roles of a tool, one for each kind of call; () if nobody described it."""
    exact = roles.roles.get(tool)
    if exact is not None:
        return exact
    fitting = [p for p in roles.roles if _is_glob(p) and match(p, tool)]
    best = max(fitting, key=lambda p: (len(_prefix(p)), len(p), p), default=None)
    return roles.roles[best] if best is not None else ()


def _is_glob(pattern: str) -> bool:
    return _prefix(pattern) != pattern


def _prefix(pattern: str) -> str:
    found = _LITERAL.match(pattern)
    return found.group() if found else ""


def _applies(role: Role, args: Mapping[str, object]) -> bool:
    return all(_holds(c, args) for c in role.when) and not any(_holds(c, args) for c in role.unless)


def _holds(condition: Condition, args: Mapping[str, object]) -> bool:
    given = args.get(condition.subject)
    if isinstance(given, bool):
        value = str(given).lower()
    else:  # an empty first entry does not stand for a list that holds more
        value = next((v for v in values_at(args, condition.subject) if v), "")
    return any(match(pattern, value) for pattern in condition.globs)
