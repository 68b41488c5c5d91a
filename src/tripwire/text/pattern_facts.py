"""What must be in every text that a pattern matches: a word of it.

Read off the parsed pattern, for patterns that RE2 and `re` read alike. Does not match anything.
"""

from __future__ import annotations

import re._constants as ops  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from typing import Any


def required_words(pattern: str) -> list[str] | None:
    """Words of which every match holds one, as long as they can be told; None if there are none.

    A match may hold them in other case where the pattern ignores case.
    """
    return _required(parser.parse(pattern))


def _required(tree: Any) -> list[str] | None:
    found: list[list[str]] = []
    run = ""
    for op, argument in tree:
        if op is ops.LITERAL:
            run += chr(argument)
            continue
        if run:
            found.append([run])
            run = ""
        inner = _inner(op, argument)
        if inner:
            found.append(inner)
    if run:
        found.append([run])
    return max(found, key=lambda words: min(map(len, words)), default=None)


def _inner(op: Any, argument: Any) -> list[str] | None:
    if op is ops.SUBPATTERN:
        return _required(argument[3])
    if op is ops.MAX_REPEAT and argument[0] >= 1:
        return _required(argument[2])
    if op is ops.BRANCH:
        branches = [_required(branch) for branch in argument[1]]
        if all(branches):
            return [word for words in branches for word in words or ()]
    return None
