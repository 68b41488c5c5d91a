"""What verbs print: text (rich on a terminal, plain when piped) or one JSON object.

stdout is the result, stderr is messages (`tripwire: …`). Nothing here decides anything.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tripwire.errors import PolicyErrors, TripwireError

if TYPE_CHECKING:
    from rich.console import Console


def rich_wanted() -> bool:
    """Whether stdout is a terminal that wants colour (`NO_COLOR` and pipes do not)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


@cache
def console() -> Console:
    """The rich console of this process; plain and 100 wide when piped."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 100, highlight=False, soft_wrap=False)


def line(words: str = "", *, style: str = "") -> None:
    """One line of result; `style` (rich: "bold", "red", …) shows on a terminal only."""
    shown = harmless(words)
    if style and rich_wanted():
        console().print(shown, style=style, markup=False, soft_wrap=True)
    else:
        sys.stdout.write(f"{shown}\n")


def harmless(words: str) -> str:
    """The words with every character that a terminal would obey or hide spelt out.

    Names and last words come from servers and agents; tabs and line ends stay.
    """
    if words.isprintable():
        return words
    return "".join(c if c.isprintable() or c in "\t\n" else f"\\u{ord(c):04x}" for c in words)


def text(words: str) -> None:
    """Some lines of result, exactly as they are."""
    sys.stdout.write(words if words.endswith("\n") else f"{words}\n")


def mark(*, good: bool, words: str) -> None:
    """A ✔ or ✘ line."""
    line(f"{'✔' if good else '✘'} {words}", style="green" if good else "bold red")


def warning(words: str) -> None:
    """A line that deserves a look but changes no exit code."""
    line(f"! {words}", style="yellow")


def data(value: Any) -> None:
    """The one JSON object of `--json`."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")


def say(words: str) -> None:
    """A message for people on stderr; every line begins with `tripwire: `."""
    for part in words.splitlines() or [""]:
        sys.stderr.write(f"tripwire: {harmless(part)}\n")


def failure(error: TripwireError, *, as_json: bool) -> int:
    """Report an error that ends a verb; returns its exit code, 2."""
    say(str(error))
    if as_json:
        parts = error.problems if isinstance(error, PolicyErrors) else (error,)
        listed = [{"what": e.what, "where": e.where, "fix": e.fix} for e in parts]
        data({"ok": False, "error": listed[0], "errors": listed})
    return 2


def own_name() -> str:
    """How to call this Tripwire in the same shell: `tripwire`, or its path if not on PATH."""
    script = Path(sys.executable).with_name("tripwire")
    found = shutil.which("tripwire")
    if not script.is_file() or (found and Path(found).resolve() == script.resolve()):
        return "tripwire"
    try:
        return str(script.relative_to(Path.cwd()))
    except ValueError:
        return str(script)


def forget_stdout() -> None:
    """After the reader of a pipe went away: let the interpreter exit without a traceback."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def quiet() -> Iterator[None]:
    """Let another verb's result lines go nowhere; its messages and errors stay."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):  # noqa: PTH123
        yield
