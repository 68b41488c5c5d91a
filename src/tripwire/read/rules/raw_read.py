"""read/raw-read — under `strict` a file with knowledge about it is read through Tripwire only.

Does not catch: routes that cannot be replaced by the tool (shell, search, edits); they get the
context added instead. Nor a third try: a client that cannot use the tool must not loop.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from tripwire.memory.shown import RAW_READ, call_of, scope_of
from tripwire.model.event import ToolCall
from tripwire.model.tripwire import Enforcement
from tripwire.model.verdict import Action, Finding
from tripwire.read.hook_text import READ_TOOL
from tripwire.read.knowledge import knowledge
from tripwire.rule import Case, Rule

ID = RAW_READ
MAX_DENIALS = 2
"""Denials of one path in a row; the next read gets the context and passes (CTX-29)."""
_ROUTES = frozenset({"read", "mcp"})
_LINES = ("offset", "limit")


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """A BLOCK that names the tool and its arguments, if a block would be shown (CTX-29)."""
    known = knowledge(event, case)
    if known is None or known.plan.config.enforcement_mode is not Enforcement.STRICT:
        return
    if not known.plan.emitted or len(event.touched) != 1:
        return
    access = event.touched[0]
    if access.route not in _ROUTES or access.writes or access.observed:
        return
    if not (access.text and access.served) or access.missing:
        return
    path = access.real or access.forms[0]
    scope, call = scope_of(event.agent), call_of(event.call_id)
    if case.memory.shown.denials(scope, path, call) >= MAX_DENIALS:
        return
    arguments = json.dumps(_arguments(access.path, event.args))
    yield Finding(
        ID,
        Action.BLOCK,
        f"This project serves the file with what is known about it: {READ_TOOL} {arguments}.",
        remedy="If Tripwire MCP is not available, run: tripwire doctor",
    )


def _arguments(path: str, args: Mapping[str, object]) -> dict[str, object]:
    """The same read as arguments of the tool."""
    lines = {
        key: value
        for key in _LINES
        if isinstance(value := args.get(key), int) and not isinstance(value, bool) and value >= 1
    }
    return {"path": path, **lines}


RULE = Rule(ID, ToolCall, check)
