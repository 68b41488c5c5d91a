"""Every key of `tripwire.yaml`: type, default, meaning, and how two files combine.

The reader knows no other key than these; `docs/reference/config.md` is generated from them.
`later` names the feature a key waits for: setting it is an error, because accepting it would
silently not protect. With `later_values`, only those values wait.
"""

# ruff: noqa: E501  # one key per line is easier to compare than wrapped ones

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Under(Enum):
    """How a project's value combines with one that the user-level file sets: never looser."""

    FREE = "the project's value counts"
    KEEP = "the user-level value stays"
    SMALLER = "the project may only lower it"
    LARGER = "the project may only raise it"
    RANKED = "the project may only choose a stricter word"
    SUBSET = "the project may only take entries away"
    UNION = "both count"
    SECTION = "key by key"
    ENTRIES = "entries of the project are added; those of the user-level file stay"


@dataclass(frozen=True, slots=True)
class Key:
    """One key. `ranks` lists its words from loose to strict."""

    type: str
    default: str
    meaning: str
    under: Under = Under.FREE
    ranks: tuple[str, ...] = ()
    later: str = ""
    later_values: tuple[str, ...] = ()


def _ranked(default: str, meaning: str, *ranks: str) -> Key:
    return Key(" \\| ".join(ranks), default, meaning, Under.RANKED, ranks)


_STRICTER_TRUE = ("false", "true")
_STRICTER_ON = ("off", "on")

ROOT: Mapping[str, Key] = {
    "upstreams": Key("list, at least 1", "–", "The MCP servers behind the gateway; required by `tripwire run`.", Under.ENTRIES),
    "defaults": Key("mapping", "{}", "What holds where no rule speaks.", Under.SECTION),
    "rules": Key("list", "[]", "Which calls are guarded, and how; the first match wins.", Under.ENTRIES),
    "transport": Key("stdio", "stdio", "How the agent reaches the gateway.", later="serving HTTP", later_values=("http",)),
    "state_dir": Key("path", ".tripwire", "Where `tripwire run` keeps its sessions (0700).", Under.KEEP),
    "keys_dir": Key("path \\| beside", "$TRIPWIRE_HOME/keys", "Where keys are kept; `beside` puts them into the session directory.", Under.KEEP),
    "intent": Key("mapping", "{}", "Where the user's goal comes from.", Under.SECTION),
    "pins": Key("mapping", "{}", "What holds when a server's tools are not those first seen.", Under.SECTION),
    "approvals": Key("mapping", "{}", "Who is asked, and how long an answer holds.", Under.SECTION),
    "audit": Key("mapping", "{}", "The audit log.", Under.SECTION),
    "verifiers": Key("mapping", "{}", "Named reviewers for `verify.panel`.", Under.ENTRIES),
    "agent_provider": Key("text", "–", "Provider of the acting agent, excluded from panels.", Under.KEEP),
    "limits": Key("mapping", "{}", "Bounds of messages and memory.", Under.SECTION),
    "telemetry": Key("mapping", "{}", "Metrics and exports.", Under.SECTION),
    "redact": Key("list of `<tool glob>: <JSON path>`", "[]", "Result values that receipts replace by commitments.", Under.UNION),
    "store": Key("file", "file", "Where the journal is kept.", later="the PostgreSQL store", later_values=("postgresql",)),
    "flow": Key("mapping", "{}", "Labels, destinations, secrets and the shell.", Under.SECTION),
    "say": Key("mapping", "–", "What the agent may say.", later="guarding what the agent says"),
    "read": Key("mapping", "{}", "What the agent is told about files it touches."),
}  # fmt: skip

DEFAULTS: Mapping[str, Key] = {
    "on_unmatched": _ranked("pass", "Calls that no rule matches.", "pass", "block"),
    "audit": _ranked("all", "`decisions` omits listings and notifications, never calls.", "decisions", "all"),
}  # fmt: skip

