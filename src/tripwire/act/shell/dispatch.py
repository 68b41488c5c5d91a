"""From a program word to the function that knows the program; an unknown one is opaque (SH-9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tripwire.act.shell import salvage
from tripwire.act.shell.programs import (
    builtins,
    files,
    git,
    interpreters,
    network,
    tables,
    tools,
    wrappers,
)
from tripwire.act.shell.text import HOLE, known

if TYPE_CHECKING:
    from collections.abc import Callable

    from tripwire.act.shell.call import Call
    from tripwire.model.shell_tables import ShellTables

_HANDLERS: dict[str, Callable[[Call], str | None]] = {
    **builtins.HANDLERS,
    **wrappers.HANDLERS,
    **interpreters.HANDLERS,
    **files.HANDLERS,
    **git.HANDLERS,
    **network.HANDLERS,
    **tools.HANDLERS,
}
_PROGRAM_PLACES = ("/bin/", "/sbin/", "/usr/", "/opt/", "/snap/", "/nix/")
_NO_PROGRAM = frozenset({"}", "{", "!", "then", "do", "else", "fi", "done", "esac", "in", ""})


def dispatch(call: Call) -> str | None:
    """Effects of one simple command whose words are resolved."""
    word = call.name
    if word in _NO_PROGRAM:
        return _reserved(call)
    if HOLE in word:
        return _computed(call)
    if "/" in word:
        return _by_path(call)
    written = _on_changed_path(call)
    if written is not None:
        return builtins.run_file(call, written, call.args)
    return by_name(call)


def by_name(call: Call) -> str | None:
    """A program found on the PATH."""
    name, known_programs = call.name, call.tables
    call.sink.programs[name] = None
    if name not in _HANDLERS and name.lower() in _HANDLERS:
        call = call._replace(name=name.lower())
        name = call.name
    handler = _HANDLERS.get(name) or _versioned(name)
    if handler is not None and name not in known_programs.egress:
        return handler(call)
    if name == "exec":
        return wrappers.wrapped(call, known_programs.wrappers["exec"])
    if name in known_programs.egress:
        return network.egress(call)
    if name in known_programs.package_runners:
        return tables.runner_of_packages(call)
    if name in known_programs.subcommands:
        return _with_subcommands(call)
    if name in known_programs.wrappers:
        return wrappers.wrapped(call, known_programs.wrappers[name])
    if name in known_programs.programs:
        return tables.by_words(call)
    if name in known_programs.local or name in known_programs.silent:
        return files.local(call)
    return _unknown(call)


def _with_subcommands(call: Call) -> str | None:
    words = [word for word in call.args if not word.startswith("-")]
    if call.name in ("gh", "glab", "hub") and "api" in words[:2]:
        return tables.api(call)
    return tables.by_subcommand(call)


def _versioned(name: str) -> Callable[[Call], str | None] | None:
    """`python3.11`, `ruby3.2`, `perl5.36`."""
    stem = name.rstrip("0123456789.")
    if stem != name and stem in ("python", "pypy", "ruby", "perl", "php", "lua", "node", "bash"):
        return _HANDLERS[stem]
    return None


def _reserved(call: Call) -> str | None:
    """A reserved word as a program: the grammar lost its structure, what follows is a command."""
    if call.args:
        return call.run(call.args)
    return ""


def _computed(call: Call) -> str | None:
    call.opaque("the program is computed")
    guess = known(call.name)
    if guess and is_known(guess.rpartition("/")[2], call.tables):
        call.run([guess, *call.args])
    _later_programs(call)
    return None


def is_known(name: str, known_programs: ShellTables) -> bool:
    """Whether the classifier knows the program beyond its being local."""
    return name in known_programs.egress or name in known_programs.subcommands or name in _HANDLERS


def _by_path(call: Call) -> str | None:
    paths = call.scope.paths(call.name)
    base = wrappers.basename(call.name)
    if any(path in call.scope.files for path in paths):
        call.sink.programs[call.name] = None
        _by_base(call, base)
        return builtins.run_file(call, call.name, call.args)
    if all(builtins.inside(path, call) for path in paths):
        call.sink.programs[call.name] = None
        _by_base(call, base)
        return files.local(call)
    if is_known(base, call.tables) or paths[0].startswith(_PROGRAM_PLACES):
        return by_name(call._replace(name=base))
    call.sink.programs[call.name] = None
    call.opaque("a program outside the project")
    _later_programs(call)
    return None


def _by_base(call: Call, base: str) -> None:
    """A file of the project that bears the name of an egress program is taken as that program."""
    if base in call.tables.egress or base in call.tables.wrappers or base in ("sh", "bash", "git"):
        by_name(call._replace(name=base))
    elif base.startswith("python") and call.args:
        by_name(call._replace(name="python"))


def _on_changed_path(call: Call) -> str | None:
    """With `PATH` changed in this line, a file the line wrote may be the program."""
    if "PATH" not in call.scope.vars:
        return None
    return next((path for path in call.scope.files if path.endswith("/" + call.name)), None)


def _unknown(call: Call) -> str | None:
    call.opaque("an unknown program")
    _later_programs(call)
    return None


def _later_programs(call: Call) -> None:
    """An unknown program may be a wrapper: a known egress program or shell later in it counts."""
    for at, word in enumerate(call.args):
        base = word.rpartition("/")[2]
        if base in call.tables.egress or base in ("sh", "bash", "zsh", "git", "gh"):
            call.run(call.args[at:])
            return
    salvage.salvage(" ".join(w for w in call.args if " " in w), call.sink, call.tables)
