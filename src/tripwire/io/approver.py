"""Who may say yes: a person at a terminal, never the agent (gateway.md A-3).

The proof is a controlling terminal and an approver secret typed there; or another OS user than the
one whose state it is. Nothing on the command line, in the environment or in a pipe can be it.

Does not stop: an agent that knows the secret, or that can read the installation's key as the same
OS user; see docs/explanation/what-it-cannot-do.md.
"""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tripwire.errors import TripwireError
from tripwire.io.acceptance import agent_shell
from tripwire.io.tokens import APPROVE, Tokens


class NotAPerson(TripwireError):
    """Whoever asks has not shown to be an approver; `what` says why."""


@dataclass(frozen=True, slots=True)
class Approver:
    """Somebody who may approve. `name` stands in the record: `token:3f9c11aa alice`, `os:0`."""

    name: str
    channel: str


def refuse_agents() -> None:
    """Raises NotAPerson in an agent's shell, without a terminal, or with piped input."""
    fix = "Run it yourself, in a terminal of your own."
    if found := agent_shell(os.environ, os.getpid()):
        raise NotAPerson(f"this is an agent's shell ({found})", fix=fix)
    if not sys.stdin.isatty():
        raise NotAPerson("the input is no terminal; nothing piped in is an approval", fix=fix)
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        raise NotAPerson("there is no controlling terminal", fix=fix) from None


def at_terminal(
    root: Path, tokens: Tokens, ask: Callable[[str], str] = getpass.getpass
) -> Approver:
    """The person at this terminal. Raises NotAPerson."""
    refuse_agents()
    user = os.getuid()
    if user != root.stat().st_uid:
        return Approver(f"os:{user}", "cli")
    if not any(APPROVE in token.scopes for token in tokens.all()):
        raise NotAPerson(
            "there is no approver secret yet",
            fix="Make one: `tripwire token create --scope approve`, and keep it where no agent is.",
        )
    try:
        typed = ask("Approver secret: ")
    except (EOFError, KeyboardInterrupt):
        raise NotAPerson("nothing was typed") from None
    return by_token(typed.strip(), tokens, "cli")


def by_token(text: str, tokens: Tokens, channel: str) -> Approver:
    """The holder of an approver's token, for a terminal or a web page. Raises NotAPerson."""
    token = tokens.find(text, APPROVE)
    if token is None:
        raise NotAPerson(
            "that is no approver secret, or it has expired",
            fix="`tripwire token list` names the ids and scopes there are.",
        )
    return Approver(f"token:{token.id} {token.principal}", channel)
