"""The file server on the MCP wire: tools/list, tools/call, questions to the person (read.md 4.1).

Both eras of the protocol. Up to 2025-11-25 a question is a request to the client; later it is an
`input_required` result, whose state the SDK seals to this very request, and which is used once.
"""

from __future__ import annotations

import secrets
import threading
from importlib.metadata import version
from typing import Any, Final

import anyio.to_thread
import mcp_types as wire
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from tripwire.doors.mcp_server import asking
from tripwire.doors.mcp_server.arguments import READING, TOOLS, schema
from tripwire.doors.mcp_server.file_server import SOURCE, Answer, Ask, FileServer, failed

KEY: Final = "approve"
"""The name of our one input request."""

MOST_ROUNDS: Final = 4
"""Questions that one call may ask: at most one of the flow, one of authorship, and again each."""

MOST_OPEN: Final = 256
"""Questions of one connection that may wait for an answer; the oldest are dropped."""

INSTRUCTIONS: Final = (
    "Files of this project. read_file gives the file with what the team knows about it in front."
)


class Wire:
    """One connection: the SDK's handlers over a FileServer."""

    def __init__(self, files: FileServer) -> None:
        self._files = files
        self._lock = threading.Lock()
        self._open: dict[str, tuple[dict[str, bool], str]] = {}
        """State that was given out → answers so far, and the open question; each counts once."""

    def server(self) -> Server[Any]:
        """The SDK's server with our tools."""
        made: Server[Any] = Server(
            SOURCE,
            version=version("tripwire"),
            instructions=INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        security = RequestStateSecurity.ephemeral()
        made.middleware.append(RequestStateBoundary(security, default_audience=SOURCE))
        return made

    async def _list(self, _ctx: Any, _params: Any) -> wire.ListToolsResult:
        return wire.ListToolsResult(tools=[_tool(name) for name in TOOLS])

    async def _call(
        self, ctx: Any, params: wire.CallToolRequestParams
    ) -> wire.CallToolResult | wire.InputRequiredResult:
        raw = params.arguments or {}
        said = self._said(params)
        while isinstance(given := await self._decided(params.name, raw, said), Ask):
            if len(said) >= MOST_ROUNDS:
                return _result(failed("more questions than one call may ask; nothing was done"))
            if not _can_ask(ctx) or not asking.readable(given.text):
                said[given.text] = False
            elif ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
                return self._asked(given, said)
            else:
                said[given.text] = await _elicited(ctx, given)
        return _result(given)

    async def _decided(self, tool: str, raw: dict[str, Any], said: dict[str, bool]) -> Answer | Ask:
        def work() -> Answer | Ask:
            with self._lock:
                return self._files.call(tool, raw, said=said)

        return await anyio.to_thread.run_sync(work)

    def _said(self, params: wire.CallToolRequestParams) -> dict[str, bool]:
        """Question → answer, of the rounds before of this request.

        A state that is unknown was used already, or is of another connection: then nobody has said
        anything yet.
        """
        known = self._open.pop(params.request_state or "", None)
        if known is None:
            return {}
        said, question = known
        given = (params.input_responses or {}).get(KEY)
        yes = isinstance(given, wire.ElicitResult) and asking.said_yes(given.action, given.content)
        return {**said, question: yes}

    def _asked(self, ask: Ask, said: dict[str, bool]) -> wire.InputRequiredResult:
        state = secrets.token_hex(16)
        self._open[state] = (said, ask.text)
        while len(self._open) > MOST_OPEN:
            del self._open[next(iter(self._open))]
        return wire.InputRequiredResult(input_requests={KEY: _form(ask)}, request_state=state)


def _form(ask: Ask) -> wire.ElicitRequest:
    return wire.ElicitRequest(
        params=wire.ElicitRequestFormParams(message=ask.text, requested_schema=dict(asking.FORM))
    )


def _can_ask(ctx: Any) -> bool:
    """Whether the client has said that it can show a form (2025-11-25: `{}` means forms)."""
    capabilities = ctx.session.client_capabilities
    offered = capabilities.elicitation if capabilities is not None else None
    if offered is None:
        return False
    return offered.form is not None or offered.url is None


async def _elicited(ctx: Any, ask: Ask) -> bool:
    try:
        said = await ctx.session.elicit_form(
            ask.text, dict(asking.FORM), related_request_id=ctx.request_id
        )
    except (MCPError, ValueError):
        return False  # a client that cannot ask after all: a no
    return asking.said_yes(said.action, said.content)


def _tool(name: str) -> wire.Tool:
    reads = name in READING
    return wire.Tool(
        name=name,
        description=TOOLS[name][1],
        input_schema=schema(name),
        annotations=wire.ToolAnnotations(
            read_only_hint=reads, destructive_hint=False, open_world_hint=False
        ),
    )


def _result(given: Answer) -> wire.CallToolResult:
    content: list[Any] = [wire.TextContent(text=block) for block in given.blocks]
    data = dict(given.data) if given.data is not None else None
    return wire.CallToolResult(content=content, structured_content=data, is_error=given.is_error)


async def serve(files: FileServer) -> None:
    """Serve on standard input and output until the client closes its end."""
    server = Wire(files).server()
    async with stdio_server() as (receive, send):
        await server.run(receive, send, server.create_initialization_options())