INTENT: Mapping[str, Key] = {
    "source": Key("list of hook, library, declared", "all three", "Whose words count as the goal.", Under.SUBSET),
    "on_change": _ranked("hold", "What a goal that changes after an untrusted read does.", "flag", "hold", "block"),
}  # fmt: skip

APPROVALS: Mapping[str, Key] = {
    "channels": Key("list of mcp, cli, web", "all three", "How a person is asked; leave `mcp` out for clients with no human.", Under.SUBSET),
    "timeout_ms": Key("whole number", "300000", "How long a held call waits before it is blocked.", Under.SMALLER),
    "max_ttl": Key("duration", "24h", "Longest life of an approval.", Under.SMALLER),
}  # fmt: skip

PINS: Mapping[str, Key] = {
    "mode": _ranked("enforce", "Whether a changed tool is refused, or only named.", "warn", "enforce"),
    "on_new_tool": _ranked("quarantine", "What a new tool of a known server does.", "pin", "quarantine"),
}  # fmt: skip

AUDIT: Mapping[str, Key] = {
    "checkpoint_every": Key("whole number", "100", "Entries between signed checkpoints.", Under.SMALLER),
    "anchors": Key("list", "[]", "Places outside that are told each checkpoint.", Under.KEEP),
}  # fmt: skip

ANCHOR: Mapping[str, Key] = {
    "type": Key("file \\| git \\| syslog \\| http", "required", "How it is told."),
    "target": Key("text", "required", "The file, the repository, the socket or `host:port`, the address."),
    "required": Key("true \\| false", "false", "Whether guarded and writing calls wait for it to work."),
}  # fmt: skip

VERIFIER: Mapping[str, Key] = {
    "provider": Key("offline", "required", "Who judges.", later="model verifiers", later_values=("anthropic", "openai", "google", "openai_compatible")),
    "model": Key("text", "–", "Model name.", later="model verifiers"),
    "base_url": Key("URL", "–", "Where an OpenAI-compatible server listens.", later="model verifiers"),
    "api_key_env": Key("text", "–", "Environment variable with the key.", later="model verifiers"),
    "timeout_ms": Key("whole number", "8000", "Deadline of one verdict."),
}  # fmt: skip

LIMITS: Mapping[str, Key] = {
    "message_bytes": Key("whole number", "16777216", "Largest message, in bytes.", Under.SMALLER),
    "depth": Key("whole number", "128", "Deepest nesting of a message.", Under.SMALLER),
    "index_mb": Key("whole number", "64", "Memory of the value index before it spills.", Under.FREE),
    "inflight": Key("whole number", "64", "Calls that may run at the same time.", Under.SMALLER),
}  # fmt: skip

TELEMETRY: Mapping[str, Key] = {
    "metrics": Key("true \\| false", "true", "Count decisions."),
    "otlp_endpoint": Key("URL", "–", "Where spans go.", later="telemetry export"),
    "export": Key("list", "[]", "Event exports.", later="telemetry export"),
}  # fmt: skip

UPSTREAM: Mapping[str, Key] = {
    "name": Key("text", "required", "Letters, digits and `-`; tools are shown as `<name>__<tool>`."),
    "command": Key("list, or text with `args`", "required", "How the server is started; text is split like a shell does."),
    "args": Key("list", "[]", "More arguments after `command`."),
    "argv": Key("list", "[]", "The same as `args`."),
    "env": Key("mapping of text", "{}", "Its environment, beside HOME, LOGNAME, PATH, SHELL, TERM and USER."),
    "cwd": Key("path", "the config file's directory", "Where it is started."),
    "url": Key("URL", "–", "A server reached over HTTP.", later="HTTP upstreams"),
    "headers": Key("mapping", "–", "Headers for `url`.", later="HTTP upstreams"),
    "auth": Key("mapping", "–", "Sign-in for `url`.", later="HTTP upstreams"),
    "trust": Key("trusted \\| member \\| untrusted", "untrusted", "Who can write what its results say."),
    "timeout_ms": Key("whole number", "60000", "How long a call may take."),
    "tools": Key("mapping", "{}", "Which tools the agent may see."),
    "prefix": Key("true \\| false", "true", "`false` shows plain tool names; a collision is an error."),
    "locale": Key("text", "–", "How its numbers are written, such as `de` or `en-US`."),
    "sharing": Key("session \\| principal \\| process", "session", "Who shares one running server."),
    "tool_options": Key("mapping from tool glob", "{}", "Facts about its tools."),
}  # fmt: skip

