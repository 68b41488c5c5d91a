"""Content conditions: what the text of a file must hold for a tripwire to fire (CTX-17).

Whatever could not be examined counts as met: advice too many is the safe direction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import re2

from tripwire.model.tripwire import ContentCondition, FileAccess
from tripwire.text.well_formed import well_formed

MATCHED, NOT_EXAMINED = "matched", "not_examined"
_MULTI_LINE = "(?m)"

Similar = Callable[[str, str], bool]
"""Whether a text (second) is about what a sentence (first) says; the optional semantic model."""


def examine(
    condition: ContentCondition, access: FileAccess, similar: Similar | None = None
) -> str | None:
    """`matched`, `not_examined`, "" if no condition is left to decide, None if it is not met."""
    if not (condition.regex or condition.keywords or similar):
        return ""  # a sentence that nobody can compare: the path alone decides
    if access.missing:
        return None
    if access.content is None:
        return NOT_EXAMINED
    text = well_formed(access.content)
    try:
        held = (all if condition.mode == "all" else any)(_answers(condition, text, similar))
    except re2.error:
        return NOT_EXAMINED
    return MATCHED if held else None


def _answers(condition: ContentCondition, text: str, similar: Similar | None) -> Iterator[bool]:
    """One answer per condition, the cheap ones first."""
    if condition.keywords:
        folded = text.casefold()
        yield from (keyword.casefold() in folded for keyword in condition.keywords)
    for pattern in condition.regex:
        yield bool(_compiled(pattern).search(text))
    if condition.semantic and similar is not None:
        yield similar(condition.semantic, text)


def regex_fault(pattern: str) -> str:
    """Why RE2 refuses a pattern, "" if it does not."""
    try:
        _compiled(pattern)
    except re2.error as error:
        reason = error.args[0] if error.args else error
        told = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        return told.replace(_MULTI_LINE, "", 1)
    return ""


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    return re2.compile(f"{_MULTI_LINE}{pattern}", options)
