"""The `hook` kind of area `read`: one event through the real door, in a real project."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.vectors.read_project import project

from tripwire.config.presets import builtin_policy
from tripwire.doors.hooks.door import HookDoor
from tripwire.doors.hooks.projects import Projects
from tripwire.io.daemon import Answer, Request
from tripwire.io.policies import Policies
from tripwire.io.tripwires import TripwireFolder

CLIENT = "claude-code"
POLICY = builtin_policy()


def check(case: Mapping[str, Any]) -> str:
    """Why the case fails, "" if it passes."""
    given, expected = case["given"], case["expect"]
    with project(_with_server(given)) as root, tempfile.TemporaryDirectory() as state:
        policies = Policies(lambda _: (), lambda _: POLICY)
        door = HookDoor(Path(state), policies, projects=Projects(TripwireFolder))
        try:
            answer = door.answer(_request(given, root))
        finally:
            door.close()
    found = {"exit_code": answer.code, "decision": decision_of(answer)}
    wrong = {key: found.get(key) for key in expected if found.get(key) != expected[key]}
    return f"{wrong}, expected {dict(expected)}: {answer.out or answer.err}" if wrong else ""


def _with_server(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """`{SERVER}` in the files is a command that starts."""
    files = {
        name: text.replace("{SERVER}", sys.executable) if isinstance(text, str) else text
        for name, text in (given.get("files") or {}).items()
    }
    return {**given, "files": files}


def _request(given: Mapping[str, Any], root: Path) -> Request:
    raw = given["stdin_raw"] if "stdin_raw" in given else json.dumps(given["stdin"])
    body = raw.replace("{ROOT}", str(root)).encode()
    return Request(CLIENT, str(root.parent), "", "", body)


def decision_of(answer: Answer) -> str:
    """`deny`, or `pass`: no permission decision."""
    if answer.code:
        return "deny"
    wire = json.loads(answer.out or "{}").get("hookSpecificOutput", {})
    return str(wire.get("permissionDecision", "pass"))
