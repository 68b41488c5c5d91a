"""Policy: the operator's YAML as typed values. Data only; the rules that read it are code.

`config/schema.py` is the only place that builds these from a dict. Defaults are the specs'
(gateway.md §2, flow.md §2.3). Durations are seconds, sizes bytes, unless the name says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tripwire.model.label import Label, Trust, WriteClass
from tripwire.model.shell_tables import ShellTables
from tripwire.model.tripwire import TripwireRules
from tripwire.model.verdict import Action

# ── flow.md ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Condition:
    """`when` / `unless` of a role: one argument (or template) against globs (flow.md §2.4)."""

    subject: str
    globs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Role:
    """What one tool (or one variant of it) reads and writes (flow.md §2.4).

    Argument names are paths (`to`, `headers.cc`, `attendees[*].email`).
    """

    reads: frozenset[Label] = frozenset()
    writes: frozenset[WriteClass] = frozenset()
    when: tuple[Condition, ...] = ()
    unless: tuple[Condition, ...] = ()
    destination: tuple[str, ...] = ()
    carries_data: bool = False
    object: tuple[str, ...] = ()
    amount: tuple[str, ...] = ()
    source: Trust | None = None
    records: bool = False
    kind: str = ""
    authority: tuple[str, ...] = ()
    payload: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    effects: tuple[str, ...] = ()
    classifier: str = ""
    """`shell`, `notebook`, `url`, or `path` (labels and classes follow the path, flow.md §3.8)."""
    path: tuple[str, ...] = ()
    """Arguments that are paths the tool reads or writes."""
    access: str = ""
    """For `classifier: path`: `read` or `write`."""
    harmless: bool = False
    user_words: bool = False
    """The result is the user's own words (AskUserQuestion, flow.md §3.8)."""
    delegates: bool = False
    """The arguments instruct another agent: prompt DLP only (Agent, Skill; flow.md §3.8)."""


@dataclass(frozen=True, slots=True)
class ToolRoles:
    """The roles of one source's tools, exact names and globs, most specific first."""

    roles: Mapping[str, tuple[Role, ...]] = field(default_factory=dict)
    preset: str = ""
    own_only: bool = False
    """Of its records only the user's own vouch for a recipient: outsiders fill their fields."""


@dataclass(frozen=True, slots=True)
class FlowRow:
    """One row of the flow table (flow.md §3.2); `skip` names the conditions that clear it."""

    id: str
    needs: frozenset[Label]
    classes: frozenset[WriteClass]
    action: Action
    skip: frozenset[str] = frozenset()
    remedy: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class PathLists:
    """Glob lists matched on resolved absolute paths (flow.md §2.3, §3.6). `~` is the home."""

    secret: tuple[str, ...] = ()
    exec: tuple[str, ...] = ()
    build: tuple[str, ...] = ()
    untrusted: tuple[str, ...] = ()
    public: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    scratch: tuple[str, ...] = ()
    fixture: tuple[str, ...] = ()
    build_outputs: tuple[str, ...] = ()
    """Names of directories that a build or an install makes anew; no globs."""
    sources: tuple[str, ...] = ()
    """Names of directories beneath which such a name says nothing; no globs."""
    own_state: tuple[str, ...] = ()
    """Tripwire's own state, config, policy and hook settings (act/own-state)."""


@dataclass(frozen=True, slots=True)
class DlpLimits:
    """Bounds of the secret scan (flow.md §2.3 `dlp`)."""

    depth: int = 3
    max_kb: int = 1024
    shapes: bool = True
    fragments: bool = True


@dataclass(frozen=True, slots=True)
class FlowPolicy:
    """The `flow:` section."""

    mode: str = "enforce"
    tools: Mapping[str, ToolRoles] = field(default_factory=dict)
    """Source → roles; a source that is not here is not judged by the flow rules of a gateway."""
    rows: tuple[FlowRow, ...] = ()
    trusted_urls: tuple[str, ...] = ()
    internal_hosts: tuple[str, ...] = ()
    index_hosts: tuple[str, ...] = ()
    paths: PathLists = PathLists()
    strict_destinations: bool = False
    strict_links: bool = False
    own_only: bool = False
    """Only the user's own records vouch for a recipient (flow-rules.md §3.2)."""
    level: str = "default"
    purpose: bool = True
    """Whether calls are compared with what was asked for (PURP-2)."""
    me: tuple[str, ...] = ()
    own_domains: tuple[str, ...] = ()
    prompt_pastes: str = "trusted"
    approval_ttl: float = 8 * 3600.0
    unsafe_allow_unanswered: bool = False
    deadline_ms: int = 8000
    dlp: DlpLimits = DlpLimits()
    shell: ShellTables = field(default_factory=ShellTables)


