"""`tripwire run`: serve the gateway on standard input and output. stdout is the protocol only."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.config.load import load_policy
from tripwire.config.places import CONFIG_NAME, find_config, user_file
from tripwire.doors.gateway.serve import serve
from tripwire.errors import PolicyError, UsageError


def run(*, config: Annotated[Path | None, Parameter(name=["--config", "-c"])] = None) -> int:
    """Serve the gateway in front of your MCP servers, over stdio.

    An MCP client starts this command in place of the servers; it ends when the client closes
    standard input. Messages go to stderr.

    Args:
        config: The configuration; without it, the tripwire.yaml in or above this directory.

    """
    if not (config or find_config(Path.cwd()) or os.path.lexists(user_file(os.environ))):
        raise UsageError(
            f"no {CONFIG_NAME} here or above", fix="run `tripwire init`, or name one with -c"
        )
    policy = load_policy(config, project=Path.cwd())
    for words in policy.notices:
        show.say(words)
    if not policy.upstreams:
        raise PolicyError(
            "no upstreams are configured",
            where=policy.path or "tripwire.yaml",
            fix="List your MCP servers under `upstreams`; `tripwire init --gateway` does it.",
        )
    serve(policy, os.environ, version=version("tripwire"))
    return 0
