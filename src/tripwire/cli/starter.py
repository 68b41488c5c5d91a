"""What `init` writes, as text: `tripwire.yaml`, the agent's client entry, a first tripwire.

Pure: answers in, text out. Every text value goes out as a JSON string, which YAML reads as is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

PRESETS = {
    "filesystem": ("server-filesystem", "mcp-server-filesystem"),
    "fetch": ("mcp-server-fetch", "mcp_server_fetch"),
    "git": ("mcp-server-git", "mcp_server_git"),
}
"""Packaged policies, and what the command of their server is called."""

_AMOUNT = re.compile(r"amount|sum|total|price|qty|quantity", re.IGNORECASE)
_PLACE = re.compile(
    r"recipient|destination|address|iban|account|payee|wallet|email|^to$|url", re.IGNORECASE
)
_DESTROYS = re.compile(r"delete|remove|drop|destroy|wipe|purge|truncate|erase", re.IGNORECASE)
_SECRET_NAME = re.compile(r"token|key|secret|passw|credential|auth|pat$", re.IGNORECASE)

TRIPWIRE = """\
# A tripwire: what an agent should know before it touches a file that matches.
triggers:
  - "migrations/**"
context: |
  Migrations that have run are never edited. Add a new one instead.
severity: warning
created_by: human
"""


@dataclass(frozen=True, slots=True)
class Server:
    """One MCP server to put behind the gateway."""

    name: str
    command: tuple[str, ...]
    trust: str = "untrusted"
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Guarded:
    """One tool glob (shown name) and its guarded inputs; none means that every call is held."""

    tool: str
    inputs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answers:
    """All that `init` was told about the gateway."""

    servers: tuple[Server, ...] = ()
    guarded: tuple[Guarded, ...] = ()
    goal: bool = False
    review: bool = False
    typed: bool = False
    """Hooks tell what the user typed."""

    @property
    def has_registry(self) -> bool:
        """Whether a value can become trusted: from a trusted server, or typed by the user."""
        return self.typed or any(server.trust == "trusted" for server in self.servers)


def unreachable(answers: Answers) -> tuple[str, ...]:
    """Guarded inputs that no call could satisfy, because nothing here makes a value trusted."""
    if answers.has_registry:
        return ()
    return tuple(
        f"{one.tool}: {name}"
        for one in answers.guarded
        for name, provenance in one.inputs.items()
        if provenance == "trusted"
    )


def provenance_of(name: str) -> str:
    """Amounts may come from anywhere that was read; everything else must be trusted."""
    return "any" if _AMOUNT.search(name) else "trusted"


def policy_text(answers: Answers) -> str:
    """`tripwire.yaml`."""
    parts = [
        "# Tripwire: `tripwire check` looks at it, docs/reference/config.md explains each key.\n"
    ]
    if answers.servers:
        parts.append("upstreams:\n" + "".join(map(_server, answers.servers)))
    if answers.guarded:
        rules = (_rule(number, one, answers) for number, one in enumerate(answers.guarded, 1))
        parts.append("rules:\n" + "".join(rules))
    presets = {server.name: preset for server in answers.servers if (preset := _preset(server))}
    if presets:
        listed = "".join(f"    {name}: {preset}\n" for name, preset in presets.items())
        parts.append(
            f"# What the tools of these servers read and write.\nflow:\n  policies:\n{listed}"
        )
    if len(parts) == 1:
        parts.append("flow:\n  mode: enforce\n")
    return "\n".join(parts)


def agent_config(command: Iterable[str], config: str) -> str:
    """The entry for the agent's own MCP configuration."""
    first, *rest = command
    entry = {"command": first, "args": [*rest, "run", "-c", config]}
    return json.dumps({"mcpServers": {"tripwire-gateway": entry}}, indent=2) + "\n"


def imported(config: Mapping[str, object]) -> tuple[tuple[Server, ...], tuple[str, ...]]:
    """The stdio servers of a client's MCP configuration, and what was left out and why."""
    servers: list[Server] = []
    notes: list[str] = []
    listed = config.get("mcpServers")
    for name, entry in (listed if isinstance(listed, dict) else {}).items():
        if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
            notes.append(f"{name}: left out, it is not started by a command")
            continue
        if name.casefold().startswith("tripwire"):
            notes.append(f"{name}: left out, it is Tripwire itself")
            continue
        args = entry.get("args")
        words = [entry["command"], *(str(a) for a in (args if isinstance(args, list) else []))]
        env, moved = _environment(entry.get("env"))
        notes += [
            f"{name}: set {variable} in the environment; its value was not copied"
            for variable in moved
        ]
        taken = {server.name.casefold() for server in servers}
        servers.append(Server(_clean(name, taken), tuple(words), env=env))
    return tuple(servers), tuple(notes)


def _environment(env: object) -> tuple[dict[str, str], list[str]]:
    """Values as they are, but of credentials only the name, as a `${VAR}`."""
    kept: dict[str, str] = {}
    moved: list[str] = []
    for name, value in (env if isinstance(env, dict) else {}).items():
        if _SECRET_NAME.search(name):
            kept[name] = f"${{{name}}}"
            moved.append(name)
        else:
            kept[name] = str(value).replace("$", "$$")
    return kept, moved


def _clean(name: str, taken: set[str]) -> str:
    """A name that the schema accepts and nobody else has."""
    clean = re.sub(r"[^A-Za-z0-9-]+", "-", name).strip("-")[:48] or "server"
    number = 1
    unique = clean
    while unique.casefold() in taken:
        number += 1
        unique = f"{clean}-{number}"
    return unique


def _quoted(text: str) -> str:
    return json.dumps(text.replace("$", "$$"), ensure_ascii=False)


def _server(server: Server) -> str:
    words = ", ".join(map(_quoted, server.command))
    env = ", ".join(
        f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in server.env.items()
    )
    more = f"    env: {{{env}}}\n" if env else ""
    return f"  - name: {server.name}\n    command: [{words}]\n    trust: {server.trust}\n{more}"


def _preset(server: Server) -> str:
    for preset, programs in PRESETS.items():
        if any(program in word for word in server.command for program in programs):
            return preset
    return ""


def _rule(number: int, guarded: Guarded, answers: Answers) -> str:
    lines = [f"  - id: guard-{number}\n    match: {{tool: {_quoted(guarded.tool)}}}\n"]
    inputs = guarded.inputs
    if not answers.has_registry:  # a guard that nothing can satisfy would refuse every call
        inputs = {n: p for n, p in inputs.items() if p != "trusted"}
    if inputs:
        lines.append("    sensitive_params:\n")
        lines += [f"      {_quoted(n)}: {_guard(n, p)}\n" for n, p in inputs.items()]
    verify = []
    if inputs != guarded.inputs or not inputs or _DESTROYS.search(guarded.tool):
        verify.append("always: hold")
    if answers.goal:
        verify.append("require_intent: true")
    if answers.review and inputs:
        verify.append("tiers: [receipts, provenance, consensus], panel: [offline]")
    if verify:
        lines.append(f"    verify: {{{', '.join(verify)}}}\n")
    return "".join(lines)


def _guard(name: str, provenance: str) -> str:
    if _AMOUNT.search(name):
        return f"{{provenance: {provenance}, role: amount}}"
    if _PLACE.search(name):
        return f"{{provenance: {provenance}, role: destination}}"
    return f"{{provenance: {provenance}}}"
