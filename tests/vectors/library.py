"""The `library` kind of the flow vectors: wrapped functions under a real Guard."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tripwire.doors.library import Answer, Guard
from tripwire.model.policy import Policy
from tripwire.model.verdict import Action, Question

SOURCE = "tools"


def play(given: Mapping[str, Any], home: Path, policy: Policy) -> dict[str, Any]:
    """What was asked, what ran, which labels are held, and the last verdict's action."""
    return _Script(home, policy).play(given["script"])


class _Script:
    def __init__(self, home: Path, policy: Policy) -> None:
        self.asked: list[int] = []
        self.ran: list[int] = []
        self.at = 0
        self.answer = Answer.NO
        self.guard = Guard(policy, on_ask=self._on_ask, journal=home)

    def play(self, script: list[dict[str, Any]]) -> dict[str, Any]:
        for self.at, step in enumerate(script):
            self._step(step)
        return {
            "asked": self.asked,
            "ran": self.ran,
            "labels": {label.value for label in self.guard.labels},
            "last": self._last(),
        }

    def _last(self) -> Action:
        """How the last step fell: it asked, it was refused unasked, or it ran."""
        if self.at in self.asked:
            return Action.ASK
        return Action.ALLOW if self.at in self.ran else Action.BLOCK

    def _on_ask(self, question: Question) -> Answer:
        del question
        self.asked.append(self.at)
        return self.answer

    def _step(self, step: dict[str, Any]) -> None:
        match step["do"]:
            case "user_said":
                self.guard.user_message(step["text"])
            case "after":
                self.guard.observe(step["tool"], step["args"], step["result"], source=SOURCE)
            case "call":
                self.answer = Answer(step.get("answer", "no"))
                self._call(step)
            case other:
                raise ValueError(f"unknown step {other!r}")

    def _call(self, step: dict[str, Any]) -> None:
        args = {key: _built(value) for key, value in step["args"].items() if key != "$kwargs"}
        args |= step["args"].get("$kwargs", {})
        function = self.guard.tool(name=step["tool"], source=SOURCE)(self._function(step))
        answer = function(**args)
        if hasattr(answer, "__next__"):
            list(answer)

    def _function(self, step: dict[str, Any]) -> Callable[..., Any]:
        if "yields" in step:

            def yielding(**kwargs: Any) -> Any:
                del kwargs
                self.ran.append(self.at)
                yield from step["yields"]

            return yielding

        def function(**kwargs: Any) -> str:
            del kwargs
            self.ran.append(self.at)
            return "ok"

        return function


def _built(value: Any) -> Any:
    if isinstance(value, dict) and "$bytes" in value:
        return value["$bytes"].encode()
    return value
