"""Whether an earlier rule takes every call that a later one could match.

Exact for literal names and for globs of `*` and `?`; of two other globs only equal ones count, so
a rule with an unusual glob may be shadowed without being reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tripwire.model.policy import CallRule, Upstream
from tripwire.text.glob import match

_SPECIAL = re.compile(r"[\[\]{}()\\!+@|]")
_STARS = re.compile(r"\*+")

# What a `*` of the later glob may stand for. Private-use characters cannot be spelt out by the
# earlier glob, so it covers them only through a wildcard of its own.
_SAMPLES = ("", "\ue000", "\ue000_\ue001-\ue002")


def shadows(first: CallRule, later: CallRule, upstreams: Iterable[Upstream]) -> bool:
    """Whether `first`, standing before `later`, matches all that `later` matches."""
    if not set(first.annotation) <= set(later.annotation):
        return False
    prefixed = {upstream.name for upstream in upstreams if upstream.prefix}
    return _upstream_covers(first, later, prefixed) and _tool_covers(first, later, prefixed)


def _upstream_covers(first: CallRule, later: CallRule, prefixed: set[str]) -> bool:
    if not first.upstream or first.upstream == later.upstream:
        return True
    head, found, _ = later.tool.partition("__")
    return bool(found) and head == first.upstream and head in prefixed


def _tool_covers(first: CallRule, later: CallRule, prefixed: set[str]) -> bool:
    if not first.tool:
        return True
    if later.tool:
        return covers(first.tool, later.tool)
    if later.upstream in prefixed:
        return covers(first.tool, f"{later.upstream}__*")
    return covers(first.tool, "*")


def covers(wide: str, narrow: str) -> bool:
    """Whether the glob `wide` matches every name that `narrow` matches."""
    if wide == narrow:
        return True
    if _SPECIAL.search(narrow):
        return wide in ("*", "**")
    return all(match(wide, _STARS.sub(s, narrow).replace("?", "\ue003")) for s in _SAMPLES)
