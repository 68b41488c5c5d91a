"""The desk where held calls are answered: what `tripwire approve` and a web page call (A-3, A-4).

Needs an `Approver` for every yes, and writes each answer, and each attempt that was refused, to
approvals.jsonl before it counts. The session takes it in from there (io/answers.py).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tripwire.act.approval import limit_of
from tripwire.errors import JournalTampered, TripwireError
from tripwire.io.approvals import NAME
from tripwire.io.approver import Approver
from tripwire.io.home import iso, seconds_of
from tripwire.io.keys import KeyStore
from tripwire.io.shared import Shared
from tripwire.ledger.approval import Book, Standing

_COPIED = ("session", "principal", "tool", "call_hash", "rules", "labels", "decision_id")
_LONGEST = 200


class NotApprovable(TripwireError):
    """The approval cannot be given; `what` says why."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Later calls too: of the same tool, to the same places. `seconds` from now; 0 = one call."""

    seconds: float = 0.0
    purpose: str = ""
    max_amount: str = ""


@dataclass(frozen=True, slots=True)
class Ticket:
    """One approval as people see it; `state` is what holds now."""

    id: str
    state: str
    standing: Standing

    def data(self) -> dict[str, Any]:
        """For `--json` and a web page: names, hashes and times, no values."""
        both = {**self.standing.held, **self.standing.last}
        left_out = ("mac", "prev_mac", "seq", "id", "state")
        return {"id": self.id, "state": self.state} | {
            key: value for key, value in both.items() if key not in left_out
        }

    def __getitem__(self, key: str) -> Any:
        return {**self.standing.held, **self.standing.last}.get(key, "")


class Desk:
    """The approvals of one state directory. To make one raises NotApprovable without its key."""

    def __init__(self, root: Path, store: KeyStore) -> None:
        if store.installation(create=False) is None:
            raise NotApprovable(
                "the key of the approvals is not there",
                where=str(store.directory),
                fix="Give --keys-dir, the keys_dir of the configuration.",
            )
        self.root = root
        self._shared = Shared.of(root, store)

    def tickets(self) -> list[Ticket]:
        """Every approval, oldest first. Raises NotApprovable if the file was changed."""
        now = iso(time.time())
        return [_ticket(name, standing, now) for name, standing in self._book().items()]

    def ticket(self, name: str) -> Ticket:
        """One of them. Raises NotApprovable."""
        standing = self._book().get(name)
        if standing is None:
            raise NotApprovable("no such approval", where=name, fix="See `tripwire approvals`.")
        return _ticket(name, standing, iso(time.time()))

    def grant(self, name: str, approver: Approver, scope: Scope | None = None) -> Ticket:
        """Say yes. Raises NotApprovable; the record then says so as well."""
        try:
            ticket = self._pending(name)
            said = _scope(ticket, scope or Scope())
        except NotApprovable as why:
            self.refused(name, why.what, approver.channel)
            raise
        self._write(ticket, "granted", approver.channel, approver=approver.name, **said)
        return self.ticket(name)

    def deny(self, name: str, who: str, channel: str) -> Ticket:
        """Say no to a call that waits. Raises NotApprovable."""
        self._write(self._pending(name), "denied", channel, approver=who, why="denied")
        return self.ticket(name)

    def revoke(self, name: str, who: str, channel: str) -> Ticket:
        """End a grant at once. Raises NotApprovable if there is none to end."""
        ticket = self.ticket(name)
        once = ticket.standing.once
        if ticket.state not in ("granted", "used") or (ticket.state == "used" and once):
            raise NotApprovable(f"it is {ticket.state}; there is nothing to revoke", where=name)
        self._write(ticket, "revoked", channel, approver=who, why="revoked")
        return self.ticket(name)

    def refused(self, name: str, why: str, channel: str) -> None:
        """Record an attempt to approve that was refused.

        Not in a file that does not verify: whoever has another key must not begin it anew.
        """
        try:
            self._book()
        except NotApprovable:
            return
        now = iso(time.time())
        self._shared.approvals.append(
            {
                "id": name[:64],
                "state": "refused",
                "why": why[:_LONGEST],
                "channel": channel,
                "created": now,
            }
        )

    def close(self) -> None:
        """Let the files go."""
        self._shared.close()

    def _book(self) -> Book:
        try:
            return self._shared.approvals.book()
        except JournalTampered as error:
            raise NotApprovable(
                f"the approvals were changed ({error.what})",
                where=str(self.root / NAME),
                fix="Look with `tripwire verify-log`; then move the file away.",
            ) from None

    def _pending(self, name: str) -> Ticket:
        ticket = self.ticket(name)
        if ticket.state == "expired" and ticket.standing.state == "pending":
            self._write(ticket, "expired", "", why="expired")
        if ticket.state != "pending":
            fix = "Let the agent repeat the call; it then gets a new id."
            raise NotApprovable(f"it is {ticket.state}, no longer pending", where=name, fix=fix)
        return ticket

    def _write(self, ticket: Ticket, state: str, channel: str, **more: object) -> None:
        held = ticket.standing.held or ticket.standing.last
        fields: dict[str, object] = {key: held[key] for key in _COPIED if key in held}
        fields |= {"id": ticket.id, "state": state, "channel": channel}
        fields |= {"created": iso(time.time()), "expires": held.get("expires", ""), **more}
        self._shared.approvals.append(fields)


def _ticket(name: str, standing: Standing, now: str) -> Ticket:
    expires = str(standing.last.get("expires", ""))
    late = standing.state in ("pending", "granted") and expires and expires < now
    return Ticket(name, "expired" if late else standing.state, standing)


def _scope(ticket: Ticket, scope: Scope) -> dict[str, object]:
    """The fields of the grant that say what it covers. Raises NotApprovable."""
    if not scope.seconds:
        if scope.purpose or scope.max_amount:
            raise NotApprovable("a purpose or a sum needs a time", fix="Add --for, like --for 1h.")
        return {"scope": {"kind": "once"}}
    held = ticket.standing.held
    if not held.get("destinations"):
        raise NotApprovable(
            "the call has no destination that a scope could name",
            fix="Approve this one call, without --for.",
        )
    longest = float(held.get("max_ttl", 0))
    if scope.seconds > longest:
        what = f"longer than approvals.max_ttl ({longest:.0f} s)"
        raise NotApprovable(what, where="--for", fix="Give a shorter time.")
    if held.get("sums") and limit_of(scope.max_amount) is None:
        raise NotApprovable(
            "the call moves a sum, so the scope needs a limit",
            where="--max-amount",
            fix='Give a sum with its currency, like --max-amount "1200 EUR".',
        )
    until = iso(time.time() + scope.seconds)
    said = {
        "kind": "scoped",
        "tool": held["tool"],
        "destinations": held["destinations"],
        "purpose": scope.purpose[:_LONGEST],
        "max_amount": scope.max_amount[:_LONGEST],
        "until": until,
    }
    return {"scope": said, "expires": until}


def seconds_left(ticket: Ticket) -> int:
    """Whole seconds until it ends, never negative."""
    return max(0, round(seconds_of(str(ticket["expires"])) - time.time()))