# ── gateway.md ───────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class ToolOptions:
    """Per-tool facts of one upstream (gateway.md §2 `tool_options`)."""

    trust: Trust | None = None
    trusted_fields: tuple[str, ...] = ()
    untrusted_fields: tuple[str, ...] = ()
    transforms: bool = False
    effect: str = ""
    record_key: str = ""


@dataclass(frozen=True, slots=True)
class Upstream:
    """One stdio MCP server behind the gateway (HTTP comes with the gateway issue)."""

    name: str
    command: tuple[str, ...] = ()
    trust: Trust = Trust.WORLD
    timeout_ms: int = 60_000
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    prefix: bool = True
    locale: str = ""
    tool_options: Mapping[str, ToolOptions] = field(default_factory=dict)
    at: str = ""


@dataclass(frozen=True, slots=True)
class GuardedParam:
    """One `sensitive_params` entry (gateway.md §2). `path` is an argument path."""

    path: str
    provenance: str
    role: str = ""
    type: str = ""
    currency: str = ""
    unit: str = "major"
    derive: tuple[str, ...] = ()
    required: bool = False
    allow_empty: bool = False


@dataclass(frozen=True, slots=True)
class Verify:
    """How a rule's calls are verified (gateway.md §2 `verify`)."""

    tiers: tuple[str, ...] = ("receipts", "provenance")
    require_intent: bool = False
    always: str = "none"
    panel: tuple[str, ...] = ()
    quorum: str = "majority"
    checks: tuple[str, ...] = ("intent_match", "source_grounding", "bounds_and_sanity")
    on_fail: str = "block"
    fail_mode: str = "closed"
    timeout_ms: int = 8000
    allow_same_provider: bool = False


@dataclass(frozen=True, slots=True)
class CallRule:
    """One entry of `rules`: which calls, and what is asked of them. First match wins."""

    id: str
    tool: str = ""
    upstream: str = ""
    annotation: tuple[tuple[str, bool], ...] = ()
    sensitive_params: tuple[GuardedParam, ...] = ()
    verify: Verify = Verify()
    at: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """gateway.md §2 `limits`."""

    message_bytes: int = 16_777_216
    depth: int = 128
    index_mb: int = 64
    inflight: int = 64


@dataclass(frozen=True, slots=True)
class Anchor:
    """gateway.md §2 `audit.anchors`: a place outside that is told each checkpoint."""

    type: str
    target: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Approvals:
    """gateway.md §2 `approvals`."""

    channels: tuple[str, ...] = ("mcp", "cli", "web")
    timeout_ms: int = 300_000
    max_ttl: float = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Pins:
    """gateway.md §2 `pins`."""

    mode: str = "enforce"
    on_new_tool: str = "quarantine"


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything an operator decides, of all boundaries."""

    flow: FlowPolicy = FlowPolicy()
    upstreams: tuple[Upstream, ...] = ()
    call_rules: tuple[CallRule, ...] = ()
    on_unmatched: str = "pass"
    audit: str = "all"
    checkpoint_every: int = 100
    """Audit entries between two signed checkpoints."""
    anchors: tuple[Anchor, ...] = ()
    pins: Pins = Pins()
    intent_sources: tuple[str, ...] = ("hook", "library", "declared")
    intent_on_change: str = "hold"
    approvals: Approvals = Approvals()
    limits: Limits = Limits()
    state_dir: str = ".tripwire"
    keys_dir: str = ""
    redact: tuple[tuple[str, str], ...] = ()
    path: str = ""
    """The file it was read from, for messages ("" = built in)."""
    digest: str = ""
    """SHA-256 hex over every file it was built from; a cache with another digest is stale."""
    read: TripwireRules | None = field(default=None, compare=False)
    """The project's tripwires as of the last decision; a door renews them (read.md CTX-7)."""
    notices: tuple[str, ...] = ()
    """What was ignored while it was read, for people (a project's loosening keys)."""
    files: tuple[str, ...] = ()
    """Absolute names of the files it was read from; not of those that are part of Tripwire."""
    unaccepted: str = ""
    """One line for people if the project would loosen it and nobody has accepted that."""

    def upstream(self, name: str) -> Upstream | None:
        """The upstream of that name, if the configuration has one."""
        for upstream in self.upstreams:
            if upstream.name == name:
                return upstream
        return None
