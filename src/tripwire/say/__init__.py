"""What a model may say: the stream guard, the review of a reply, life cycles (say.md §4.1).

The modules of this room are pure; what is offered here is `doors/say_library`, loaded when a
name is first asked for: `from tripwire.say import create_streaming_guard`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_ERRORS = ("TripwireAbort", "StreamFinished", "InputTooLarge", "UnknownAction")
_NAMES = (
    "BUILTIN",
    "BUSINESS_LEAK_PATTERN",
    "COMMISSION_PATTERN",
    "CONTACT_LEAK_PATTERN",
    "EMAIL_PATTERN",
    "MARKDOWN_PATTERN",
    "PHONE_PATTERN",
    "PLACEHOLDER_CUID_PATTERN",
    "PLACEHOLDER_NAME_PATTERN",
    "PLACEHOLDER_PRICE_PATTERN",
    "PLACEHOLDER_VAR_PATTERN",
    "PRICE_DISCOUNT_COMMIT_PATTERN",
    "PRICE_FINAL_COMMIT_PATTERN",
    "SECRET_LEAK_PATTERN",
    "ReplyCheck",
    "StreamingGuard",
    "check_response",
    "create_streaming_guard",
    "next_builder_status",
    "next_project_status",
    "reason_required",
    "validate_builder_transition",
    "validate_project_transition",
)


def __getattr__(name: str) -> Any:
    if name in _ERRORS:
        return getattr(import_module("tripwire.errors"), name)
    if name in _NAMES:
        return getattr(import_module("tripwire.doors.say_library"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_ERRORS, *_NAMES])
