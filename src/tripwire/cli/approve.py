"""`tripwire approve`, `deny`, `revoke`, `approvals`: a person answers what was held (A-3, A-4)."""

from __future__ import annotations

import json as json_
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.cli.questions import yes
from tripwire.errors import EvidenceUnavailable, StateUnusable, UsageError
from tripwire.io.approvals import NAME
from tripwire.io.approver import Approver, NotAPerson, at_terminal, refuse_agents
from tripwire.io.desk import Desk, NotApprovable, Scope, Ticket, seconds_left
from tripwire.io.keys import KeyStore
from tripwire.io.nearby import store_for
from tripwire.io.reading import Reader, Row, usual_roots
from tripwire.io.tokens import Tokens
from tripwire.text.secrets import redact

_DURATION = re.compile(r"([1-9][0-9]{0,5})(s|m|h|d)", re.ASCII)
_UNIT = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_REFUSED = (NotAPerson, NotApprovable)
_CHANNEL = "cli"
Json = Annotated[bool, Parameter(negative="")]


def approvals(
    *,
    all: Annotated[bool, Parameter(negative="")] = False,  # noqa: A002  (the word people type)
    state: Path | None = None,
    keys_dir: Path | None = None,
    json: Json = False,
) -> int:
    """The calls that wait for a person, and the approvals that hold.

    Args:
        all: Also those that were denied, used, revoked, or have expired.
        state: The state directory. Default: `.tripwire` here, and your own.
        keys_dir: Where the keys are, if not in the usual place.
        json: Print one JSON object instead of text.

    """
    found: list[Ticket] = []
    for root in _roots(state):
        with _desk(root, keys_dir) as (desk, _):
            found += desk.tickets()
    shown = [t for t in found if all or t.state in ("pending", "granted")]
    if json:
        show.data({"ok": True, "approvals": [ticket.data() for ticket in shown]})
        return 0
    for ticket in shown:
        rules = ", ".join(ticket["rules"] or ())
        left = f"{seconds_left(ticket)} s left" if ticket.state in ("pending", "granted") else ""
        show.line(f"{ticket.id}  {ticket.state:<8} {ticket['tool']}  {rules}  {left}".rstrip())
    if not shown:
        show.line("nothing waits for an answer")
    return 0


def approve(
    name: str,
    /,
    *,
    for_: Annotated[str, Parameter(name="--for")] = "",
    purpose: str = "",
    max_amount: str = "",
    state: Path | None = None,
    keys_dir: Path | None = None,
    json: Json = False,
) -> int:
    """Let a held call through. For people only: it asks for the approver secret on the terminal.

    Without --for it lets exactly that call through, once. Exit codes: 0 approved, 1 refused.

    Args:
        name: The approval's id, `ap-` and 8 hex digits.
        for_: Also later calls of the same tool to the same places, for so long (30m, 2h, 1d).
        purpose: With --for: what it is for, for the record.
        max_amount: With --for: the most that may be moved in all, like "1200 EUR".
        state: The state directory. Default: `.tripwire` here, then your own.
        keys_dir: Where the keys are, if not in the usual place.
        json: Print one JSON object instead of text.

    """
    scope = Scope(seconds_of(for_), purpose, max_amount)

    def answer(desk: Desk, store: KeyStore) -> Ticket:
        ticket = desk.ticket(name)
        try:
            approver = _person(desk, store, ticket, as_json=json)
        except NotAPerson as why:
            desk.refused(name, why.what, _CHANNEL)
            raise
        return desk.grant(name, approver, scope)

    return _answered(name, answer, state, keys_dir, as_json=json)


def deny(
    name: str, /, *, state: Path | None = None, keys_dir: Path | None = None, json: Json = False
) -> int:
    """Refuse a held call. Exit codes: 0 refused as asked, 1 there was nothing to refuse.

    Args:
        name: The approval's id.
        state: The state directory. Default: `.tripwire` here, then your own.
        keys_dir: Where the keys are, if not in the usual place.
        json: Print one JSON object instead of text.

    """
    who = f"os:{os.getuid()}"
    return _answered(name, lambda d, _: d.deny(name, who, _CHANNEL), state, keys_dir, as_json=json)


def revoke(
    name: str, /, *, state: Path | None = None, keys_dir: Path | None = None, json: Json = False
) -> int:
    """End an approval at once. Exit codes: 0 revoked, 1 there was nothing to revoke.

    Args:
        name: The approval's id.
        state: The state directory. Default: `.tripwire` here, then your own.
        keys_dir: Where the keys are, if not in the usual place.
        json: Print one JSON object instead of text.

    """
    who = f"os:{os.getuid()}"
    return _answered(
        name, lambda d, _: d.revoke(name, who, _CHANNEL), state, keys_dir, as_json=json
    )


