"""The flags of `tripwire init`, and what they ask for."""

from __future__ import annotations

import json as jsonlib
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tripwire.cli import starter
from tripwire.cli.install import ClientName
from tripwire.cli.questions import NAME, Wanted
from tripwire.cli.starter import Answers, Guarded, Server
from tripwire.config.suggest import did_you_mean
from tripwire.config.upstream_schema import TRUST
from tripwire.errors import UsageError

_MANY = Parameter(consume_multiple=False)


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Options:
    """The flags; each docstring is its help text."""

    gateway: bool = False
    """Put Tripwire in front of MCP servers."""
    hooks: Annotated[tuple[ClientName, ...], _MANY] = ()
    """Put the hooks into an agent client (repeat for more); with --read also our file server."""
    read: bool = False
    """Write a first tripwire into `.tripwires/`."""
    server: Annotated[tuple[str, ...], _MANY] = ()
    """An MCP server as `name=command` (repeat for more)."""
    trust: Annotated[tuple[str, ...], _MANY] = ()
    """Who writes what a server returns, as `name=trusted|member|untrusted`."""
    guard: Annotated[tuple[str, ...], _MANY] = ()
    """`tool:input=trusted|any`, `tool:input`, or `tool` to be asked every time."""
    import_: Annotated[Path | None, Parameter(name="--import")] = None
    """Take the servers from a client's MCP configuration (JSON)."""
    goal: bool = False
    """Guarded calls need a stated goal."""
    review: bool = False
    """Guarded calls are checked a second time (offline, no model)."""
    yes: Annotated[bool, Parameter(name=["--yes", "-y"])] = False
    """Ask nothing."""
    force: bool = False
    """Overwrite files that exist."""
    json: bool = False
    """Print one JSON object instead of text; asks nothing."""

    @property
    def silent(self) -> bool:
        """Whether the flags say what to do, so that nothing is asked."""
        chosen = (self.gateway, self.hooks, self.read, self.server, self.import_)
        return any(chosen) or self.yes or self.json

    @property
    def servers_are_open(self) -> bool:
        """Whether the gateway is wanted and questions may say which servers."""
        told = self.server or self.import_ or self.yes or self.json
        return self.gateway and not told


def wanted_by(options: Options, notes: list[str]) -> Wanted:
    """What the flags ask for; without any, the reading side (README of the specs, verbs).

    `--yes` alone names nothing to set up, so nothing is written.
    """
    servers = _servers(options, notes)
    guarded = _guards(options.guard, tuple(servers))
    answers = Answers(tuple(servers.values()), guarded, options.goal, options.review)
    gateway = options.gateway or bool(servers)
    hooks = bool(options.hooks)
    read = options.read or not (gateway or hooks or options.yes)
    return Wanted(gateway, hooks, answers, read=read)


def _servers(options: Options, notes: list[str]) -> dict[str, Server]:
    servers = {one.name: one for one in _imported(options.import_, notes)}
    for word in options.server:
        one = _server(word)
        if one.name.casefold() in {name.casefold() for name in servers}:
            raise UsageError(f'the name "{one.name}" stands twice', where="--server")
        servers[one.name] = one
    for word in options.trust:
        name, _, level = word.partition("=")
        if name not in servers:
            raise UsageError(
                f'no server "{name}"', where="--trust", fix=did_you_mean(name, servers)
            )
        if level not in TRUST:
            raise UsageError(f'no trust "{level}"', where="--trust", fix=did_you_mean(level, TRUST))
        old = servers[name]
        servers[name] = Server(old.name, old.command, level, old.env)
    return servers


def _server(word: str) -> Server:
    name, equals, command = word.partition("=")
    if not equals or not NAME.fullmatch(name) or name.casefold() == "tripwire":
        raise UsageError(
            f'"{name}" is no server name' if equals else f'"{word}" has no `=`',
            where="--server",
            fix="Write it like --server 'docs=python docs.py'.",
        )
    try:
        words = tuple(shlex.split(command))
    except ValueError:
        raise UsageError("a quote is not closed", where=f"--server {name}") from None
    if not words:
        raise UsageError("has no command", where=f"--server {name}")
    return Server(name, words)


def _guards(words: tuple[str, ...], servers: tuple[str, ...]) -> tuple[Guarded, ...]:
    found: dict[str, dict[str, str]] = {}
    for word in words:
        tool, colon, inner = word.partition(":")
        shown = tool if "__" in tool or len(servers) != 1 else f"{servers[0]}__{tool}"
        if not tool or (colon and not inner):
            raise UsageError(
                f'"{word}" is no guard', where="--guard", fix="Write tool:input=trusted."
            )
        inputs = found.setdefault(shown, {})
        if colon:
            name, equals, level = inner.partition("=")
            if equals and level not in ("trusted", "any"):
                raise UsageError(f'"{level}" is neither trusted nor any', where="--guard")
            inputs[name] = level or starter.provenance_of(name)
    return tuple(Guarded(tool, inputs) for tool, inputs in found.items())


def _imported(file: Path | None, notes: list[str]) -> tuple[Server, ...]:
    if file is None:
        return ()
    try:
        config = jsonlib.loads(file.read_bytes())
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror})", where=str(file)) from None
    except (ValueError, RecursionError):
        raise UsageError("is not JSON", where=str(file), fix="Repair it first.") from None
    servers, left_out = starter.imported(config if isinstance(config, dict) else {})
    if not servers:
        raise UsageError("names no server that a command starts", where=str(file))
    notes += left_out
    return servers
