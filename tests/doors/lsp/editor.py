"""An editor for tests: a real LSP client library, and the server that it drives."""

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from lsprotocol import types
from pygls.io_ import StdoutWriter, run_async
from pygls.lsp.client import LanguageClient

from tripwire.doors.lsp.server import made

ROOMY = 20.0
"""Seconds after which something that should come is missed."""


class Editor(LanguageClient):
    def __init__(self, root):
        super().__init__("editor", "1")
        self.root = root
        self.published = {}
        self.messages = []
        self.shown = []
        self.refreshed = 0
        self.faults = []
        self.news = asyncio.Condition()
        self.registered = []
        for method, heard in (
            (types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, self._published),
            (types.WINDOW_SHOW_MESSAGE, self._message),
            (types.WINDOW_SHOW_DOCUMENT, self._show),
            (types.WORKSPACE_CODE_LENS_REFRESH, self._refresh),
            (types.CLIENT_REGISTER_CAPABILITY, self._register),
        ):
            self.feature(method)(partial(heard))

    async def _published(self, params: types.PublishDiagnosticsParams):
        async with self.news:
            self.published[params.uri] = params.diagnostics
            self.news.notify_all()

    def _message(self, params: types.ShowMessageParams):
        self.messages.append(params.message)

    def _show(self, params: types.ShowDocumentParams):
        self.shown.append(params.uri)
        return types.ShowDocumentResult(True)

    def _refresh(self, _):
        self.refreshed += 1

    def _register(self, params: types.RegistrationParams):
        self.registered += params.registrations

    def report_server_error(self, error, source):
        self.faults.append(error)  # bytes on stdout that are not the protocol end up here

    def uri(self, file):
        return (self.root / file).as_uri()

    def open(self, file, text=None, uri=None):
        text = (self.root / file).read_text("utf-8") if text is None else text
        item = types.TextDocumentItem(uri or self.uri(file), "plaintext", 1, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return item.uri

    def change(self, uri, text, version=2):
        self.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    def close(self, uri):
        document = types.TextDocumentIdentifier(uri)
        self.text_document_did_close(types.DidCloseTextDocumentParams(document))

    async def told(self, uri, wanted):
        """The diagnostics of a document once `wanted` holds of them."""

        def there():
            return uri in self.published and wanted(self.published[uri])

        async with self.news:
            await asyncio.wait_for(self.news.wait_for(there), ROOMY)
        return self.published[uri]

    async def codes(self, uri, *codes):
        return await self.told(uri, lambda found: [d.code for d in found] == list(codes))

    async def lenses(self, uri):
        document = types.TextDocumentIdentifier(uri)
        return list(await self.text_document_code_lens_async(types.CodeLensParams(document)))

    async def hover(self, uri, line=0):
        document, place = types.TextDocumentIdentifier(uri), types.Position(line, 0)
        return await self.text_document_hover_async(types.HoverParams(document, place))

    async def fixes(self, uri, line=0, only=None):
        at = types.Range(types.Position(line, 0), types.Position(line, 0))
        context = types.CodeActionContext([], only)
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), at, context)
        return list(await self.text_document_code_action_async(params))

    async def run(self, command, *arguments):
        params = types.ExecuteCommandParams(command, arguments=list(arguments))
        return await self.workspace_execute_command_async(params)


def capabilities(*, encodings=None, markdown=True):
    formats = [types.MarkupKind.Markdown] if markdown else [types.MarkupKind.PlainText]
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=encodings),
        text_document=types.TextDocumentClientCapabilities(
            hover=types.HoverClientCapabilities(content_format=formats)
        ),
        window=types.WindowClientCapabilities(
            show_document=types.ShowDocumentClientCapabilities(True)
        ),
        workspace=types.WorkspaceClientCapabilities(
            code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True),
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(True),
            workspace_edit=types.WorkspaceEditClientCapabilities(
                document_changes=True, resource_operations=[types.ResourceOperationKind.Rename]
            ),
        ),
    )


@asynccontextmanager
async def editor(*roots, process=False, **can):
    """An editor with these folders open, and its server; both gone afterwards.

    The server is one of this process on pipes of its own, or with `process` the real `tripwire lsp`.
    """
    client = Editor(roots[0])
    ended = await (_process(client) if process else _thread(client))
    folders = [types.WorkspaceFolder(root.as_uri(), root.name) for root in roots]
    try:
        client.answer = await client.initialize_async(
            types.InitializeParams(capabilities(**can), workspace_folders=folders)
        )
        client.initialized(types.InitializedParams())
        yield client
        await client.shutdown_async(None)
    finally:
        client.exit(None)
        code = await asyncio.wait_for(ended(), ROOMY)
    assert code == 0
    assert client.faults == []


async def _process(client):
    env = {"PATH": os.environ["PATH"], "HOME": str(client.root), "PYTHONPATH": "src"}
    here = str(Path(__file__).parents[3])
    await client.start_io(sys.executable, "-m", "tripwire", "lsp", env=env, cwd=here)

    async def ended():
        code = await client._server.wait()
        client.stderr = (await client._server.stderr.read()).decode()
        await client.stop()
        return code

    return ended


async def _thread(client):
    there, here = os.pipe(), os.pipe()
    server = made()
    streams = (os.fdopen(there[0], "rb"), os.fdopen(here[1], "wb"))
    running = asyncio.create_task(asyncio.to_thread(server.start_io, *streams))
    reader = asyncio.StreamReader(limit=1 << 24)
    source = os.fdopen(here[0], "rb", 0)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), source
    )
    sink = os.fdopen(there[1], "wb")
    client.protocol.set_writer(StdoutWriter(sink))
    reading = asyncio.create_task(
        run_async(
            client._stop_event, reader, client.protocol, error_handler=client.report_server_error
        )
    )

    async def ended():
        await running
        sink.close()
        await reading
        streams[0].close()
        return 0 if server.left and server.stopped else 1

    return ended


def applied(text, edit):
    """A text after one edit, positions in UTF-16 units and lines ending in LF."""

    def offset(place):
        rows = text.split("\n")
        row = rows[place.line].encode("utf-16-le")[: 2 * place.character].decode("utf-16-le")
        return sum(len(r) + 1 for r in rows[: place.line]) + len(row)

    return text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
