"""Codex's hook wire ⇄ Hook and Verdict (contracts.md §2.2, checked against 0.171.0).

As Claude Code's with fewer words: an answer with a key that its schema does not know, or with
`ask`, is thrown away and the command runs. So a question is a refusal here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tripwire.doors.hooks import claude_code
from tripwire.doors.hooks.answer import context, reason
from tripwire.doors.hooks.hook import Client, Hook, JsonObject, Phase
from tripwire.model.verdict import Action, Verdict

NAME = "codex"

PATCH = "apply_patch"
_HEADER = re.compile(r"^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$")
_MAX_FILES = 200


def read(value: JsonObject) -> Hook:
    """One event of Codex. Raises MalformedInput."""
    hook = claude_code.read(value)
    if hook.tool != PATCH:
        return hook
    files = patched_files(hook.args)
    if not files:  # what it would do cannot be told: no tool that any policy knows
        return replace(hook, tool=f"{PATCH} without a file")
    return replace(hook, args={**hook.args, "files": files})


def patched_files(args: Mapping[str, object]) -> list[dict[str, Any]]:
    """The files of a patch with what is added to each; of several texts, all are read."""
    found: list[dict[str, Any]] = []
    for text in _texts(args):
        for line in text.split("\n"):
            header = _HEADER.match(line)
            if header is not None and len(found) < _MAX_FILES:
                found.append({"file_path": header[2], "new_string": "", "change": header[1]})
            elif header is None and found and line.startswith("+"):
                found[-1]["new_string"] += line[1:] + "\n"
    return found


def _texts(args: Mapping[str, object]) -> list[str]:
    held: list[str] = []
    for value in args.values():
        values = value if isinstance(value, list) else [value]
        held += [each for each in values if isinstance(each, str)]
    return held


def render(hook: Hook, verdict: Verdict) -> str:
    """What Codex is answered: only keys of its schema, never ask, never allow (CTX-35)."""
    if hook.phase is Phase.BEFORE and verdict.action > Action.INFORM:
        why = reason(verdict)
        return claude_code.specific(
            hook, permissionDecision="deny", permissionDecisionReason=why or "Tripwire"
        )
    if hook.phase is Phase.PROMPT and verdict.action > Action.INFORM:
        return json.dumps({"decision": "block", "reason": reason(verdict)}, ensure_ascii=False)
    told = context(verdict)
    spoken = hook.phase in (Phase.BEFORE, Phase.AFTER, Phase.PROMPT, Phase.STARTED)
    return claude_code.specific(hook, additionalContext=told) if told and spoken else ""


CLIENT = Client(NAME, read, render, asks=False)
