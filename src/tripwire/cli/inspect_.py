"""`tripwire inspect`: what the tools of a server count as, and what is odd in their words."""

from __future__ import annotations

import json as json_text
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.cli.draft_policy import listed
from tripwire.cli.probe import probe
from tripwire.config.load import load_policy
from tripwire.errors import UsageError
from tripwire.model.policy import Policy
from tripwire.text.secrets import redact
from tripwire.workbench.inspect import Inspected, inspected

_FLAG = Parameter(negative="")
_SECONDS = 30.0


def inspect_(
    tools: Path | None = None,
    /,
    *,
    server: str = "",
    strict: Annotated[bool, _FLAG] = False,
    json: Annotated[bool, _FLAG] = False,
) -> int:
    """Show each tool's role, a hash of its definition, and orders hidden in its description.

    Looks at a saved `tools/list`, or starts a server of the configuration and asks it. Calls no
    tool. A role is the policy's, else a proposal to be reviewed, else none: untrusted and unknown.

    Args:
        tools: A JSON file: a list of tools, or an object with `tools` or `result.tools`.
        server: The name of the source in `flow.policies`; without a file, also of the upstream to
            start.
        strict: Exit code 1 if a tool has no role in the policy, or a note.
        json: Print one JSON object instead of text.

    """
    policy = load_policy(None, project=Path.cwd())
    told = listed(tools) if tools is not None else _asked(server, policy)
    found = inspected(told, source=server or "server", roles=policy.flow.tools.get(server))
    if json:
        show.data({"source": server, "tools": [_data(each) for each in found]})
    else:
        _print(found)
    odd = any(each.status != "described" or each.notes for each in found)
    return 1 if strict and odd else 0


def _asked(name: str, policy: Policy) -> Sequence[Mapping[str, Any]]:
    """The tools of an upstream, by starting it. Raises UsageError."""
    upstream = policy.upstream(name)
    if upstream is None:
        what = f'no server is called "{name}"' if name else "neither a file nor a server"
        raise UsageError(
            policy.unaccepted or what, fix="Name a saved tools/list, or --server of tripwire.yaml."
        )
    answer = probe(upstream, seconds=_SECONDS)
    if answer.error:
        raise UsageError(answer.error, where=name, fix=answer.fix)
    return answer.tools


def _print(found: Sequence[Inspected]) -> None:
    for each in found:
        role = each.role["role"]
        words = role if isinstance(role, str) else json_text.dumps(role)
        show.line(f"{_line(each.name)}  {each.fingerprint[:16]}", style="bold")
        status = "UNCLASSIFIED" if each.status == "unclassified" else each.status
        show.line(f"  {status}: {words} ({'; '.join(_line(why) for why in each.why)})")
        for note in each.notes:
            show.warning(f"  {_line(note)}")
    if not found:
        show.line("The server has no tools.")


def _line(words: str) -> str:
    return redact(" ".join(words.split()))[:200]


def _data(each: Inspected) -> dict[str, Any]:
    return {
        "tool": each.name,
        "status": each.status,
        **each.role,
        "why": list(each.why),
        "fingerprint": each.fingerprint,
        "notes": [_line(note) for note in each.notes],
    }
