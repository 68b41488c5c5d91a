"""What the user wants: their words, the declared goals, and when a goal changed (gateway.md §3.5)."""

from __future__ import annotations

from dataclasses import dataclass

from tripwire.model.event import IntentDeclared


@dataclass(slots=True)
class Goals:
    """Goals in the order they were stated."""

    def user_said(self, text: str, receipt: int, person: bool) -> None:  # noqa: FBT001 - agreed contract
        """The user's words: the primary goal if a person typed them (I-1)."""

    def declared(self, event: IntentDeclared, receipt: int, after_untrusted: bool) -> None:  # noqa: FBT001 - agreed contract
        """The agent reports its goal (I-2, I-3)."""

    def snapshot(self) -> object:
        """A comparable copy."""
        return ()
