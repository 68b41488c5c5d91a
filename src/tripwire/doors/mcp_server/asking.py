"""What the file server asks a person through the client, and how the answer is read (CTX-39, A-1).

One boolean, `approve`. Only the client's own elicitation reaches a person: nothing in the arguments
of a call can be taken for an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

FORM: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "approve": {"type": "boolean", "title": "Approve", "description": "Let this happen once."}
    },
    "required": ["approve"],
}
"""The form that the client shows: a flat object, as MCP demands."""

LONGEST: Final = 16_000
"""Characters of a question that a person can be expected to read."""


def readable(question: str) -> bool:
    """Whether it can be shown whole: nobody may approve what was not shown."""
    return len(question) <= LONGEST


def said_yes(action: object, content: object) -> bool:
    """Whether a person accepted and ticked the box; everything else is a no."""
    return action == "accept" and isinstance(content, Mapping) and content.get("approve") is True
