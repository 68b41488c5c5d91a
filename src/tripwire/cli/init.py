"""`tripwire init`: plain questions or flags → `tripwire.yaml` and the agent's client entry."""

from __future__ import annotations

import contextlib
import json as jsonlib
import os
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from tripwire.cli import show, starter
from tripwire.cli.install import install
from tripwire.cli.questions import NAME, interview
from tripwire.cli.starter import Answers, Guarded, Server
from tripwire.config.load import load_policy
from tripwire.config.places import CONFIG_NAME
from tripwire.config.suggest import did_you_mean
from tripwire.config.upstream_schema import TRUST
from tripwire.errors import PolicyErrors, UsageError

AGENT_CONFIG = "tripwire-agent-config.json"
_FLAG = Parameter(negative="")
_MANY = Parameter(negative="", consume_multiple=False)


def init(  # noqa: PLR0913 - options of a verb
    directory: Path = Path(),
    /,
    *,
    gateway: Annotated[bool, _FLAG] = False,
    hooks: Annotated[Literal["claude-code"] | None, Parameter()] = None,
    read: Annotated[bool, _FLAG] = False,
    server: Annotated[list[str] | None, _MANY] = None,
    trust: Annotated[list[str] | None, _MANY] = None,
    guard: Annotated[list[str] | None, _MANY] = None,
    import_: Annotated[Path | None, Parameter(name="--import")] = None,
    goal: Annotated[bool, _FLAG] = False,
    review: Annotated[bool, _FLAG] = False,
    yes: Annotated[bool, Parameter(name=["--yes", "-y"], negative="")] = False,
    force: Annotated[bool, _FLAG] = False,
    json: Annotated[bool, _FLAG] = False,
) -> int:
    """Set up Tripwire in a directory: asks on a terminal, or takes flags.

    Writes tripwire.yaml and tripwire-agent-config.json (the entry for the agent's MCP
    configuration). Never overwrites a file without --force. Exit code 1 if you stop it.

    Args:
        directory: Where to write; the current directory by default.
        gateway: Put Tripwire in front of MCP servers.
        hooks: Put the hooks into an agent client.
        read: Write a first tripwire into `.tripwires/`.
        server: An MCP server as `name=command` (repeat for more).
        trust: Who writes what a server returns, as `name=trusted|member|untrusted`.
        guard: `tool:input=trusted|any`, `tool:input`, or `tool` to be asked every time.
        import_: Take the servers from a client's MCP configuration (JSON).
        goal: Guarded calls need a stated goal.
        review: Guarded calls are checked a second time (offline, no model).
        yes: Ask nothing.
        force: Overwrite files that exist.
        json: Print one JSON object instead of text; asks nothing.

    """
    flags = any((gateway, hooks, read, server, import_))
    work = _Work(directory.absolute(), force=force)
    if not flags and not yes and not json and sys.stdin.isatty():
        try:
            wanted = interview()
        except (EOFError, KeyboardInterrupt):
            show.say("stopped; nothing was written")
            return 1
        gateway, hooks = wanted.gateway, "claude-code" if wanted.hooks else None
        answers = wanted.answers
    else:
        answers = _from_flags(server, trust, guard, import_, work.notes)
        answers = Answers(answers.servers, answers.guarded, goal, review)
        gateway = gateway or bool(answers.servers)
        read = read or not (gateway or hooks)
    if gateway:
        work.gateway(answers)
    if read:
        work.tripwire()
    if hooks:
        work.hooks(hooks)
    return work.report(as_json=json)


