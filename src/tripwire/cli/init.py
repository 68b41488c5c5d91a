"""`tripwire init`: plain questions or flags → `tripwire.yaml` and the agent's client entry."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tripwire.cli import show, starter
from tripwire.cli.init_flags import Options, wanted_by
from tripwire.cli.install import ClientName, install
from tripwire.cli.questions import Wanted, ask_gateway, interview
from tripwire.cli.starter import Answers
from tripwire.config import trust
from tripwire.config.load import load_policy
from tripwire.config.places import CONFIG_NAME
from tripwire.doors.hooks import served
from tripwire.doors.hooks.hook_files import FILES
from tripwire.errors import PolicyErrors, UsageError
from tripwire.io import acceptance
from tripwire.io.client_files import ClientFile

AGENT_CONFIG = "tripwire-agent-config.json"


_NOTHING = Options()


def init(directory: Path = Path(), /, *, options: Options = _NOTHING) -> int:
    """Set up Tripwire in a directory: asks on a terminal, or takes flags.

    Writes tripwire.yaml and tripwire-agent-config.json (the entry for the agent's MCP
    configuration). Never overwrites a file without --force. Exit code 1 if you stop it.

    Args:
        directory: Where to write; the current directory by default.
        options: See below.

    """
    work = _Work(directory.absolute(), force=options.force)
    try:
        wanted = _wanted(options, work)
    except (EOFError, KeyboardInterrupt):
        show.say("stopped; nothing was written")
        return 1
    if wanted.gateway:
        work.gateway(replace(wanted.answers, typed=wanted.hooks or bool(options.hooks)))
    if wanted.read:
        work.tripwire()
    for client in options.hooks or (("claude-code",) if wanted.hooks else ()):
        work.hooks(client)
        if wanted.read:
            work.server(client)
    return work.report(as_json=options.json)


def _wanted(options: Options, work: _Work) -> Wanted:
    """By questions on a terminal, as far as the flags leave something open; else by the flags."""
    if not sys.stdin.isatty():
        return wanted_by(options, work.notes)
    if not options.silent:
        return interview(taken=work.taken())
    if options.servers_are_open:
        work.free()
        return Wanted(True, bool(options.hooks), ask_gateway(), read=options.read)
    return wanted_by(options, work.notes)


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
                where="init --gateway",
                fix="Add --server 'name=command', --import FILE, or run it on a terminal.",
            )
        self.free()
        config, agent = self.directory / CONFIG_NAME, self.directory / AGENT_CONFIG
        text = starter.policy_text(answers)
        self._write(config, text)
        self.notes += [
            f"{guarded} is not guarded, every call is held instead: no server here is trusted"
            " and no hooks tell what you typed, so no value could pass"
            for guarded in starter.unreachable(answers)
        ]
        if not acceptance.accept_written(config):
            self.next.append(f"{trust.COMMAND}, in a terminal of your own")
        self._write(agent, starter.agent_config(_own_command(), str(config)))
        self.next += [
            f"tripwire check -c {shlex.quote(str(config))}",
            f"put {AGENT_CONFIG} into the agent's MCP configuration, in place of the servers",
        ]

    def tripwire(self) -> None:
        """Write a first tripwire; a second run changes nothing."""
        file = self.directory / ".tripwires" / "example.yml"
        there = file if file.exists() else next(iter(sorted(file.parent.glob("*.yml"))), None)
        if there is not None and not self.force:
            self.notes.append(f"{there} is already there")
        else:
            self._write(file, starter.TRIPWIRE)

    def hooks(self, client: ClientName) -> None:
        """Install the hooks for the project."""
        before = Path.cwd()
        os.chdir(self.directory)
        try:
            with show.quiet():
                install(client, project=True)
        finally:
            os.chdir(before)
        self.written.append(str(self.directory / FILES[client].project))
        self.next.append("restart a running session of the client")

    def server(self, client: ClientName) -> None:
        """Name our file server in the client's configuration; an entry that is there stays."""
        file = ClientFile(self.directory / served.FILES[client][0][0])
        file.check_inside(self.directory, Path.home())
        before = file.text()
        text = served.with_server(client, before, (*_own_command(), "serve"))
        if text != before:
            file.write(text)
            self.written.append(str(file.path))

    def taken(self) -> list[str]:
        """The gateway's files that are there already and must not be overwritten."""
        files = (self.directory / CONFIG_NAME, self.directory / AGENT_CONFIG)
        return [] if self.force else [str(file) for file in files if os.path.lexists(file)]

    def free(self) -> None:
        """Raises UsageError if one of the gateway's files is there already."""
        if taken := self.taken():
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
        if not (self.written or self.notes):
            show.line("nothing to set up")
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
