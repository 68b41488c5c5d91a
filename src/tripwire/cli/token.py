"""`tripwire token`: make, list and revoke the tokens that people and clients hold."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.cli.approve import seconds_of
from tripwire.errors import UsageError
from tripwire.io.acceptance import agent_shell
from tripwire.io.home import iso
from tripwire.io.keys import KeyStore
from tripwire.io.tokens import Tokens


def token(
    action: Literal["create", "list", "revoke"],
    name: str = "",
    /,
    *,
    scope: tuple[str, ...] = (),
    principal: str = "",
    for_: Annotated[str, Parameter(name="--for")] = "",
    keys_dir: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Tokens: `approve` is the secret that `tripwire approve` asks for. For people only.

    Args:
        action: What to do.
        name: For revoke: the token's id.
        scope: For create: call, read, approve or admin; `approve` stands alone.
        principal: For create: whose it is. Default: your user name.
        for_: For create: how long it holds (30m, 2h, 1d). Default: until it is revoked.
        keys_dir: Where the keys are, if not in the usual place.
        json: Print one JSON object instead of text.

    """
    tokens = Tokens(KeyStore(keys_dir))
    if action == "list":
        return _list(tokens, as_json=json)
    if found := agent_shell(os.environ, os.getpid()):
        raise UsageError(
            f"this is an agent's shell ({found})", fix="Run it in a terminal of your own."
        )
    if action == "revoke":
        return _revoke(tokens, name, as_json=json)
    made, text = tokens.create(principal or _me(), scope, seconds_of(for_))
    if json:
        show.data({"ok": True, "id": made.id, "scopes": made.scopes, "token": text})
    else:
        show.line(text)
        show.say("shown this once: keep it where no agent can read it (not in a file of a project)")
    return 0


def _me() -> str:
    return os.environ.get("USER", "") or f"os-{os.getuid()}"


def _list(tokens: Tokens, *, as_json: bool) -> int:
    now = time.time()
    rows = [
        {
            "id": each.id,
            "principal": each.principal,
            "scopes": ",".join(each.scopes),
            "created": iso(each.created),
            "expires": iso(each.expires) if each.expires else "",
            "expired": bool(each.expires and each.expires < now),
        }
        for each in tokens.all()
    ]
    if as_json:
        show.data({"ok": True, "tokens": rows})
        return 0
    for row in rows:
        until = row["expires"] or "until revoked"
        show.line(f"{row['id']}  {row['principal']}  {row['scopes']}  {until}")
    if not rows:
        show.line("there are no tokens")
    return 0


def _revoke(tokens: Tokens, name: str, *, as_json: bool) -> int:
    done = tokens.revoke(name)
    if as_json:
        show.data({"ok": done, "revoked": name if done else ""})
    else:
        show.mark(good=done, words=f"{name} {'revoked' if done else 'is no token'}")
    return 0 if done else 1
