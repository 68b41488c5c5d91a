"""The plain questions that `init` asks on a terminal. Writes nothing."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from tripwire.cli.starter import Answers, Guarded, Server, provenance_of

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which boundaries to set up, and the gateway's answers."""

    gateway: bool
    hooks: bool
    answers: Answers
    read: bool = False


def interview(*, taken: Sequence[str] = ()) -> Wanted:
    """Ask everything; not about servers if their files are `taken`.

    EOFError or KeyboardInterrupt when the person leaves.
    """
    say("Tripwire stands between an agent and what it can reach. A few questions;")
    say("Enter takes the answer in capitals, ^C stops and writes nothing.")
    if taken:
        say(f"No question about MCP servers: {', '.join(taken)} is there already; see --force.")
    gateway = not taken and yes("Does the agent use MCP servers that Tripwire should guard?", True)
    answers = ask_gateway() if gateway else Answers()
    hooks = yes("Guard Claude Code's own tools (files, shell, web) in this project?", not gateway)
    return Wanted(gateway, hooks, answers)


def ask_gateway() -> Answers:
    """Servers, guarded tools, goal, review."""
    servers: list[Server] = []
    while not servers or yes("Another server?", False):
        servers.append(_server({server.name.casefold() for server in servers}))
    guarded: list[Guarded] = []
    for server in servers:
        guarded += _guarded(server.name)
    if not guarded:
        return Answers(tuple(servers))
    goal = yes("Must the user have said what they want before such a call?", False)
    review = yes("Check such calls a second time against what was read (offline, no model)?", True)
    return Answers(tuple(servers), tuple(guarded), goal, review)


def say(words: str) -> None:
    """A line of the conversation, on stderr: stdout is for the result."""
    sys.stderr.write(f"{words}\n")


def ask(question: str, default: str = "") -> str:
    """One line of answer."""
    shown = f" [{default}]" if default else ""
    sys.stderr.write(f"{question}{shown} ")
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.strip() or default


def yes(question: str, default: bool) -> bool:  # noqa: FBT001  # reads as a question
    """A yes or no."""
    while True:
        answer = ask(f"{question} ({'Y/n' if default else 'y/N'})").lower()
        if not answer:
            return default
        if answer in ("y", "yes"):
            return True
        if answer in ("n", "no"):
            return False
        say("Please answer y or n.")


def _server(taken: set[str]) -> Server:
    while not NAME.fullmatch(name := ask("A short name for the server:")) or (
        name.casefold() in taken | {"tripwire"}
    ):
        say("Letters, digits and `-`; each name once, and not `tripwire`.")
    command = _command()
    if yes("Can people outside your team write what it returns (mail, pages, documents)?", True):
        trust = "untrusted"
    elif yes("Is it a system of record that only your own systems write into?", False):
        trust = "trusted"
    else:
        trust = "member"
    return Server(name, command, trust)


def _command() -> tuple[str, ...]:
    while True:
        line = ask("The command that starts it, as you would type it:")
        try:
            words = tuple(shlex.split(line))
        except ValueError:
            say("A quote is not closed.")
            continue
        if words:
            return words
        say("It needs a command.")


def _guarded(server: str) -> list[Guarded]:
    found = []
    say(f'Which tools of "{server}" pay, send or delete something? (like send_*; Enter: none)')
    for tool in ask("Tools:").replace(",", " ").split():
        say(f"Which inputs of {tool} must be right? (like recipient, amount;")
        say("Enter: ask me before every call)")
        inputs = ask("Inputs:").replace(",", " ").split()
        shown = tool if "__" in tool else f"{server}__{tool}"
        found.append(Guarded(shown, {name: provenance_of(name) for name in inputs}))
    return found
