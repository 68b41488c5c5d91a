"""`upstreams`: which MCP servers stand behind the gateway, and what is known of their tools."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from tripwire.config import keys
from tripwire.config.reading import Section, Value
from tripwire.errors import PolicyError
from tripwire.model.label import Trust
from tripwire.model.policy import ToolOptions, Upstream
from tripwire.text.glob import translate

TRUST = {"trusted": Trust.PLATFORM, "member": Trust.MEMBER, "untrusted": Trust.WORLD}

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}", re.ASCII)
_LOCALE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z]{2,4})?", re.ASCII)
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_DAY_MS = 86_400_000


def upstreams(value: Value | None) -> tuple[Upstream, ...]:
    """All upstreams; names are unique whatever their case."""
    if value is None:
        return ()
    found: list[Upstream] = []
    seen: dict[str, str] = {}
    for entry in value.each():
        one = _upstream(entry.section(keys.UPSTREAM))
        folded = one.name.casefold()
        if folded and folded in seen:
            entry.fail(
                f"its name is taken by {seen[folded]}",
                "names differ in more than case",
            )
        seen.setdefault(folded, entry.path)
        found.append(one)
    if value.node.value == ():
        value.fail("must hold at least one upstream", "add one, or remove the key")
    return tuple(found)


def _upstream(section: Section) -> Upstream:
    tools = section.inner("tools", keys.TOOLS)
    section.word("sharing", ("session", "principal", "process"), "session")
    return Upstream(
        name=_name(section),
        command=_command(section),
        trust=trust(section.get("trust")) or Trust.WORLD,
        timeout_ms=section.whole("timeout_ms", 60_000, least=1, most=_DAY_MS),
        env=_env(section.get("env")),
        cwd=_cwd(section),
        allow=globs(tools.get("allow")),
        deny=globs(tools.get("deny")),
        prefix=section.flag("prefix", default=True),
        locale=_locale(section.get("locale")),
        tool_options=_tool_options(section.get("tool_options")),
        at=section.value.node.place.file_line,
    )


def _name(section: Section) -> str:
    value = section.get("name")
    if value is None:
        if section.usable:
            section.fail("an upstream needs a name", "add `name: …`")
        return ""
    name = value.text()
    if not name:
        return ""
    if not _NAME.fullmatch(name):
        value.fail(
            f"{value.shown()} is no upstream name", "use letters, digits and `-`, at most 64"
        )
        return ""
    if name.casefold() == "tripwire":
        value.fail('"tripwire" is Tripwire\'s own name', "choose another")
        return ""
    return name


def _command(section: Section) -> tuple[str, ...]:
    command, url = section.get("command"), section.value.node.items.get("url")
    if command is None:
        if url is None and section.usable:
            section.fail("needs `command`", "say how the server is started")
        return ()
    if url is not None:
        section.fail("`command` and `url` exclude each other", "keep one")
    more = [value for name in ("args", "argv") if (value := section.get(name)) is not None]
    if len(more) > 1:
        more[1].fail("`args` and `argv` are the same", "keep one")
    words = _words(command)
    if isinstance(command.node.value, tuple) and more:
        more[0].fail(
            "`args` goes with a command written as text", "put the arguments into the list"
        )
    extra = _raw_texts(more[0]) if more else ()
    return _resolved(words, command) + extra if words else ()


def _words(command: Value) -> tuple[str, ...]:
    if isinstance(command.node.value, tuple):
        words = _raw_texts(command)
        if not command.node.value or (words and not words[0].strip()):
            command.fail("must not be empty", "say how the server is started")
            return ()
        return words
    try:
        return tuple(shlex.split(command.text()))
    except ValueError as error:
        command.fail(f"cannot be split: {str(error).lower()}", "close the quote, or write a list")
        return ()


def _raw_texts(value: Value) -> tuple[str, ...]:
    """Arguments: text that may be empty."""
    return tuple(entry.text(empty=True) for entry in value.each())


def _resolved(words: tuple[str, ...], command: Value) -> tuple[str, ...]:
    """A program written as a relative path is found from the file's directory."""
    program = words[0] if words else ""
    if "/" in program and not program.startswith(("/", "~")) and command.node.base:
        return (str(Path(command.node.base, program)), *words[1:])
    if program.startswith("~/"):
        return (str(Path(program).expanduser()), *words[1:])
    return words


def _cwd(section: Section) -> str:
    value = section.get("cwd")
    if value is None:
        return section.value.node.base
    return path_of(value)


def path_of(value: Value) -> str:
    """A path, relative to the file it is written in."""
    text = value.text()
    if not text:
        return ""
    if "\0" in text:
        value.fail("a path cannot hold a NUL character")
        return ""
    return str(Path(value.node.base, Path(text).expanduser()))


def _env(value: Value | None) -> Mapping[str, str]:
    if value is None:
        return {}
    found = {}
    for name, place, entry in value.pairs():
        if not _ENV_NAME.fullmatch(name):
            value.problems.add(place, entry.path, "no name of an environment variable")
        found[name] = entry.text(empty=True)
    return found


def _locale(value: Value | None) -> str:
    if value is None:
        return ""
    text = value.text()
    if text and not _LOCALE.fullmatch(text):
        value.fail(f"{value.shown()} is no locale", "write it like de or en-US")
        return ""
    return text


def trust(value: Value | None) -> Trust | None:
    """A level of trust by the gateway's words."""
    if value is None:
        return None
    raw = value.node.value
    if raw in ("platform", "world"):
        word = "trusted" if raw == "platform" else "untrusted"
        value.fail(
            f"must be one of {', '.join(TRUST)}, not {value.shown()}", f'did you mean "{word}"?'
        )
        return None
    return TRUST.get(value.word(TRUST))


def globs(value: Value | None) -> tuple[str, ...]:
    """Globs on names; broken ones are faults."""
    if value is None:
        return ()
    return tuple(text for entry in value.many() if (text := glob(entry)))


def glob(value: Value) -> str:
    """One glob."""
    text = value.text()
    if text:
        try:
            translate(text)
        except PolicyError as error:
            value.fail_as(error)
            return ""
    return text


def json_path(value: Value) -> str:
    """A JSON path into a result, such as `$.items[*].iban`."""
    text = value.text()
    if text and not (text.startswith(("$.", "$[")) and len(text) > 2):
        value.fail(f"{value.shown()} is no JSON path", "begin it with `$.`, like $.notes")
        return ""
    if text.count("[") != text.count("]"):
        value.fail(f"{value.shown()} is no JSON path", "close the bracket")
        return ""
    return text


def _tool_options(value: Value | None) -> Mapping[str, ToolOptions]:
    if value is None:
        return {}
    found = {}
    for name, place, entry in value.pairs():
        try:
            translate(name)
        except PolicyError as error:
            value.problems.add(place, entry.path, error.what, error.fix)
        found[name] = _options(entry.section(keys.TOOL_OPTIONS))
    return found


def _options(section: Section) -> ToolOptions:
    record_key = section.get("record_key")
    return ToolOptions(
        trust=trust(section.get("trust")),
        trusted_fields=_json_paths(section.get("trusted_fields")),
        untrusted_fields=_json_paths(section.get("untrusted_fields")),
        transforms=section.flag("transforms"),
        effect=section.word("effect", ("read", "write"), ""),
        record_key=json_path(record_key) if record_key is not None else "",
    )


def _json_paths(value: Value | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(path for entry in value.many() if (path := json_path(entry)))
