"""What is known of a text: its labels, who could have written it, and where it came from.

Labels only grow (flow.md §2.1). Trust is the level of who can author the free text (flow.md §2.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Label(StrEnum):
    """What a session has met; never taken back (flow.md §2.1, STATE-6)."""

    UNTRUSTED = "untrusted"
    PRIVATE = "private"
    SECRET = "secret"  # noqa: S105  (a label's name, not a password)
    INJECTION = "injection"


ALL_LABELS = frozenset(Label)
"""The worst labels: what a session with a lost or tampered journal starts from (STATE-3)."""


class Trust(IntEnum):
    """Who can author a text; ordered, so that combining sources is `min`."""

    WORLD = 0
    MEMBER = 1
    PLATFORM = 2
    USER = 3

    @property
    def word(self) -> str:
        """The gateway's name for the level (README of the specs, rule 5)."""
        return _WORDS[self]


_WORDS = {
    Trust.WORLD: "untrusted",
    Trust.MEMBER: "member",
    Trust.PLATFORM: "trusted",
    Trust.USER: "user",
}


class WriteClass(StrEnum):
    """Where a call carries what it is given (flow.md §2.2). A call has a set of them."""

    PUBLIC = "public"
    EXTERNAL = "external"
    INTERNAL = "internal"
    LOCAL = "local"
    COMMIT = "commit"
    EXEC = "exec"
    PRIVILEGED = "privileged"
    DESTRUCTIVE = "destructive"
    UNKNOWN = "unknown"


LEAVING = frozenset(
    {
        WriteClass.PUBLIC,
        WriteClass.EXTERNAL,
        WriteClass.INTERNAL,
        WriteClass.COMMIT,
        WriteClass.PRIVILEGED,
        WriteClass.EXEC,
        WriteClass.UNKNOWN,
    }
)
"""Classes whose arguments leave the working tree (flow.md §3.2, act/known-secret)."""


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """One place a value or a label came from.

    `receipt` is the number of the receipt that holds it (0 = the user's own words);
    `where` a path or URL; `record` and `field` the record inside the result (gateway.md P-5).
    """

    receipt: int
    source: str
    tool: str
    trust: Trust
    where: str = ""
    record: str = ""
    field: str = ""
