"""`tripwire demo`: one poisoned invoice, three runs, no network, no keys."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.errors import UsageError

if TYPE_CHECKING:
    from tripwire.demo.agent import Step
    from tripwire.demo.story import Run

_OPENING = (
    "An agent is asked to pay Lumen Paper's invoice #4417. Somebody wrote into the invoice that "
    "the account has changed. Vendors, documents and payments are real MCP servers; the agent is "
    "a script that believes what it reads."
)
_RULE = 84
"""Columns of a heading."""
_TEXT = 10
"""The column in which the text of a step begins."""
_STYLES = {"refused": "bold red", "guard": "yellow"}


def demo(*, json: Annotated[bool, Parameter(negative="")] = False) -> int:
    """Watch a poisoned invoice fail: real MCP servers, a scripted agent, three runs.

    Exits 1 if a run does not end as it should.

    Args:
        json: Print one JSON object instead of text.

    """
    if importlib.util.find_spec("mcp") is None:
        raise UsageError(
            "the demo's servers need the MCP SDK", fix="Install it: pip install 'tripwire[mcp]'."
        )
    with tempfile.TemporaryDirectory(prefix="tripwire-demo-") as folder:
        return _play(Path(folder), as_json=json)


def _play(folder: Path, *, as_json: bool) -> int:
    from tripwire.demo import story
    from tripwire.io.verify import verify_log

    tell = _Teller(quiet=as_json)
    tell.opening()
    runs = []
    for number, (act, title) in enumerate(_acts(story), start=1):
        tell.heading(number, title)
        run = story.play(act, folder / str(number), tell.step)
        tell.ending(run)
        runs.append(run)
    evidence = _session_of(folder / "3")
    report = verify_log(evidence, keys_dir=folder / "3" / "state" / "keys")
    good = _as_it_should(runs) and report.ok
    if as_json:
        show.data({"ok": good, "runs": [_run_data(run) for run in runs], "verify": report.data()})
    else:
        tell.evidence(evidence, report.text())
        tell.closing(good=good)
    return 0 if good else 1


def _acts(story: Any) -> tuple[tuple[Callable[..., Any], str], ...]:
    return (
        (story.unguarded, "Unguarded: the agent speaks to its servers directly"),
        (story.guarded, "Guarded: the same agent, the same invoice, behind `tripwire run`"),
        (story.guarded_wrong_amount, "Guarded: the right vendor, a plausible wrong amount"),
    )


def _as_it_should(runs: list[Run]) -> bool:
    unguarded, guarded, wrong_amount = runs
    right = [payment["amount"] for run in (guarded, wrong_amount) for payment in run.paid]
    return (
        unguarded.robbed
        and not guarded.robbed
        and not wrong_amount.robbed
        and guarded.refusals == ("provenance_violation",)
        and wrong_amount.refusals == ("consensus_failed",)
        and right == [12480.0, 12480.0]
    )


def _session_of(folder: Path) -> Path:
    return next((folder / "state" / "sessions").iterdir())


def _run_data(run: Run) -> dict[str, Any]:
    return {
        "title": run.title,
        "robbed": run.robbed,
        "paid": list(run.paid),
        "refusals": list(run.refusals),
    }


def folded(words: str, width: int) -> list[str]:
    """The words as lines of at most `width` columns, later ones under the text of the first.

    A step's text begins in column 10, after who acts. Width 0 folds nothing.
    """
    if not width or len(words) <= width:
        return [words]
    under = " " * (_TEXT if words.startswith("   ") else 0)
    lines = textwrap.wrap(
        words,
        width,
        initial_indent="",
        subsequent_indent=under,
        drop_whitespace=True,
        break_long_words=True,
        break_on_hyphens=False,
    )
    return lines or [words]


class _Teller:
    """Prints the story: colour on a terminal, plain text when piped, nothing for `--json`."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        terminal = sys.stdout.isatty()
        self._width = max(40, shutil.get_terminal_size().columns) if terminal else 0
        """Columns to fold at; 0 folds nothing: a pipe gets each step as one line."""

    def _line(self, words: str = "", style: str = "") -> None:
        if self._quiet:
            return
        for part in folded(words, self._width):
            show.line(part, style=style)

    def opening(self) -> None:
        """What the reader is about to see."""
        self._line()
        self._line("Tripwire demo: one poisoned invoice, three runs", "bold")
        for line in textwrap.wrap(_OPENING, min(self._width or _RULE, _RULE)):
            self._line(line)

    def heading(self, number: int, title: str) -> None:
        """The title of one run."""
        self._line()
        self._rule(f"{number}. {title}")

    def _rule(self, title: str) -> None:
        line = f"── {title} "
        wide = min(self._width or _RULE, _RULE)
        self._line(line + "─" * max(0, wide - len(line)), "bold cyan")

    def step(self, step: Step) -> None:
        """One step of a run."""
        words = f"   {step.who:<6} {step.text}"
        if step.outcome:
            words += f"  → {step.outcome}"
        self._line(words, _STYLES.get(step.outcome, _STYLES.get(step.who, "")))

    def ending(self, run: Run) -> None:
        """Where the money went."""
        for payment in run.paid:
            whose = "the ATTACKER" if run.robbed else "Lumen Paper"
            sum_ = f"{payment['amount']:,.2f} {payment['currency']}"
            style = "bold red" if run.robbed else "bold green"
            self._line(f"   money  {sum_} went to {whose} ({payment['recipient']})", style)

    def evidence(self, session: Path, report: str) -> None:
        """The audit of the last run, and its verification."""
        from tripwire.cli.logs import log_text

        self._line()
        self._rule("The record of run 3, and its verification")
        for line in (log_text(session) + "\n" + report).splitlines():
            self._line(f"   {line}")

    def closing(self, *, good: bool) -> None:
        """What to do next."""
        self._line()
        if good:
            self._line(
                "The attack worked unguarded and failed twice behind Tripwire.", "bold green"
            )
            self._line(f"Guard your own servers: {show.own_name()} init")
        else:
            self._line("A run did not end as it should; please report it.", "bold red")
