"""`tripwire serve`: the MCP file server on standard streams. stdout is the protocol only."""

from __future__ import annotations

import os
from typing import Annotated

from cyclopts import Parameter

from tripwire.errors import UsageError


def file_server(*, project: Annotated[str | None, Parameter(name=["--project"])] = None) -> int:
    """Serve the project's files over MCP (stdio), with what the team knows about them.

    An MCP client starts this command; its key in the client's configuration is `tripwire`.

    Args:
        project: The project directory; without it, the nearest one around this directory.

    """
    try:
        import anyio

        from tripwire.doors.mcp_server.server import serve
        from tripwire.doors.mcp_server.start import file_server as started
    except ImportError as problem:
        if (problem.name or "").startswith("tripwire"):
            raise
        raise UsageError(
            f"the MCP SDK is not installed ({problem.name})", fix='Run: pip install "tripwire[mcp]"'
        ) from None
    files = started(project, os.environ)
    try:
        anyio.run(serve, files)
    finally:
        files.session.close()
    return 0
