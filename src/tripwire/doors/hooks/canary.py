"""A throw-away project with one tripwire, and the events that should bring its text up.

What doctor proves with: the text holds a random token, and only an installed command that really
works can know it.
"""

from __future__ import annotations

import json
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tripwire.doors.hooks.events import PROBE_SESSION

FILE = "canary.txt"
EVENTS = {
    "claude-code": "PreToolUse",
    "codex": "PreToolUse",
    "gemini": "AfterTool",
    "cursor": "postToolUse",
    "vscode": "PreToolUse",
}
"""Client → the event with which a read's context arrives (CTX-35)."""


@dataclass(frozen=True, slots=True)
class Canary:
    """The project, and what its tripwire says."""

    root: Path
    token: str = field(default_factory=lambda: secrets.token_hex(16))

    def event(self, client: str) -> bytes:
        """A read of the file, as the client tells its hooks; a session and a call of its own."""
        here, file = str(self.root), str(self.root / FILE)
        session, call = f"{PROBE_SESSION}{secrets.token_hex(8)}", f"call-{secrets.token_hex(4)}"
        common = {"session_id": session, "cwd": here, "hook_event_name": EVENTS[client]}
        tool: Mapping[str, object] = {
            "claude-code": {"tool_name": "Read", "tool_input": {"file_path": file}},
            "codex": {
                "turn_id": "1",
                "tool_name": "Bash",
                "tool_input": {"command": f"cat {FILE}"},
            },
            "gemini": {
                "timestamp": "",
                "tool_name": "read_file",
                "tool_input": {"file_path": FILE},
                "tool_response": {"llmContent": "x"},
            },
            "cursor": {
                "conversation_id": session,
                "generation_id": call,
                "workspace_roots": [here],
                "tool_name": "Read",
                "tool_input": {"target_file": file},
                "tool_output": '{"content": "x"}',
            },
            "vscode": {
                "sessionId": session,
                "hookEventName": EVENTS[client],
                "tool_name": "readFile",
                "tool_input": {"filePath": file},
            },
        }[client]
        if client == "vscode":
            common = {"cwd": here}
        return json.dumps({**common, "tool_use_id": call, **tool}).encode()


@contextmanager
def canary() -> Iterator[Canary]:
    """The project on disk, gone afterwards. Raises OSError."""
    with tempfile.TemporaryDirectory(prefix="tripwire-doctor-") as directory:
        made = Canary(Path(directory).resolve())
        (made.root / ".tripwires").mkdir()
        rule = f'triggers: ["{FILE}"]\ncontext: "{made.token}"\ncreated_by: human\nrepeat: always\n'
        (made.root / ".tripwires" / "canary.yml").write_text(rule, "utf-8")
        (made.root / FILE).write_text("canary\n", "utf-8")
        yield made
