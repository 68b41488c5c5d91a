"""Which policy a verb reads: the one that `-c` names, else the project's; and accepting it.

`tripwire check --accept` is the only way in which a person accepts what a project's policy loosens
(ADR 0013).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tripwire.cli import show
from tripwire.cli.questions import yes
from tripwire.config import trust
from tripwire.config.load import load_policy, offer_of
from tripwire.config.places import CONFIG_NAME, find_config, is_repositorys, user_file
from tripwire.errors import UsageError
from tripwire.io import acceptance
from tripwire.model.policy import Policy


def read(config: Path | None) -> Policy:
    """The policy of `-c`, else of this directory. Raises UsageError if there is none, PolicyErrors.

    A repository's own `tripwire.yaml` loosens only what was accepted, also with `-c`: a pull can
    change it.
    """
    if config is not None:
        own = is_repositorys(config) and config.exists()
        return load_policy(None, project=config.parent) if own else load_policy(config)
    if find_config(Path.cwd()) is None and not os.path.lexists(user_file(os.environ)):
        raise _missing()
    return load_policy(None, project=Path.cwd())


def accept(config: Path | None, *, asked: bool, as_json: bool) -> int:
    """Show what the project's policy loosens, and accept it once the person says so.

    Raises UsageError in an agent's shell, or without a terminal and without `--yes` (`asked`).
    """
    chosen = config or find_config(Path.cwd())
    if chosen is None:
        raise _missing()
    acceptance.refuse_agents()
    offer = offer_of(chosen)
    if offer is None or trust.is_accepted(os.environ, offer):
        return _done(offer, f"{chosen}: nothing to accept", as_json=as_json)
    if not as_json:
        show.line(f"{chosen} would loosen the policy (- what holds now, + what would hold):")
        for words in trust.difference(offer):
            show.line(f"  {words}")
    if not asked:
        if as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise UsageError(
                "nothing was accepted, because nobody can be asked here",
                where=trust.COMMAND,
                fix="Run it on a terminal; --yes accepts unasked.",
            )
        if not _agreed():
            show.say("not accepted; what tightens the policy counts, the rest is ignored")
            return 1
    acceptance.accept(offer)
    return _done(offer, f"{chosen}: accepted", as_json=as_json)


def _agreed() -> bool:
    try:
        return yes("Accept this?", False)
    except (EOFError, KeyboardInterrupt):
        return False


def _done(offer: trust.Offer | None, words: str, *, as_json: bool) -> int:
    if as_json:
        looser = list(trust.difference(offer)) if offer is not None else []
        digest = offer.digest if offer is not None else ""
        show.data({"ok": True, "accepted": digest, "looser": looser})
    else:
        show.mark(good=True, words=words)
    return 0


def _missing() -> UsageError:
    return UsageError(
        f"no {CONFIG_NAME} here or above", fix="run `tripwire init`, or name one with -c"
    )