@dataclass(slots=True)
class _Work:
    """What is written where, and what to say about it."""

    directory: Path
    force: bool
    written: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    next: list[str] = field(default_factory=list)

    def gateway(self, answers: Answers) -> None:
        """Write the policy and the client entry, after the policy was read back and found good."""
        if not answers.servers:
            raise UsageError(
                "no server was named",
                where="tripwire init --gateway",
                fix="Add --server 'name=command', --import FILE, or run it on a terminal.",
            )
        config, agent = self.directory / CONFIG_NAME, self.directory / AGENT_CONFIG
        self._free(config, agent)
        text = starter.policy_text(answers)
        self._write(config, text)
        self._write(agent, starter.agent_config(_own_command(), str(config)))
        self.next += [
            f"tripwire check -c {shlex.quote(str(config))}",
            f"put {AGENT_CONFIG} into the agent's MCP configuration, in place of the servers",
        ]

    def tripwire(self) -> None:
        """Write a first tripwire; a second run changes nothing."""
        file = self.directory / ".tripwires" / "example.yml"
        if file.exists() and not self.force:
            self.notes.append(f"{file} is already there")
        else:
            self._write(file, starter.TRIPWIRE)
        self.notes.append(
            "showing tripwires to an agent is not available yet in this version (READ)"
        )

    def hooks(self, client: Literal["claude-code"]) -> None:
        """Install the hooks for the project."""
        before = Path.cwd()
        os.chdir(self.directory)
        try:
            with show.quiet():
                install(client, project=True)
        finally:
            os.chdir(before)
        self.written.append(str(self.directory / ".claude" / "settings.json"))
        self.next.append("restart a running session of the client")

    def _free(self, *files: Path) -> None:
        taken = [str(file) for file in files if file.exists() or file.is_symlink()]
        if taken and not self.force:
            raise UsageError(
                "exists already, so nothing was written",
                where=", ".join(taken),
                fix="Use --force to overwrite, or another directory.",
            )

    def _write(self, file: Path, text: str) -> None:
        """Write through a new file, so that a bad policy never stands where a good one was."""
        fresh = file.with_name(f".{file.name}.new")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_text(text, "utf-8")
            if file.name == CONFIG_NAME:
                self._read_back(fresh)
            fresh.replace(file)
        except OSError as error:
            raise UsageError(
                f"cannot be written ({error.strerror})", where=str(file), fix="Check the directory."
            ) from None
        finally:
            with contextlib.suppress(OSError):
                fresh.unlink(missing_ok=True)
        self.written.append(str(file))

    def _read_back(self, fresh: Path) -> None:
        """Unset variables of an imported configuration are set later; all else must be right."""
        try:
            load_policy(fresh, user=fresh)
        except PolicyErrors as errors:
            bad = [
                one
                for one in errors.problems
                if not one.what.startswith("the environment variable")
            ]
            if bad:
                first = bad[0]
                raise UsageError(
                    first.what, where=first.where.split(": ", 1)[-1], fix=first.fix
                ) from None

    def report(self, *, as_json: bool) -> int:
        """Say what was done."""
        if as_json:
            facts: dict[str, Any] = {"ok": True, "written": self.written, "notes": self.notes}
            show.data({**facts, "next": self.next})
            return 0
        for name in self.written:
            show.mark(good=True, words=f"wrote {name}")
        for words in self.notes:
            show.warning(words)
        for words in self.next:
            show.line(f"  next: {words}")
        return 0


def _own_command() -> tuple[str, ...]:
    """How a client starts this Tripwire, by absolute path."""
    script = Path(sys.executable).with_name("tripwire")
    return (str(script),) if script.is_file() else (sys.executable, "-m", "tripwire")


def _from_flags(
    server: list[str] | None,
    trust: list[str] | None,
    guard: list[str] | None,
    client_config: Path | None,
    notes: list[str],
) -> Answers:
    servers = {one.name: one for one in _imported(client_config, notes)}
    for word in server or ():
        one = _server(word)
        if one.name.casefold() in {name.casefold() for name in servers}:
            raise UsageError(f'the name "{one.name}" stands twice', where="--server")
        servers[one.name] = one
    for word in trust or ():
        name, _, level = word.partition("=")
        if name not in servers:
            raise UsageError(
                f'no server "{name}"', where="--trust", fix=did_you_mean(name, servers)
            )
        if level not in TRUST:
            raise UsageError(f'no trust "{level}"', where="--trust", fix=did_you_mean(level, TRUST))
        old = servers[name]
        servers[name] = Server(old.name, old.command, level, old.env)
    return Answers(tuple(servers.values()), _guards(guard or [], tuple(servers)))


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


def _guards(words: list[str], servers: tuple[str, ...]) -> tuple[Guarded, ...]:
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
