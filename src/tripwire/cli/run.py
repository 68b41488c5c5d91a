"""`tripwire run`: serve the gateway on standard input and output. stdout is the protocol only."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tripwire.cli import policy_file, show
from tripwire.doors.gateway.serve import serve
from tripwire.errors import PolicyError


def run(*, config: Annotated[Path | None, Parameter(name=["--config", "-c"])] = None) -> int:
    """Serve the gateway in front of your MCP servers, over stdio.

    An MCP client starts this command in place of the servers; it ends when the client closes
    standard input. Messages go to stderr.

    Args:
        config: The configuration; without it, the tripwire.yaml in or above this directory.

    """
    policy = policy_file.read(config)
    for words in policy.notices:
        show.say(words)
    if policy.unaccepted:
        show.say(policy.unaccepted)
    if not policy.upstreams:
        raise PolicyError(
            "no upstreams count until the policy is accepted"
            if policy.unaccepted
            else "no upstreams are configured",
            where=policy.path or "tripwire.yaml",
            fix="Look at it and accept it: `tripwire check --accept`."
            if policy.unaccepted
            else "List your MCP servers under `upstreams`; `tripwire init --gateway` does it.",
        )
    serve(policy, os.environ, version=version("tripwire"))
    return 0
