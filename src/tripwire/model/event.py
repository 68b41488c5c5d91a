"""Event: something that happens at a boundary. A closed union of frozen dataclasses.

A door parses its wire into these and decides nothing. Times are seconds since the epoch, stamped
by the door: the core has no clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tripwire.model.label import Label
from tripwire.model.tripwire import FileAccess


class Access(StrEnum):
    """How an agent touches a path."""

    READ = "read"
    EDIT = "edit"
    CREATE = "create"
    SEARCH = "search"
    SHELL = "shell"


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """A door met a session. `inherited` are labels it must start from (STATE-3, STATE-4, G-11).

    `remotes` are git remotes and registries configured at that moment (flow.md DEST-8).
    """

    client: str
    cwd: str = ""
    home: str = ""
    remotes: tuple[str, ...] = ()
    inherited: frozenset[Label] = frozenset()
    why: str = ""


@dataclass(frozen=True, slots=True)
class UserSaid:
    """A prompt. `person` is false for schedules, wake-ups and system prompts (flow.md PURP-4)."""

    text: str
    person: bool = True


@dataclass(frozen=True, slots=True)
class IntentDeclared:
    """The agent reports its goal (gateway.md I-1); never trusted as the user's own words."""

    goal: str
    plan_summary: str = ""


@dataclass(frozen=True, slots=True)
class ToolsListed:
    """An upstream listed its tools; `tools` are the raw tool objects."""

    source: str
    tools: tuple[Mapping[str, object], ...]
    quarantined: Mapping[str, str] = field(default_factory=dict)
    """Tool → why it waits for a person; "" stands for the whole server (gateway.md AP-P3)."""


@dataclass(frozen=True, slots=True)
class FileTouched:
    """A path reached the agent without a tool call (an `@file` mention)."""

    path: str
    access: Access
    at: float = 0.0
    agent: str = ""
    touched: tuple[FileAccess, ...] = field(default=(), compare=False)
    """The same path as a fact for READ; never recorded, because it may hold the file's text."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The agent wants to call a tool.

    `source` is the key of `flow.policies`: a client name for built-in tools, an MCP server or
    upstream name, or a library source. `args` are raw JSON values. `links` maps each path of the
    arguments whose resolved form differs to that form (the core cannot follow symbolic links).
    """

    call_id: str
    source: str
    tool: str
    args: Mapping[str, object]
    cwd: str = ""
    at: float = 0.0
    principal: str = ""
    links: Mapping[str, str] = field(default_factory=dict)
    agent: str = ""
    unopened: tuple[str, ...] = ()
    """Type names of arguments the door could not open, so nobody can scan them (LIB-2)."""
    touched: tuple[FileAccess, ...] = field(default=(), compare=False)
    """Project paths the call touches, facts for READ (read.md CTX-33); never recorded."""

    @property
    def exposed(self) -> str:
        """The name rules match: `<upstream>__<tool>` (gateway.md G-4)."""
        return f"{self.source}__{self.tool}" if self.source else self.tool


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave back: a failure's text and a background output are results as well."""

    call_id: str
    source: str
    tool: str
    args: Mapping[str, object]
    result: object
    is_error: bool = False
    cwd: str = ""
    links: Mapping[str, str] = field(default_factory=dict)
    agent: str = ""
    omitted: str = ""
    """Why `result` is None although there was one: "depth" or "size" (gateway.md §2)."""
    omitted_bytes: int = 0
    omitted_sha256: str = ""
    """SHA-256 hex of the raw bytes that were left out."""
    at: float = field(default=0.0, compare=False)
    touched: tuple[FileAccess, ...] = field(default=(), compare=False)
    """Project paths the result speaks of (search hits), facts for READ; never recorded."""

    @property
    def exposed(self) -> str:
        """The name rules match: `<upstream>__<tool>` (gateway.md G-4)."""
        return f"{self.source}__{self.tool}" if self.source else self.tool


@dataclass(frozen=True, slots=True)
class Approved:
    """A person said yes (gateway.md §3.7); `rules` are the ones silenced.

    To exactly one call, which `call_hash` names; or, with `tool`, to later calls of that tool that
    go to no other place than `destinations` (keyed hashes) and together move no more than
    `max_amount` ("1200 EUR", "" = calls without a sum): a scoped approval.
    """

    approval_id: str
    call_hash: str
    rules: frozenset[str]
    approver: str
    channel: str
    labels: frozenset[Label] = frozenset()
    expires: float = 0.0
    once: bool = True
    tool: str = ""
    destinations: frozenset[str] = frozenset()
    max_amount: str = ""
    purpose: str = ""
    """What the approver wrote it is for; for the record only."""


@dataclass(frozen=True, slots=True)
class Denied:
    """A person, or the lack of one, said no; or what was said holds no longer.

    `why`: denied, timeout, expired, cancelled, no one, revoked, or what was wrong with an approval
    that was refused. Whatever was granted under `approval_id` ends.
    """

    approval_id: str
    call_hash: str
    rules: frozenset[str]
    channel: str
    why: str = "denied"


@dataclass(frozen=True, slots=True)
class OutcomeUnknown:
    """An attempt whose outcome nobody recorded: the upstream or this process died (E-4)."""

    call_id: str
    source: str
    tool: str
    why: str


@dataclass(frozen=True, slots=True)
class ContextCleared:
    """The agent forgot what it was shown: a compaction or a clear (read.md CTX-34)."""

    why: str
    agent: str = ""


Event = (
    SessionOpened
    | UserSaid
    | IntentDeclared
    | ToolsListed
    | FileTouched
    | ToolCall
    | ToolResult
    | Approved
    | Denied
    | OutcomeUnknown
    | ContextCleared
)
