"""Which rule and which options apply to a call, and where its guarded arguments are (gateway.md §2)."""

from __future__ import annotations

from tripwire.model.policy import Policy, ToolOptions

_NO_OPTIONS = ToolOptions()


def tool_options(policy: Policy, source: str, tool: str) -> ToolOptions:
    """The options of that tool: an exact name before the first glob that matches."""
    upstream = policy.upstream(source)
    if upstream is None:
        return _NO_OPTIONS
    return upstream.tool_options.get(tool, _NO_OPTIONS)
