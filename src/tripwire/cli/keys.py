"""`tripwire keys`: the public key that checkpoints are signed with, and replacing it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.errors import UsageError
from tripwire.io.acceptance import agent_shell
from tripwire.io.keys import KeyStore
from tripwire.io.signing import SigningKey


def keys(
    action: Literal["show", "rotate"] = "show",
    /,
    *,
    keys_dir: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """The public key for `verify-log --pub`: give it to whoever is to check your logs.

    `rotate` replaces the signing key; the old and the new one sign each other.

    Args:
        action: What to do.
        keys_dir: Where the keys are, if not in the usual place.
        json: Print one JSON object instead of text.

    """
    key = SigningKey(KeyStore(keys_dir))
    if action == "rotate":
        if found := agent_shell(os.environ, os.getpid()):
            raise UsageError(
                f"this is an agent's shell ({found})", fix="Run it in a terminal of your own."
            )
        old, new = key.rotate()
        said = {"ok": True, "public_key": new.text, "before": old.text}
    else:
        said = {"ok": True, "public_key": key.signer().public.text}
    if json:
        show.data(said)
    else:
        show.line(str(said["public_key"]))
    return 0
