"""The `hooks` kind of the flow vectors: a script of hook events through the real door.

Every session starts with the client's own SessionStart, as a real client sends it. The script is
played twice, with one resident door and with a door that starts anew before the last event; the
weaker answer counts.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tripwire.doors.hooks.door import HookDoor
from tripwire.io.daemon import Answer, Request
from tripwire.io.home import session_name
from tripwire.io.policies import Policies
from tripwire.model.policy import Policy
from tripwire.model.verdict import Action

CLIENT = "claude-code"


def play(given: Mapping[str, Any], home: Path, policy: Policy) -> Action:
    """The action of the last event of `given["script"]`; `home` is an empty state root."""
    actions = []
    for name, fresh in (("resident", False), ("restarted", True)):
        root = home / name
        root.mkdir(parents=True)
        actions.append(_Script(root, policy).play(given["script"], restart=fresh))
    return min(actions)


class _Script:
    def __init__(self, root: Path, policy: Policy) -> None:
        self.root = root
        self.policy = policy
        self.door = self._door()
        self.started: set[str] = set()
        self.calls = 0

    def play(self, steps: list[dict[str, Any]], *, restart: bool) -> Action:
        action = Action.ALLOW
        try:
            for number, step in enumerate(steps):
                if restart and number == len(steps) - 1:
                    self.door.close()
                    self.door = self._door()
                for _ in range(int(step.get("repeat", 1))):
                    action = self._step(step)
        finally:
            self.door.close()
        return action

    def _door(self) -> HookDoor:
        load: Callable[[Path], Policy] = lambda _: self.policy  # noqa: E731
        return HookDoor(self.root, Policies(lambda _: (), load))

    def _step(self, step: dict[str, Any]) -> Action:
        session = step["session"]
        if "do" in step:
            self._damage(session_name(CLIENT, session), step)
            return Action.ALLOW
        if session not in self.started:
            self.started.add(session)
            self._send("SessionStart", session, source="startup")
        return action_of(self._send(step["hook"], session, **self._fields(step)))

    def _fields(self, step: dict[str, Any]) -> dict[str, Any]:
        if "tool" not in step:
            return {"prompt": step["prompt"]} if "prompt" in step else {}
        self.calls += 1
        wire = "error" if step["hook"] == "PostToolUseFailure" else "tool_response"
        outcome = {wire: _text(step["result"])} if "result" in step else {}
        return {
            "tool_name": step["tool"],
            "tool_input": {key: _text(value) for key, value in step["args"].items()},
            "tool_use_id": f"toolu_{self.calls}",
            **outcome,
        }

    def _send(self, event: str, session: str, **fields: Any) -> Answer:
        body = {"hook_event_name": event, "session_id": session, "cwd": "/r", **fields}
        raw = json.dumps(body).encode()
        return self.door.answer(Request(CLIENT, "/home/user", "", "/r", raw))

    def _damage(self, name: str, step: dict[str, Any]) -> None:
        directory = self.root / "sessions" / name
        if step["do"] == "delete_session_state":
            shutil.rmtree(directory)
        else:
            (directory / "audit.jsonl").write_text(step["text"], "utf-8")


def _text(value: Any) -> Any:
    if isinstance(value, dict) and "$repeat" in value:
        text, count = value["$repeat"]
        return text * count + value.get("then", "")
    return value


def action_of(answer: Answer) -> Action:
    """What an answer means to the client."""
    if answer.code != 0:
        return Action.BLOCK
    if not answer.out:
        return Action.ALLOW
    wire = json.loads(answer.out)
    word = wire.get("hookSpecificOutput", {}).get("permissionDecision", wire.get("decision", ""))
    return {"ask": Action.ASK, "deny": Action.BLOCK, "block": Action.BLOCK}.get(word, Action.INFORM)
