"""Parses a command line with cyclopts and turns every error into a message and an exit code."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from importlib.metadata import version

from cyclopts import App, Parameter
from cyclopts.exceptions import CycloptsError

from tripwire.cli import show
from tripwire.config.suggest import nearest
from tripwire.errors import TripwireError, UsageError

Verbs = Mapping[str, tuple[str, str, str]]

INTERRUPTED = 130
"""The shell's exit code of a command that ^C ended."""


def run(words: list[str], verbs: Verbs) -> int:
    """Run the command line `words`; never raises."""
    try:
        return _flushed(_run(words, verbs))
    except TripwireError as error:
        return show.failure(error, as_json="--json" in words)
    except KeyboardInterrupt:
        show.say("stopped")
        return INTERRUPTED
    except BrokenPipeError:
        show.forget_stdout()
        return 0
    except OSError as problem:  # of a file that a verb did not expect to fail
        return show.failure(_refused(problem), as_json="--json" in words)
    except Exception as bug:  # the last word of the program; its message may hold a secret
        if os.environ.get("TRIPWIRE_DEBUG"):
            raise
        show.say(f"internal error: {type(bug).__name__}; set TRIPWIRE_DEBUG=1 to see where")
        return 2


def _flushed(code: int) -> int:
    """`code`, once the text is out: here a reader that went away is expected, at exit it is not."""
    sys.stdout.flush()
    return code


def _run(words: list[str], verbs: Verbs) -> int:
    if words[:1] in (["--version"], ["-V"]):
        show.line(f"tripwire {version('tripwire')}")
        return 0
    if not words or words[0] in ("--help", "-h", "help"):
        show.text(overview(verbs))
        return 0 if words else 2
    if words[0] not in verbs:
        raise UsageError(f'no verb "{words[0]}"', fix=_nearest(words[0], verbs))
    return call(words[0], words[1:], verbs)


def call(verb: str, words: list[str], verbs: Verbs) -> int:
    """Parse the words after `verb` and run it."""
    app = verb_app(verb, verbs)
    try:
        code = app(words, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        what = " ".join(str(error).split()).rstrip(".?")
        end = "?" if "Did you mean" in what else ""
        raise UsageError(
            what[:1].lower() + what[1:] + end,
            where=verb,
            fix=f"`tripwire {verb} --help` says more.",
        ) from None
    return code if isinstance(code, int) else 0


def verb_app(verb: str, verbs: Verbs) -> App:
    """The cyclopts application of one verb; only that verb's module is imported."""
    module, function, _ = verbs[verb]
    app = App(
        name=f"tripwire {verb}",
        help_format="plaintext",
        version_flags=(),
        console=show.console(),
        help_formatter="default" if show.rich_wanted() else "plain",
        default_parameter=Parameter(negative="", show_default=False),
    )
    app["--help"].show = False
    app.default(getattr(importlib.import_module(module), function))
    return app


def _refused(problem: OSError) -> UsageError:
    """What the system refused, with the file it is about."""
    return UsageError(
        (problem.strerror or type(problem).__name__).lower(),
        where=str(problem.filename or ""),
        fix="Check that it exists and that you may read and write it.",
    )


def overview(verbs: Verbs) -> str:
    """What `tripwire --help` prints."""
    width = max(map(len, verbs)) + 2
    rows = "".join(f"  {name:<{width}}{verbs[name][2]}\n" for name in verbs)
    return (
        "Usage: tripwire VERB [OPTIONS]\n\n"
        "The guard that an AI agent runs behind: what it reads, what it does, what it says.\n\n"
        f"{rows}"
        f"  {'hook':<{width}}What an agent client calls; `install` writes it.\n\n"
        "`tripwire VERB --help` explains one verb. `tripwire --version` prints the version.\n"
        "Exit codes: 0 good, 1 a finding or a negative verdict, 2 usage or configuration error.\n"
    )


def _nearest(verb: str, verbs: Verbs) -> str:
    near = nearest(verb, [*verbs, "hook"])
    return f'did you mean "{near}"?' if near else "`tripwire --help` lists the verbs."