TOOLS: Mapping[str, Key] = {
    "allow": Key("list of globs", "all", "Only these tools are shown."),
    "deny": Key("list of globs", "[]", "These tools are hidden and refused."),
}

TOOL_OPTIONS: Mapping[str, Key] = {
    "trust": Key("trusted \\| member \\| untrusted", "the upstream's", "Trust of that tool's results."),
    "trusted_fields": Key("list of JSON paths", "[]", "Only these result fields keep the trust; the rest is untrusted."),
    "untrusted_fields": Key("list of JSON paths", "[]", "Result fields that outsiders can write; they win."),
    "transforms": Key("true \\| false", "false", "It echoes or computes: its results never raise the trust of a value."),
    "effect": Key("read \\| write", "by annotation and name", "Whether it changes something."),
    "record_key": Key("JSON path", "–", "What identifies a record, for staleness."),
}  # fmt: skip

RULE: Mapping[str, Key] = {
    "id": Key("text", "rule-N", "How findings and messages name it."),
    "match": Key("mapping, not empty", "required", "Which calls; all its keys must fit."),
    "sensitive_params": Key("mapping from parameter path", "{}", "Parameters whose values must be grounded."),
    "verify": Key("mapping", "{}", "How its calls are verified."),
}  # fmt: skip

MATCH: Mapping[str, Key] = {
    "tool": Key("glob", "–", "The shown tool name, such as `payments__send_*`."),
    "upstream": Key("text", "–", "Name of an upstream."),
    "annotation": Key("mapping", "–", "MCP tool hints: readOnlyHint, destructiveHint, idempotentHint, openWorldHint."),
}  # fmt: skip

GUARD: Mapping[str, Key] = {
    "provenance": Key("trusted \\| any", "required", "Where the value must have been seen; member does not satisfy `trusted`."),
    "role": Key("destination \\| amount \\| currency \\| id \\| text", "by name and schema", "What the value is for."),
    "type": Key("address \\| iban \\| amount \\| email \\| url \\| id \\| phone \\| date \\| text", "by its form", "What it must parse as."),
    "currency": Key("code or path", "–", "Fixed currency, or the argument that holds it."),
    "unit": Key("major \\| minor", "major", "`minor`: the argument is in cents."),
    "derive": Key("list of sum", "[]", "An amount may be the sum of at most 12 labelled amounts."),
    "required": Key("true \\| false", "false", "The call fails without it."),
    "allow_empty": Key("true \\| false", "false", "An empty value passes."),
}  # fmt: skip

VERIFY: Mapping[str, Key] = {
    "tiers": Key("list of receipts, provenance, consensus", "[receipts, provenance]", "Which checks run."),
    "require_intent": Key("true \\| false", "false", "The call fails without a stated goal."),
    "always": Key("none \\| hold \\| block", "none", "What happens to every such call."),
    "panel": Key("list of verifier names", "[]", "Who reviews under tier consensus; `offline` is built in."),
    "quorum": Key("majority \\| unanimous", "majority", "How many must agree."),
    "checks": Key("list of intent_match, source_grounding, bounds_and_sanity", "all three", "What the panel is asked."),
    "on_fail": Key("block \\| hold", "block", "What a failed check does."),
    "fail_mode": Key("closed \\| open", "closed", "What a missing verdict counts as."),
    "timeout_ms": Key("whole number", "8000", "Deadline of the panel."),
    "allow_same_provider": Key("true \\| false", "false", "Two verifiers of one provider may sit together."),
}  # fmt: skip
