"""The protocol side: what an editor asks and is told (LSP 3.17 over standard streams).

stdout carries the protocol and nothing else. A document never ends the server, whatever it holds;
what a library logs stays unsaid, because it may quote documents.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from tripwire.doors.lsp import shown
from tripwire.doors.lsp.findings import Document, actions, diagnostics
from tripwire.doors.lsp.places import lines_of, span
from tripwire.doors.lsp.workspace import Looked, OpenWorkspace
from tripwire.io.read_rules import POLICY_FILE
from tripwire.model.tripwire import ReadPlan
from tripwire.read.places import CONFIG_FILE

SETTLE = 0.15
"""Seconds without a keystroke before documents are looked at again."""

POLL = 2.0
"""Seconds between looks at the disk, for what a client does not watch."""

SHARE = 50
"""A look takes at most one part in so many of the time: thousands of files are looked at less."""

_WATCHED = (f"**/{CONFIG_FILE}", f"**/{POLICY_FILE}", "**/.tripwires/**")


class TripwireLanguageServer(LanguageServer):
    """One editor window's server: its documents, and what was published of them."""

    def __init__(self, only: Path | None = None) -> None:
        super().__init__(
            "tripwire",
            version("tripwire"),
            # Whole texts: the library would cut lines where the protocol does not.
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
        )
        self.open = OpenWorkspace(only)
        self.stopped = False
        self.left = False
        self._published: dict[str, list[types.Diagnostic]] = {}
        self._seen: dict[Path, object] = {}
        self._pending: asyncio.TimerHandle | None = None
        self._spent = 0.0
        self._only = only

    # ── what changes ────────────────────────────────────────────────────────────────────────

    def set_folders(self) -> None:
        """Take over the folders that the window has now."""
        folders = [folder.uri for folder in self.workspace.folders.values()]
        if not folders and self.workspace.root_uri:
            folders = [self.workspace.root_uri]
        self.open.set_folders(folders)

    def hold(self, uri: str) -> None:
        """Take over the text of an open document."""
        held = self.workspace.get_text_document(uri)
        self.open.put(Document(uri, held.source, held.version))

    def soon(self) -> None:
        """Publish once nothing has changed for a moment."""
        if self._pending is not None:
            self._pending.cancel()
        pause = max(SETTLE, 2 * self._spent)  # where a look takes long, not between two letters
        self._pending = asyncio.get_running_loop().call_later(pause, self.publish_safely)

    def poll(self) -> None:
        """Look whether files changed unseen, now and from now on."""
        self.publish_safely(unless_as_before=True)
        asyncio.get_running_loop().call_later(max(POLL, SHARE * self._spent), self.poll)

    # ── what is told ────────────────────────────────────────────────────────────────────────

    def publish_safely(self, *, unless_as_before: bool = False) -> None:
        """Publish; what goes wrong ends neither the server nor the next look."""
        began = time.monotonic()
        try:
            if unless_as_before:
                projects = self.open.projects()
                if all(self.open.rules(p) is self._seen.get(p.root) for p in projects):
                    return
            self.publish()
        except Exception as bug:  # noqa: BLE001  (called by a timer: nobody else would catch it)
            self.report_server_error(bug, type(bug))
        finally:
            self._spent = time.monotonic() - began

    def publish(self) -> None:
        """Tell every diagnostic that is not as it was told before."""
        found: dict[str, list[types.Diagnostic]] = {}
        before, self._seen = self._seen, {}
        for project in self.open.projects():
            rules = self._seen[project.root] = self.open.rules(project)
            opened = self.open.opened_in(project)
            for file, findings in project.findings(rules).items():
                document = opened.get(file) or project.document(file)
                told = diagnostics(findings, document.text, self.encoding)
                found.setdefault(document.uri, []).extend(told)
        for document in self.open.documents:
            found.setdefault(document.uri, []).extend(self._information(document))
        for uri in {**self._published, **found}:
            told = found.get(uri, [])
            if told != self._published.get(uri, []):
                self.text_document_publish_diagnostics(
                    types.PublishDiagnosticsParams(uri, told, self._version_of(uri))
                )
        self._published = {uri: told for uri, told in found.items() if told}
        if before != self._seen and self._refreshes_lenses():
            self.workspace_code_lens_refresh(None)

    def _information(self, document: Document) -> list[types.Diagnostic]:
        looked = self.open.look(document.uri)
        plan = looked.plan() if looked else None
        if plan is None:
            return []
        return shown.information(plan, span(lines_of(document.text), 1, 0, self.encoding))

    # ── what the client can ─────────────────────────────────────────────────────────────────

    @property
    def encoding(self) -> types.PositionEncodingKind | str:
        """The unit of columns that was agreed on."""
        return self.workspace.position_encoding or types.PositionEncodingKind.Utf16

    def _version_of(self, uri: str) -> int | None:
        return next((d.version for d in self.open.documents if d.uri == uri), None)

    def _refreshes_lenses(self) -> bool:
        can = self.client_capabilities.workspace
        return bool(can and can.code_lens and can.code_lens.refresh_support)

    def renames_files(self) -> bool:
        """Whether a quick fix may rename a file."""
        can = self.client_capabilities.workspace
        edit = can.workspace_edit if can else None
        operations = (edit.resource_operations or ()) if edit else ()
        return bool(
            edit and edit.document_changes and types.ResourceOperationKind.Rename in operations
        )

    def reads_markdown(self) -> bool:
        """Whether a hover may be Markdown."""
        can = self.client_capabilities.text_document
        formats = (can.hover.content_format or ()) if can and can.hover else ()
        return types.MarkupKind.Markdown in formats

    def watch(self) -> None:
        """Have the client watch the files that matter, if it can."""
        can = self.client_capabilities.workspace
        watches = can.did_change_watched_files if can else None
        if not (watches and watches.dynamic_registration):
            return
        watchers = [types.FileSystemWatcher(glob) for glob in _WATCHED]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        registration = types.Registration("tripwire-files", method, options)
        self.client_register_capability(types.RegistrationParams([registration]))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Name the kind of error on stderr; its message may quote a document."""
        del source
        sys.stderr.write(f"tripwire: lsp: {type(error).__name__}\n")


# ── requests ─────────────────────────────────────────────────────────────────────────────────


def _plan(server: TripwireLanguageServer, uri: str) -> tuple[Looked, ReadPlan] | None:
    looked = server.open.look(uri)
    plan = looked.plan() if looked else None
    return (looked, plan) if looked and plan else None


def code_lens(server: TripwireLanguageServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    """How many tripwires the file has, and which."""
    found = _plan(server, params.text_document.uri)
    return shown.lenses(found[1], params.text_document.uri) if found else []


def hover(server: TripwireLanguageServer, params: types.HoverParams) -> types.Hover | None:
    """What an agent would be shown, on the first line of a file."""
    found = _plan(server, params.text_document.uri) if params.position.line == 0 else None
    if found is None:
        return None
    looked, plan = found
    if not plan.groups and not plan.notices:
        return None
    if server.reads_markdown():
        text = shown.markdown(plan, looked.uri_of)
        content = types.MarkupContent(types.MarkupKind.Markdown, text)
    else:
        content = types.MarkupContent(types.MarkupKind.PlainText, shown.plain(plan))
    return types.Hover(content, span(lines_of(looked.document.text), 1, 0, server.encoding))


def code_action(
    server: TripwireLanguageServer, params: types.CodeActionParams
) -> list[types.CodeAction]:
    """The fixes that a machine can make, of the findings in a range."""
    only = params.context.only
    if only is not None and not any(_asks_for_fixes(kind) for kind in only):
        return []
    looked = server.open.look(params.text_document.uri)
    if looked is None:
        return []
    link = looked.uri_of if server.renames_files() else None
    return actions(
        looked.findings(),
        looked.document,
        looked.rules,
        within=params.range,
        encoding=server.encoding,
        link=link,
    )


def _asks_for_fixes(kind: types.CodeActionKind | str) -> bool:
    return str(getattr(kind, "value", kind)) in ("", "quickfix")


def explain(ls: TripwireLanguageServer, uri: str) -> str:
    """What fires for a document, why, and the blocks, as text; a message says the first two."""
    found = _plan(ls, uri)
    if found is None:
        text = "No tripwires: this is no file of a project."
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
        return text
    text = shown.message(found[1])
    ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
    return shown.plain(found[1])


def open_tripwire(ls: TripwireLanguageServer, uri: str, name: str) -> str | None:
    """Show the file of a tripwire of a document's project; its URI, None if there is none."""
    looked = ls.open.look(uri)
    tripwire = looked.rules.by_name.get(name) if looked else None
    if looked is None or tripwire is None:
        return None
    target = looked.uri_of(tripwire.file)
    window = ls.client_capabilities.window
    if window and window.show_document and window.show_document.support:
        ls.window_show_document(types.ShowDocumentParams(target, take_focus=True))
    return target


