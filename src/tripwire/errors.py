"""Every exception of Tripwire, grouped by whose fault it is; each says what, where, what now.

No message may hold a secret: callers pass names, positions and lengths, never values.
"""

from __future__ import annotations


class TripwireError(Exception):
    """Base of all errors: `what` happened, `where` (file:line or place), `fix` (what to do now)."""

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        self.what = what
        self.where = where
        self.fix = fix
        super().__init__(self.__str__())

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f" {self.fix}" if self.fix else ""
        return f"{place}{self.what}{';' if advice else ''}{advice}"


# ── the operator's fault ─────────────────────────────────────────────────────────────────────


class PolicyError(TripwireError):
    """One fault in a configuration or policy file."""


class PolicyErrors(TripwireError):
    """All faults of a configuration at once, one per line (gateway.md §2)."""

    def __init__(self, problems: tuple[PolicyError, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(str(problem) for problem in problems))


class UsageError(TripwireError):
    """A command line that cannot be carried out as written."""


class SettingsUnreadable(TripwireError):
    """A client's settings file is not JSON, or is a link that leaves the home directory."""


# ── the caller's fault ───────────────────────────────────────────────────────────────────────


class MalformedInput(TripwireError):
    """Bytes from outside that are not what the wire format says."""


class OutsideProject(TripwireError):
    """A path that leaves the project root."""


class FileRefused(TripwireError):
    """A file tool's refusal, in words for the agent; names the path as given and no other."""


class AuthoringRefused(TripwireError):
    """A change of a tripwire that is not made, in words for whoever asked for it (CTX-38)."""


class NeedsPerson(AuthoringRefused):
    """A change of a tripwire that only a person may allow (CTX-39); `diff` is what it would do."""

    def __init__(self, what: str, *, fix: str, diff: str) -> None:
        self.diff = diff
        super().__init__(what, fix=fix)

    @property
    def refusal(self) -> str:
        """What the agent is told when nobody allowed it."""
        return str(self)


class NotCanonical(TripwireError):
    """A value that RFC 8785 cannot express (NaN, an integer beyond 2^53, a lone surrogate)."""


# ── the machine's fault ──────────────────────────────────────────────────────────────────────


class EvidenceUnavailable(TripwireError):
    """The journal cannot be written: no record, no pass (gateway.md E-1)."""


class StateUnusable(TripwireError):
    """The state directory or a key cannot be read, created or locked."""


class DaemonUnavailable(TripwireError):
    """The resident daemon does not run, or does not answer."""


class UpstreamUnavailable(TripwireError):
    """An upstream MCP server does not start, died or hangs."""


# ── an attacker's fault ──────────────────────────────────────────────────────────────────────


class JournalTampered(TripwireError):
    """A journal that does not verify: whoever resumes from it assumes the worst labels."""


class StreamFinished(TripwireError):
    """Text for a guard whose text was finished (say.md SAY-7)."""


class InputTooLarge(TripwireError):
    """A reply that is longer than a review reads (say.md SAY-28)."""


class UnknownAction(TripwireError):
    """An action that no life cycle knows (say.md SAY-32)."""


class TripwireAbort(Exception):
    """A stream was stopped by a rule (say.md §4.1).

    `safe_text` is clean, was not returned, and must still be delivered. Offsets count code points.
    """

    def __init__(
        self,
        *,
        rule: str,
        violation: str,
        start: int,
        end: int,
        safe_text: str,
        retry_hint: str | None,
    ) -> None:
        super().__init__(violation)
        self.rule, self.violation = rule, violation
        self.start, self.end = start, end
        self.safe_text, self.retry_hint = safe_text, retry_hint
