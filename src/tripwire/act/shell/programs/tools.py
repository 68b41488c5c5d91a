"""Local programs with a way of their own to run or write something: less, cmake, sponge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tripwire.act.shell.programs import files
from tripwire.act.shell.programs.builtins import inside
from tripwire.act.shell.text import HOLE

if TYPE_CHECKING:
    from tripwire.act.shell.call import Call


def pager(call: Call) -> str | None:
    """`less +!command`, `more +!command`."""
    if any(word.startswith(("+!", "+|", "++!", "++|")) for word in call.args):
        call.opaque("a pager runs a command")
    return files.local(call)


def cmake(call: Call) -> str | None:
    """`cmake -P script`: a script outside the project, or written just now, may do anything."""
    for flag, value in zip(call.args, call.args[1:], strict=False):
        if flag == "-P":
            paths = call.scope.paths(value)
            written = any(path in call.scope.files for path in paths)
            if written or HOLE in value or not all(inside(path, call) for path in paths):
                call.opaque("a script outside the project")
    return files.local(call)


def sponge(call: Call) -> str | None:
    """`sponge file`: writes what comes in."""
    for word in call.args:
        if not word.startswith("-"):
            call.writes(word, "sponge", call.stdin)
    return ""


def shown_paths(args: list[str]) -> list[str]:
    """Paths whose content git shows: after `--`, hidden files, `revision:path`."""
    named = args.index("--") if "--" in args else len(args)
    found = []
    for at, word in enumerate(args):
        revision, colon, path = word.partition(":")
        if at > named or (word.startswith(".") and ".." not in word):
            found.append(word)
        elif colon and path and not revision.startswith("-"):
            found.append(path)
    return found


HANDLERS = {"less": pager, "more": pager, "most": pager, "cmake": cmake, "sponge": sponge}
