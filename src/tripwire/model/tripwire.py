"""Tripwire: what a team knows about some paths, as typed values (read.md §2). Data only.

`config/tripwire_schema.py` builds tripwires from YAML, `config/read_schema.py` the configuration;
`read/` matches, orders and renders them. Times are seconds since the epoch, sizes code points
unless the name says otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Severity(StrEnum):
    """How much a tripwire matters; `rank` orders lists, most severe first (CTX-18)."""

    CRITICAL = "critical"
    HIGH = "high"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for critical … 3 for info."""
        return _RANKS[self]


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


class Repeat(StrEnum):
    """How often a tripwire is shown in one scope (CTX-34)."""

    ALWAYS = "always"
    SESSION = "session"
    CHANGED = "changed"


class Enforcement(StrEnum):
    """What the hooks do when a tripwire fires (CTX-28 to CTX-30)."""

    INJECT = "inject"
    STRICT = "strict"
    ADVISORY = "advisory"


@dataclass(frozen=True, slots=True)
class ContentCondition:
    """`match_content`: what the text of the file must hold (CTX-17). At least one is not empty."""

    regex: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    semantic: str = ""
    mode: str = "any"
    """`any` or `all` of the conditions."""


@dataclass(frozen=True, slots=True)
class Tripwire:
    """One loaded tripwire file. `name` is normalised (CTX-3), `context` is as written."""

    name: str
    file: str
    """Path of its file, relative to the project root, `/` between segments."""
    triggers: tuple[str, ...]
    context: str
    severity: Severity = Severity.WARNING
    created_by: str = ""
    learned_from: str = ""
    tags: tuple[str, ...] = ()
    """As written, bad ones too: lint reports them, rendering leaves them out."""
    expires: str = ""
    dead_from: float | None = None
    """The first instant at which it has expired; None = never (CTX-9)."""
    depends_on: tuple[str, ...] = ()
    """Normalised names, in declared order."""
    active: bool = True
    repeat: Repeat | None = None
    match_content: ContentCondition | None = None
    source: str = ""
    digest: str = ""
    """SHA-256 hex of the file's bytes."""
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)
    """Dotted key path (`triggers.0`) → line, 1-based, for messages."""
    unknown_keys: tuple[str, ...] = ()

    def alive(self, now: float) -> bool:
        """Whether it may fire at `now`: active and not expired (CTX-9, CTX-10)."""
        return self.active and (self.dead_from is None or now < self.dead_from)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a tripwire file or the configuration that does not load (CTX-8, §4.3)."""

    code: str
    """`TW001` …"""
    file: str
    message: str
    line: int = 0
    column: int = 0
    key: str = ""
    """Dotted key path, "" for the file as a whole."""
    fix: str = ""
    triggers: tuple[str, ...] | None = None
    """The broken file's triggers, if they could still be read: only these paths are affected."""

    @property
    def where(self) -> str:
        """`file`, or `file:line` once the line is known."""
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class ReadConfig:
    """`.tripwirerc.yml`, or `read:` of tripwire.yaml; defaults of read.md §2.2."""

    inject_mode: str = "prepend"
    separator: str = "\n<<<TRIPWIRE_FILE_CONTENT>>>\n"
    max_context_length: int = 0
    allow_agent_create: bool = True
    require_learned_from: bool = True
    auto_expire_days: int = 90
    enforcement_mode: Enforcement = Enforcement.INJECT
    exclude_paths: tuple[str, ...] = ("node_modules/**", "dist/**", ".git/**")
    tripwires_dir: str = ".tripwires"
    max_dependency_depth: int = 5
    match_case: bool = True
    on_broken: str = "inform"
    agent_max_severity: Severity = Severity.HIGH
    protect_tripwires: bool = True
    repeat: Repeat | None = None
    max_file_bytes: int = 10_485_760
    stale_commits: int = 20
    stale_ratio: float = 0.5


@dataclass(frozen=True, slots=True)
class FileAccess:
    """One path that the agent touches, as facts that a door collected (CTX-11, CTX-17, CTX-33)."""

    path: str
    """As the agent spelled it, for messages."""
    forms: tuple[str, ...]
    """Project-relative forms inside the root, spelled form first, then the real one and NFC."""
    route: str = "read"
    """`read`, `edit`, `write`, `notebook`, `search`, `shell`, `mcp`, `mention` or `read_file`."""
    real: str = ""
    """The real form, relative to the root; "" if it is outside."""
    content: str | None = None
    """Text of the file plus proposed text, if a condition wanted it and it could be read."""
    missing: bool = False
    """No such file and no proposed text: a content condition is not met."""
    writes: bool = False
    """The path is written, edited, created or deleted."""
    text: bool = True
    """The file is text that `read_file` can serve (CTX-29)."""
    opaque: bool = False
    """The path was guessed from shell text that could not be resolved (CTX-33)."""
    served: bool = False
    """A `tripwire` server entry whose command starts is configured, so `read_file` can be used
    instead of this access (CTX-29)."""
    observed: bool = False
    """Tripwire's own `read_file`, seen by a hook: its blocks count as shown, nothing is added."""
    later: bool = False
    """The client hands no text on at this event: what is known is told after it, and only what
    stops the event counts now (CTX-35)."""
    probe: bool = False
    """The access is a probe of doctor, left out of all statistics (CTX-37)."""


