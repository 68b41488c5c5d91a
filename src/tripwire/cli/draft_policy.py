"""`tripwire draft-policy`: roles from what the tools of a server say of themselves."""

from __future__ import annotations

import json as json_text
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.errors import UsageError
from tripwire.workbench.draft import Draft, draft_policy
from tripwire.workbench.draft_text import as_yaml


def draft(
    tools: Path,
    /,
    *,
    source: str = "server",
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Draft a policy from a saved `tools/list`; each role says why, and a person reviews it.

    Looks at names, descriptions, argument schemas and annotations. Starts no server. A tool that
    no word of its name describes is left out and listed: it stays untrusted and of unknown effect.

    Args:
        tools: A JSON file: a list of tools, or an object with `tools` or `result.tools`.
        source: The name that `flow.policies` knows the server by.
        json: Print one JSON object instead of YAML.

    """
    drafted = draft_policy(listed(tools), source=source)
    if json:
        show.data(_data(drafted))
    else:
        show.text(as_yaml(drafted))
    if not drafted.roles:
        raise UsageError(
            "nothing is known of any of its tools",
            where=str(tools),
            fix="Describe them by hand under flow.policies.",
        )
    return 0


def listed(file: Path) -> list[dict[str, object]]:
    """The tools of a saved listing. Raises UsageError."""
    try:
        value = json_text.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(
            f"cannot be read: {error}", where=str(file), fix="Save a tools/list answer as JSON."
        ) from error
    for key in ("result", "tools"):
        value = value.get(key, value) if isinstance(value, dict) else value
    if not isinstance(value, list) or not all(isinstance(t, dict) and "name" in t for t in value):
        raise UsageError(
            "holds no list of tools", where=str(file), fix='Write [{"name": …, "inputSchema": …}].'
        )
    return value


def _data(drafted: Draft) -> dict[str, object]:
    return {
        "source": drafted.source,
        "tools": {each.tool: {"role": each.entry, "why": each.why} for each in drafted.roles},
        "omitted": [{"tool": tool, "why": why} for tool, why in drafted.omitted],
    }
