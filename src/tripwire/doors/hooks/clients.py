"""The agent clients we have an adapter for, and which of them sent an event.

Cursor and VS Code also run the hooks that stand in Claude Code's settings: such an event is told
by its shape, so that it joins the session that the client's own hooks feed (CTX-34).
"""

from __future__ import annotations

from tripwire.doors.hooks import claude_code, codex, cursor, gemini_cli, vs_code
from tripwire.doors.hooks.hook import Client, Hook, decoded
from tripwire.errors import MalformedInput

CLIENTS = {
    each.name: each
    for each in (
        claude_code.CLIENT,
        codex.CLIENT,
        gemini_cli.CLIENT,
        cursor.CLIENT,
        vs_code.CLIENT,
    )
}


def received(name: str, raw: bytes) -> tuple[Client, Hook]:
    """The client that sent an event to the hook of client `name`, and the event.

    Raises MalformedInput, also for a client without an adapter.
    """
    client = CLIENTS.get(name)
    if client is None:
        raise MalformedInput(f"no adapter for the client {name[:40]!r}", where="hook")
    value = decoded(raw)
    if client is claude_code.CLIENT and "session_id" not in value:
        if "conversation_id" in value:
            client = cursor.CLIENT
        elif "sessionId" in value:
            client = vs_code.CLIENT
    elif client is claude_code.CLIENT and ("cursor_version" in value or "generation_id" in value):
        client = cursor.CLIENT
    return client, client.read(value)
