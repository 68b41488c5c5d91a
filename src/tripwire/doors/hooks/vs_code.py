"""VS Code's hook wire ⇄ Hook and Verdict (contracts.md §2.5; read from its documentation, not run).

As Claude Code's, with `sessionId` and `hookEventName`, tools of its own, and results as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tripwire.doors.hooks import claude_code
from tripwire.doors.hooks.hook import Client, Hook, JsonObject, Phase

NAME = "vscode"

_NAMES = {"sessionId": "session_id", "hookEventName": "hook_event_name"}
_TOOLS = {
    "readFile": "Read",
    "read_file": "Read",
    "copilot_readFile": "Read",
    "createFile": "Write",
    "create_file": "Write",
    "editFiles": "Edit",
    "insert_edit_into_file": "Edit",
    "replace_string_in_file": "Edit",
    "editNotebook": "NotebookEdit",
    "textSearch": "Grep",
    "grep_search": "Grep",
    "fileSearch": "Glob",
    "file_search": "Glob",
    "listDirectory": "LS",
    "list_dir": "LS",
    "runInTerminal": "Bash",
    "run_in_terminal": "Bash",
    "fetch": "WebFetch",
    "fetch_webpage": "WebFetch",
}
_ARGUMENTS = {
    "filePath": "file_path",
    "oldString": "old_string",
    "newString": "new_string",
    "code": "new_string",
    "includePattern": "glob",
    "query": "pattern",
}
_UNCHANGED: Mapping[str, str] = {}
_NOTEBOOK = {"filePath": "notebook_path", "newCode": "new_source"}


def read(value: JsonObject) -> Hook:
    """One event of VS Code. Raises MalformedInput."""
    plain = {_NAMES.get(key, key): held for key, held in value.items()}
    tool = plain.get("tool_name")
    known = _TOOLS.get(tool, "") if isinstance(tool, str) else ""
    args = plain.get("tool_input")
    if known and isinstance(args, dict):
        plain["tool_name"], plain["tool_input"] = _translated(known, args)
    hook = claude_code.read(plain)
    return replace(hook, phase=Phase.COMPACTED) if hook.name == "PreCompact" else hook


def _translated(tool: str, args: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    names = {"NotebookEdit": _NOTEBOOK, "WebFetch": _UNCHANGED}.get(tool, _ARGUMENTS)
    found = {names.get(key, key): held for key, held in args.items()}
    files = found.get("files")
    if tool == "Edit" and isinstance(files, list):  # paths alone, or objects that hold one
        found["files"] = [_file(each) for each in files]
        return "editFiles", found
    return tool, found


def _file(each: object) -> dict[str, Any]:
    if not isinstance(each, dict):
        return {"file_path": each}
    return {_ARGUMENTS.get(str(key), str(key)): held for key, held in each.items()}


CLIENT = Client(NAME, read, claude_code.render)