@dataclass(frozen=True, slots=True)
class Block:
    """One rendered unit: a tripwire as it is shown for a root (CTX-19, CTX-22)."""

    tripwire: Tripwire
    body: str
    """Trimmed and neutralised (CTX-24, CTX-25)."""
    tags: tuple[str, ...] = ()
    originator: str = ""
    """Name of the root whose group brought it as a dependency, "" for a root."""
    cost: int = 0
    digest: str = ""
    """SHA-256 hex of the whole group that the tripwire has as a root (CTX-34)."""


@dataclass(frozen=True, slots=True)
class Match:
    """A tripwire that matches. `globs` are the positives that did, in file order."""

    tripwire: Tripwire
    globs: tuple[str, ...]
    content: str = ""
    """`matched`, `not_examined`, or "" without a content condition."""


@dataclass(frozen=True, slots=True)
class Group:
    """A matched root with its closure; atomic for the budget (CTX-19, CTX-23)."""

    root: Match
    blocks: tuple[Block, ...]
    """Dependencies in pre-order, then the root: only what no earlier group emitted."""
    cost: int
    digest: str
    """SHA-256 hex of the whole rendered group, for `repeat: changed` (CTX-34)."""
    outcome: str
    """`shown`, `context_budget`, `client_limit`, `repeat` or `denied` (CTX-37)."""
    whole: tuple[Block, ...] = ()
    """What the group needs shown in this scope, before what earlier groups emit is left out."""


@dataclass(frozen=True, slots=True)
class ReadWarning:
    """What the plan skipped, for people: a code of §4.3 and a sentence."""

    code: str
    message: str
    name: str = ""
    """The tripwire it is about, "" if none."""
    other: str = ""
    """The dependency it is about, "" if none."""


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """What would be shown for an access, and why: a value (CTX-27)."""

    accesses: tuple[FileAccess, ...] = ()
    excluded: bool = False
    """Every path is excluded, so nothing can fire (CTX-12)."""
    paths: tuple[str, ...] = ()
    """The paths that matched something or are affected by a problem, in their first form."""
    matches: tuple[Match, ...] = ()
    groups: tuple[Group, ...] = ()
    """The group of every matched root, in order; without blocks if earlier groups (outcome
    `shown`) or earlier events of the scope (`repeat`) have emitted them."""
    emitted: tuple[Block, ...] = ()
    suppressed: tuple[Group, ...] = ()
    warnings: tuple[ReadWarning, ...] = ()
    problems: tuple[Problem, ...] = ()
    """Problems that affect these paths (CTX-8)."""
    notices: tuple[Problem, ...] = ()
    """Those of them that are to be shown: not shown in this scope yet."""
    problem_set: str = ""
    """Digest of all problems of the project; a changed one makes notices new again."""
    project: str = ""
    """Which project: a digest of its root."""
    cost: int = 0
    config: ReadConfig = ReadConfig()


class TripwireRules(Protocol):
    """What a Policy knows of a project's tripwires; `read/tripwire_set.py` is the one in use."""

    @property
    def config(self) -> ReadConfig:
        """The configuration in force."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What did not load."""

    def plan(
        self,
        access: FileAccess | Sequence[FileAccess],
        *,
        seen: Mapping[str, str] = ...,
        now: float,
        by_default: Repeat = ...,
        told: Collection[str] = ...,
    ) -> ReadPlan:
        """What is shown for one event.

        `seen` is what the scope was shown: tripwire name → digest of its group, file of a problem
        → digest of the set of problems. `told` are the names shown for this very call already,
        which are not shown again in any mode (CTX-34).
        """


@dataclass(frozen=True, slots=True)
class Shown:
    """One tripwire in a firing (CTX-37): which, how it came in, what became of it."""

    name: str
    severity: str
    digest: str
    globs: tuple[str, ...] = ()
    origin: str = "match"
    """`match` or `dependency`."""
    originator: str = ""
    outcome: str = "shown"


@dataclass(frozen=True, slots=True)
class Firing:
    """The journal's `read.fired` (CTX-37): carried by a finding, folded into memory."""

    route: str
    path: str
    real_path: str = ""
    tool: str = ""
    call: str = ""
    """The call's name in records, a digest of its id."""
    agent: str = ""
    """The scope: "" for the main agent, else a digest of the agent's id."""
    opaque: bool = False
    content: str = ""
    tripwires: tuple[Shown, ...] = ()
    problems: str = ""
    """Digest of the set of problems, if notices were shown, else ""."""
    files: tuple[str, ...] = ()
    """The files whose problems were shown."""
    denied_by: str = ""
    """The rule that stopped the event, so that nothing of it reached the agent."""
    observed: bool = False
    """Shown by Tripwire's own `read_file`, which a hook saw."""
    later: bool = False
    """Nothing is shown before the event has passed, so this counts only if it is stopped."""
    probe: bool = False
    project: str = ""
    """Which project: a digest of its root, so that statistics are of one."""