def _answered(
    name: str,
    answer: Callable[[Desk, KeyStore], Ticket],
    state: Path | None,
    keys_dir: Path | None,
    *,
    as_json: bool,
) -> int:
    try:
        ticket = _at_its_desk(name, answer, state, keys_dir)
    except _REFUSED as why:
        show.say(str(why))
        if as_json:
            show.data({"ok": False, "refused": why.what, "fix": why.fix})
        return 1
    if as_json:
        show.data({"ok": True, "approval": ticket.data()})
    else:
        show.mark(good=True, words=f"{ticket.id} is {ticket.state}")
    return 0


def _at_its_desk(
    name: str,
    answer: Callable[[Desk, KeyStore], Ticket],
    state: Path | None,
    keys_dir: Path | None,
) -> Ticket:
    """Answer where the approval is known; a refused guess is recorded where one would be."""
    roots = _roots(state)
    for root in roots:
        with _desk(root, keys_dir) as (desk, store):
            if any(ticket.id == name for ticket in desk.tickets()):
                return answer(desk, store)
    with suppress(EvidenceUnavailable), _desk(roots[0], keys_dir) as (desk, _):
        desk.refused(name, "no such approval", _CHANNEL)
    raise NotApprovable("no such approval", where=name, fix="See `tripwire approvals`.")


def _roots(state: Path | None) -> list[Path]:
    roots = [state] if state is not None else usual_roots()
    found = [root.absolute() for root in roots if (root / NAME).exists()]
    if not found:
        where = str(state) if state is not None else ""
        raise StateUnusable("no approval was ever asked for here", where=where)
    return found


@contextmanager
def _desk(root: Path, keys_dir: Path | None) -> Iterator[tuple[Desk, KeyStore]]:
    store, _ = store_for(root, keys_dir)
    desk = Desk(root, store)
    try:
        yield desk, store
    finally:
        desk.close()


def seconds_of(text: str) -> float:
    """Seconds of `90s`, `30m`, `2h` or `1d`; 0.0 for nothing. Raises UsageError."""
    if not text:
        return 0.0
    found = _DURATION.fullmatch(text)
    if found is None:
        raise UsageError("no such time", where="--for", fix="Write 90s, 30m, 2h or 1d.")
    return float(int(found[1]) * _UNIT[found[2]])


def _person(desk: Desk, store: KeyStore, ticket: Ticket, *, as_json: bool) -> Approver:
    """The person at the terminal, once the call was shown. Raises NotAPerson."""
    refuse_agents()
    _print_call(desk, store, ticket, show.say if as_json else show.line)
    approver = at_terminal(desk.root, Tokens(store))
    if not yes("Let it through?", False):
        raise NotAPerson("the answer was no")
    return approver


def _print_call(desk: Desk, store: KeyStore, ticket: Ticket, line: Callable[[str], None]) -> None:
    """Tool, rules, reasons, whole values with their origins, what a yes permits (A-1)."""
    line(f"{ticket.id}  {ticket.state}  {ticket['tool']}")
    row = _recorded(desk, store, ticket)
    if row is None or row.call is None:
        raise NotAPerson(
            "the call cannot be shown, and nobody may approve what was not shown",
            where=ticket.id,
            fix="Give --keys-dir, where the session's key is.",
        )
    for finding in row.verdict.get("findings", ()):
        line(f"  why        {finding.get('reason')} [{finding['rule']}]")
        for origin in finding.get("evidence", ()):
            place = f" {origin['where']}" if origin.get("where") else ""
            line(f"    seen in  {origin['source']} {origin['tool']} ({origin['trust']}){place}")
        for broken in finding.get("violations", ()):
            line(f"    value    {broken['param']}: {broken['reason']}")
    for place in row.verdict.get("destinations", ()):
        line(f"  goes to    {place['value']} ({place['trust']})")
    for key, value in row.call.args.items():
        text = value if isinstance(value, str) else json_.dumps(value, ensure_ascii=False)
        line(f"  argument   {redact(str(key))} = {redact(text)}")
    line("  A yes lets exactly this call run once; with --for also later ones to these places.")


def _recorded(desk: Desk, store: KeyStore, ticket: Ticket) -> Row | None:
    """The held call, from the session's own record."""
    reader = Reader(desk.root / "sessions" / str(ticket["session"]), store)
    try:
        for row in reader.rows():
            if row.entry is not None and row.entry.seq == ticket.standing.held.get("audit_seq"):
                return row
    except StateUnusable:
        pass
    return None
