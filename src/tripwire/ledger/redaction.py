"""Values that the operator's `redact` names: receipts hold commitments in their place (E-6).

Finds the values in a result and where they stand in its texts. Every place where the same value
stands in that result is covered, because a server says it in `content` and `structuredContent`.
Does not cover: true, false and null; object keys; the same value in other calls' receipts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

from tripwire.ledger.receipt import Spans
from tripwire.model.event import ToolResult
from tripwire.text import glob, paths
from tripwire.text.content import documents

_ALONE = 4
"""Characters under which a value is only covered where it stands alone: "7" is in every number."""


def spans_for(event: ToolResult, redact: Iterable[tuple[str, str]]) -> Spans | None:
    """Where the named values of a result stand in a text; None if it has none."""
    wanted = [path for tool, path in redact if _matches(tool, event)]
    if not wanted:
        return None
    forms = {form for value in _values(event.result, wanted) for form in _forms(value)}
    if not forms:
        return None
    alternatives = sorted(forms, key=lambda form: (-len(form), form))
    shape = re.compile("|".join(map(_shape, alternatives)))
    return lambda text, _: [found.span() for found in shape.finditer(text)]


def _matches(tool: str, event: ToolResult) -> bool:
    return glob.match(tool, event.exposed) or glob.match(tool, event.tool)


def _values(result: object, wanted: list[str]) -> Iterator[object]:
    """The scalars under the paths, in each document of the result and in the result itself."""
    for document in (result, *documents(result)):
        for path in wanted:
            for _, value in paths.find(paths.parse(path), document):
                yield from _scalars(paths.opened_json(value))


def _scalars(value: object) -> Iterator[object]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _scalars(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _scalars(item)
    elif isinstance(value, str | int | float | Decimal) and not isinstance(value, bool):
        yield value


def _forms(value: object) -> Iterator[str]:
    """How a value may be written: as it is, and in JSON text."""
    if value == "":
        return
    if isinstance(value, str):
        yield value
        yield json.dumps(value)[1:-1]
        yield json.dumps(value, ensure_ascii=False)[1:-1]
    elif isinstance(value, int | float | Decimal):
        yield str(value)
        yield repr(float(value)) if isinstance(value, Decimal) else repr(value)


def _shape(form: str) -> str:
    literal = re.escape(form)
    return literal if len(form) >= _ALONE else rf"(?<!\w){literal}(?!\w)"
