"""What agents may change in a project's tripwires (read.md CTX-38 to CTX-40). Writes nothing."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from tripwire.config.problems import printable
from tripwire.config.read_schema import AUTHORING_LIMITS
from tripwire.errors import AuthoringRefused, NeedsPerson
from tripwire.model.tripwire import Severity, Tripwire
from tripwire.read.tripwire_set import TripwireSet
from tripwire.text.expiry import dead_from
from tripwire.text.tripwire_name import LONGEST, from_argument

_AGENT = re.compile(r"agent:[a-z0-9-]+")


def refusal(rules: TripwireSet) -> str:
    """Why agents may change nothing at all, "" if they may.

    A limit that cannot be read counts as the strictest one (read.md §2.2).
    """
    if not rules.config.allow_agent_create:
        return "changes by agents are switched off (allow_agent_create)"
    for problem in rules.problems:
        limit = problem.key.removeprefix("read.") in AUTHORING_LIMITS
        if problem.code == "TW040" or (problem.code == "TW041" and limit):
            return f"{problem.where} cannot be read, and it may hold a limit for agents"
    return ""


def check_allowed(rules: TripwireSet) -> None:
    """Raises AuthoringRefused if agents may change nothing."""
    if why := refusal(rules):
        raise AuthoringRefused(why, fix="a person must make this change")


def checked_name(written: str) -> str:
    """The normal form of a name to create. Raises AuthoringRefused."""
    name = from_argument(written)
    if not 1 <= len(name) <= LONGEST:
        what = f"name: must hold 1 to {LONGEST} letters a-z, digits and -"
        raise AuthoringRefused(what, fix="choose another name")
    return name


def check_learned(rules: TripwireSet, learned_from: str | None) -> None:
    """Raises AuthoringRefused if `learned_from` is needed and blank."""
    if rules.config.require_learned_from and not (learned_from or "").strip():
        raise AuthoringRefused(
            "learned_from: is missing", fix="say which correction taught you this"
        )


def check_expiry(rules: TripwireSet, expires: str, now: float) -> None:
    """Raises AuthoringRefused for a date later than what holds without one (CTX-40)."""
    latest = default_expiry(rules, now)
    try:
        if latest and dead_from(expires) > dead_from(latest):
            what = f"expires: {printable(expires)} is later than {latest}"
            raise AuthoringRefused(what, fix="choose an earlier date, or leave it out")
    except ValueError as error:
        raise AuthoringRefused(f"expires: {printable(str(error))}") from None


def default_expiry(rules: TripwireSet, now: float) -> str:
    """The date that a new tripwire of an agent gets, "" for none."""
    days = rules.config.auto_expire_days
    if not days:
        return ""
    today = datetime.fromtimestamp(now, UTC).date()
    left = (date.max - today).days
    return (today + timedelta(days=min(days, left))).isoformat()


def check_severity(rules: TripwireSet, severity: Severity, name: str, file: str, diff: str) -> None:
    """Raises NeedsPerson if an agent may not write this severity (CTX-39)."""
    most = rules.config.agent_max_severity
    if severity.rank < most.rank:
        what = f'Tripwire "{name}" would be {severity.value}; agents may write at most {most.value}'
        raise NeedsPerson(what, fix=f"a person must change {file}", diff=diff)


def check_author(rules: TripwireSet, old: Tripwire, diff: str) -> None:
    """Raises NeedsPerson unless an agent wrote it, within its severity (CTX-39)."""
    fix = f"a person must change {old.file}"
    if not _AGENT.fullmatch(old.created_by):
        author = printable(old.created_by) or "human"
        raise NeedsPerson(f'Tripwire "{old.name}" was written by {author}', fix=fix, diff=diff)
    most = rules.config.agent_max_severity
    if old.severity.rank < most.rank:
        what = (
            f'Tripwire "{old.name}" is {old.severity.value}; agents may change at most {most.value}'
        )
        raise NeedsPerson(what, fix=fix, diff=diff)
