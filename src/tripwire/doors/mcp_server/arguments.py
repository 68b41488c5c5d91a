"""Arguments of the file server's tools: their schemas, and raw JSON → typed (read.md §4.1).

Strict: a wrong type, a missing key and a key that no tool knows are refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tripwire.errors import MalformedInput

Level = Literal["info", "warning", "high", "critical"]
Path = Annotated[str, Field(description="Path, relative to the project root or absolute.")]
Name = Annotated[str, Field(description="Name of the tripwire.")]
Reason = Annotated[str | None, Field(description="Why; it is recorded.")]


class Arguments(BaseModel):
    """Base of all: no conversion, no further keys."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ReadFile(Arguments):
    """read_file."""

    path: Path
    offset: Annotated[int | None, Field(ge=1, description="First line to read, 1-based.")] = None
    limit: Annotated[int | None, Field(ge=1, description="Number of lines to read.")] = None


class MatchContent(Arguments):
    """`match_content` of a tripwire."""

    regex: Annotated[list[str] | None, Field(description="RE2 patterns.")] = None
    keywords: Annotated[list[str] | None, Field(description="Literal words, any case.")] = None
    semantic: Annotated[str | None, Field(description="A sentence to be similar to.")] = None
    mode: Literal["any", "all"] | None = None


class CreateTripwire(Arguments):
    """create_tripwire."""

    name: Name
    triggers: Annotated[list[str], Field(description="Globs; `!` at the start negates.")]
    context: Annotated[str, Field(description="What to know about the matching files.")]
    severity: Level | None = None
    learned_from: Annotated[str | None, Field(description="What taught you this.")] = None
    tags: list[str] | None = None
    depends_on: Annotated[list[str] | None, Field(description="Names shown along.")] = None
    expires: Annotated[str | None, Field(description="YYYY-MM-DD or a date-time.")] = None
    match_content: MatchContent | None = None
    force: Annotated[bool, Field(description="Replace an existing one.")] = False


class EditTripwire(Arguments):
    """edit_tripwire: only the keys that are given change."""

    name: Name
    triggers: list[str] | None = None
    context: str | None = None
    severity: Level | None = None
    learned_from: str | None = None
    tags: list[str] | None = None
    depends_on: list[str] | None = None
    expires: str | None = None
    match_content: MatchContent | None = None


class ListTripwires(Arguments):
    """list_tripwires."""

    path: Annotated[str | None, Field(description="Only those that match this path.")] = None
    tag: str | None = None
    severity: Level | None = None


class OnePath(Arguments):
    """check_tripwires, explain, list_directory, file_stat."""

    path: Path


class NamedTripwire(Arguments):
    """deactivate_tripwire, reactivate_tripwire."""

    name: Name
    reason: Reason = None


class SearchFiles(Arguments):
    """search_files."""

    pattern: Annotated[str, Field(description="A glob over project paths, e.g. `src/**/*.ts`.")]


TOOLS: Mapping[str, tuple[type[Arguments], str]] = {
    "read_file": (
        ReadFile,
        "Read a file of the project. What the team knows about the file comes first.",
    ),
    "create_tripwire": (
        CreateTripwire,
        "Record a lesson about some paths, so that every agent that touches them sees it.",
    ),
    "list_tripwires": (ListTripwires, "List the project's tripwires."),
    "check_tripwires": (OnePath, "Which tripwires a path would fire."),
    "explain": (OnePath, "What would be shown for a path, and why, as JSON."),
    "deactivate_tripwire": (NamedTripwire, "Switch a tripwire off."),
    "edit_tripwire": (EditTripwire, "Change a tripwire; only the keys that are given change."),
    "reactivate_tripwire": (NamedTripwire, "Switch a tripwire on again."),
    "list_directory": (OnePath, "Names in a directory of the project."),
    "file_stat": (OnePath, "Type, size and times of a file or directory of the project."),
    "search_files": (SearchFiles, "Files of the project that match a glob."),
}
"""Tool → its arguments and what it does, in the order of tools/list."""

READING = frozenset(TOOLS) - {
    "create_tripwire",
    "deactivate_tripwire",
    "edit_tripwire",
    "reactivate_tripwire",
}
"""Tools that change nothing (the `readOnlyHint` of MCP)."""


def typed(tool: str, raw: Mapping[str, object]) -> Arguments:
    """The arguments of a known tool. Raises MalformedInput naming each bad key."""
    try:
        return TOOLS[tool][0].model_validate(dict(raw))
    except ValidationError as problem:
        faults = [_fault(error["loc"], error["type"], error["msg"]) for error in problem.errors()]
        raise MalformedInput("; ".join(dict.fromkeys(faults))) from None


def schema(tool: str) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments, without generated titles."""
    made = TOOLS[tool][0].model_json_schema()
    inner = made.pop("$defs", {})
    made.pop("description", None)
    plain = _plain(made, inner)
    assert isinstance(plain, dict)  # noqa: S101 - an object schema stays one
    return plain


def _plain(value: object, inner: Mapping[str, object]) -> object:
    """References resolved, titles dropped, `T | null` written as T."""
    if isinstance(value, list):
        return [_plain(item, inner) for item in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return _plain(inner[str(value["$ref"]).rsplit("/", 1)[-1]], inner)
    if isinstance(value.get("anyOf"), list):
        options = [option for option in value["anyOf"] if option != {"type": "null"}]
        rest = {k: v for k, v in value.items() if k not in ("anyOf", "default")}
        merged = _plain(options[0], inner)
        assert isinstance(merged, dict)  # noqa: S101 - an option is a schema
        return {**merged, **{k: _plain(v, inner) for k, v in rest.items() if k != "title"}}
    return {
        key: _plain(item, inner)
        for key, item in value.items()
        if key != "title" or not isinstance(item, str)
    }


def _fault(loc: tuple[int | str, ...], kind: str, message: str) -> str:
    key = ".".join(map(str, loc))
    if kind == "extra_forbidden":
        return f'unknown argument "{key}"'
    if kind == "missing":
        return f'argument "{key}" is missing'
    text = message.removeprefix("Input ")
    return f'argument "{key}" {text[:1].lower()}{text[1:]}'