# ── wiring ───────────────────────────────────────────────────────────────────────────────────


def made(only: Path | None = None) -> TripwireLanguageServer:
    """A server with everything it answers; `only` is its one project if that was named."""
    server = TripwireLanguageServer(only)
    _listen(server)
    _follow(server)
    server.feature(types.TEXT_DOCUMENT_CODE_LENS)(lambda p: code_lens(server, p))
    server.feature(types.TEXT_DOCUMENT_HOVER)(lambda p: hover(server, p))
    options = types.CodeActionOptions([types.CodeActionKind.QuickFix])
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(lambda p: code_action(server, p))
    server.command(shown.EXPLAIN)(explain)
    server.command(shown.OPEN)(open_tripwire)
    return server


def _listen(server: TripwireLanguageServer) -> None:
    """What the editor tells of itself."""

    @server.feature(types.INITIALIZED)
    def initialized(_: types.InitializedParams) -> None:
        server.set_folders()
        server.watch()
        server.poll()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def moved(_: types.DidChangeWorkspaceFoldersParams) -> None:
        server.set_folders()
        server.soon()

    @server.feature(types.SHUTDOWN)
    def shutdown(*_: object) -> None:
        server.stopped = True

    @server.feature(types.EXIT)
    def left(*_: object) -> None:
        server.left = True


def _follow(server: TripwireLanguageServer) -> None:
    """What the editor tells of documents and files."""

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.hold(params.text_document.uri)
        server.soon()

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.hold(params.text_document.uri)
        server.soon()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.open.drop(params.text_document.uri)
        server.soon()

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(_: types.DidSaveTextDocumentParams) -> None:
        server.soon()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def written(_: types.DidChangeWatchedFilesParams) -> None:
        server.soon()


def serve(only: Path | None = None) -> int:
    """Serve until the editor goes; 0, or 1 if it went without saying so (LSP `exit`)."""
    quiet = logging.getLogger("pygls")
    quiet.addHandler(logging.NullHandler())
    quiet.propagate = False
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a read of stdin cannot be interrupted otherwise
    sys.stdout.flush()
    wire = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed must not end up in the protocol
    server = made(only)
    server.start_io(sys.stdin.buffer, wire)
    return 1 if server.left and not server.stopped else 0
