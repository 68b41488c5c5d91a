"""`tripwire pins`: what was pinned, what differs now, and accepting it (gateway.md AP-P4)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.cli.questions import yes
from tripwire.errors import StateUnusable, UsageError
from tripwire.io.approver import NotAPerson, at_terminal, refuse_agents
from tripwire.io.keys import KeyStore
from tripwire.io.nearby import store_for
from tripwire.io.pins import NAME, Pins, Waiting
from tripwire.io.reading import usual_roots
from tripwire.io.tokens import Tokens


def pins(
    action: Literal["list", "diff", "approve"] = "list",
    name: str = "",
    /,
    *,
    state: Path | None = None,
    keys_dir: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Tools as they were first seen, and what waits because it is not.

    Exit codes: 0 done (diff: nothing waits), 1 refused (diff: something waits).

    Args:
        action: What to do.
        name: `<upstream>/<tool>`, or `<upstream>` for the server itself and all its tools.
        state: The state directory. Default: `.tripwire` here, then your own.
        keys_dir: Where the keys are, if not in the usual place.
        json: Print one JSON object instead of text.

    """
    root = _root(state)
    store, _ = store_for(root, keys_dir)
    held = Pins(root, store)
    if action == "list":
        return _list(held, as_json=json)
    shown = [one for one in held.waiting() if _meant(one, name)]
    if action == "diff":
        return _diff(shown, as_json=json)
    if not name:
        raise UsageError("name what to accept", where="pins approve", fix="Like docs/search.")
    return _approve(held, root, store, shown, as_json=json)


def _root(state: Path | None) -> Path:
    found = [r for r in ([state] if state else usual_roots()) if (r / NAME).exists()]
    if not found:
        raise StateUnusable("nothing was pinned here", where=str(state or ""))
    return found[0].absolute()


def _meant(one: Waiting, name: str) -> bool:
    upstream, _, tool = name.partition("/")
    return not name or (one.upstream == upstream and tool in ("", one.tool))


def _list(held: Pins, *, as_json: bool) -> int:
    pinned, waiting = held.pinned(), held.waiting()
    if as_json:
        rows = [{"upstream": w.upstream, "tool": w.tool, "why": w.why} for w in waiting]
        show.data({"ok": True, "pins": pinned, "waiting": rows})
        return 0
    for upstream, tools in pinned.items():
        for tool, fingerprint in tools.items():
            show.line(f"{upstream}/{tool}  {fingerprint[:16]}")
    for one in waiting:
        show.warning(f"{_named(one)} waits: {one.why}")
    return 0


def _diff(shown: list[Waiting], *, as_json: bool) -> int:
    if as_json:
        rows = [{"name": _named(w), "why": w.why, "diff": w.diff} for w in shown]
        show.data({"ok": not shown, "waiting": rows})
    else:
        _print(shown)
    return 1 if shown else 0


def _print(shown: list[Waiting]) -> None:
    for one in shown:
        show.line(f"{_named(one)}: {one.why}", style="bold")
        for line in one.diff:
            show.line(f"  {line}")
    if not shown:
        show.line("nothing waits")


def _named(one: Waiting) -> str:
    return f"{one.upstream}/{one.tool}" if one.tool else one.upstream


def _approve(
    held: Pins, root: Path, store: KeyStore, shown: list[Waiting], *, as_json: bool
) -> int:
    """Accept exactly what is shown now; needs an approver (A-3)."""
    if not shown:
        raise UsageError("nothing of that name waits", fix="See `tripwire pins diff`.")
    try:
        refuse_agents()
        _print(shown)
        approver = at_terminal(root, Tokens(store))
    except NotAPerson as why:
        show.say(str(why))
        return 1
    if not yes("Accept this?", False):
        return 1
    for one in shown:
        held.approve(one, approver.name)
    if as_json:
        show.data({"ok": True, "accepted": [_named(one) for one in shown]})
    else:
        show.mark(good=True, words=f"{len(shown)} accepted; running gateways take it at once")
    return 0
