"""Which value came from where, and what a trusted result may vouch for (gateway.md §3.4).

Does not decide: guards ask `lookup`, and act/rules/sensitive_params judges the answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from tripwire.model.event import ToolCall, ToolResult
from tripwire.model.label import Trust
from tripwire.model.policy import ToolOptions


@dataclass(slots=True)
class Provenance:
    """Value → origins and state; a fold over results, calls and the user's words."""

    def learn_result(
        self,
        event: ToolResult,
        receipt: int,
        *,
        trust: Trust,
        options: ToolOptions,
        effect: str,
        locale: str,
    ) -> None:
        """Take in what a call gave back (P-1); an error result teaches nothing."""

    def learn_call(self, event: ToolCall, *, effect: str, trust: Trust) -> None:
        """Remember what the agent supplied in a call that was let through (P-9)."""

    def learn_user(self, text: str, receipt: int) -> None:
        """The user's own words are trusted evidence (I-1)."""

    def snapshot(self) -> object:
        """A comparable copy."""
        return ()
