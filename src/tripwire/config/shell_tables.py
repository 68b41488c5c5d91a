"""Reads the packaged tables of programs, `presets/shell.yaml`, into typed values.

Every key is checked: a misspelt table would silently make programs unknown or, worse, local.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from tripwire.errors import PolicyError
from tripwire.model.shell_tables import ShellTables, Wrapper

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FILE = "shell.yaml"
_LISTS = ("local", "silent", "runners", "package_runners", "shown_variables")
_BY_WORD = ("egress", "programs", "environment", "python_modules")
_BY_PROGRAM = ("values", "sends")
_KEYS = frozenset({*_LISTS, *_BY_WORD, *_BY_PROGRAM, "wrappers", "subcommands", "markers"})
_WRAPPER_KEYS = frozenset({"values", "skip", "assigns"})
_KINDS = frozenset({"url", "host", "remote", "mail", "dns", "database", "socket", "other"})
_EFFECTS = frozenset(
    {"local", "read", "untrusted", "secret", "index", "public", "external", "internal",
     "privileged", "destructive", "exec", "opaque", "run", "text", "skip", "writes", "build",
     "access"}
)  # fmt: skip


@cache
def load_shell_tables() -> ShellTables:
    """The tables shipped with Tripwire (flow.md SH-4, SH-9 and the tables of §3.6)."""
    text = files("tripwire.config.presets").joinpath(_FILE).read_text("utf-8")
    return tables_from(yaml.load(text, Loader=_LOADER))  # noqa: S506


def tables_from(data: Mapping[str, Any]) -> ShellTables:
    """Typed tables; PolicyError names the key that is wrong."""
    _known(data, _KEYS, "")
    return ShellTables(
        local=_words(data, "local"),
        silent=_words(data, "silent"),
        runners=_words(data, "runners"),
        package_runners=_words(data, "package_runners"),
        shown_variables=_words(data, "shown_variables"),
        egress=_inverted(data, "egress", _KINDS.__contains__),
        programs=_inverted(data, "programs", _is_effect),
        environment=_inverted(data, "environment", {"command", "code", "endpoint"}.__contains__),
        python_modules=_inverted(data, "python_modules", lambda _: True),
        wrappers={name: _wrapper(name, item) for name, item in _map(data, "wrappers").items()},
        values={name: _set(item, f"values.{name}") for name, item in _map(data, "values").items()},
        sends={name: _set(item, f"sends.{name}") for name, item in _map(data, "sends").items()},
        subcommands={
            name: _subcommands(name, table) for name, table in _map(data, "subcommands").items()
        },
        markers={
            kind: tuple(sorted(_set(item, f"markers.{kind}")))
            for kind, item in _map(data, "markers").items()
        },
    )


def _is_effect(text: str) -> bool:
    return set(text.split()) <= _EFFECTS


def _known(data: Mapping[str, Any], keys: frozenset[str], where: str) -> None:
    for key in data:
        if key not in keys:
            raise PolicyError(
                f"unknown key {key!r}",
                where=f"{_FILE} {where}".strip(),
                fix=f"Known keys: {', '.join(sorted(keys))}.",
            )


def _map(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key, {})
    if not isinstance(value, Mapping):
        raise PolicyError(f"{key} is not a mapping", where=_FILE)
    return value


def _set(value: object, where: str) -> frozenset[str]:
    if value is None:
        return frozenset()
    if not isinstance(value, str):
        raise PolicyError(f"{where} is not a list of words", where=_FILE)
    return frozenset(value.split())


def _words(data: Mapping[str, Any], key: str) -> frozenset[str]:
    return _set(data.get(key, ""), key)


def _inverted(data: Mapping[str, Any], key: str, valid: Callable[[str], bool]) -> dict[str, str]:
    found: dict[str, str] = {}
    for kind, words in _map(data, key).items():
        if not valid(kind):
            raise PolicyError(f"unknown kind {kind!r}", where=f"{_FILE} {key}")
        found.update(dict.fromkeys(_set(words, f"{key}.{kind}"), kind))
    return found


def _wrapper(name: str, item: object) -> Wrapper:
    if not isinstance(item, Mapping):
        raise PolicyError(f"{name} is not a mapping", where=f"{_FILE} wrappers")
    _known(item, _WRAPPER_KEYS, f"wrappers.{name}")
    skip, assigns = item.get("skip", 0), item.get("assigns", False)
    if not isinstance(skip, int) or not isinstance(assigns, bool):
        raise PolicyError(
            "skip is a number, assigns true or false", where=f"{_FILE} wrappers.{name}"
        )
    return Wrapper(_set(item.get("values", ""), f"wrappers.{name}"), skip, assigns)


def _subcommands(name: str, table: object) -> dict[str, str]:
    """Effect words → subcommands, turned round; `~` stands between the words of one subcommand."""
    if not isinstance(table, Mapping):
        raise PolicyError(f"{name} is not a mapping", where=f"{_FILE} subcommands")
    found: dict[str, str] = {}
    for effect, words in table.items():
        if effect == "*":
            found["*"] = str(words)
            continue
        if not _is_effect(effect):
            raise PolicyError(f"unknown effect {effect!r}", where=f"{_FILE} subcommands.{name}")
        for word in _set(words, f"subcommands.{name}"):
            found[word.replace("~", " ")] = effect
    if not _is_effect(found.get("*", "")):
        raise PolicyError(f"unknown effect {found['*']!r}", where=f"{_FILE} subcommands.{name}")
    return found
