"""One simple command with its words resolved, and what program functions do with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tripwire.act.shell import hosts
from tripwire.act.shell.effects import Deletion, Egress, FileWrite
from tripwire.act.shell.text import HOLE, known
from tripwire.model.label import Label, WriteClass

if TYPE_CHECKING:
    from tripwire.act.shell.scope import Scope
    from tripwire.act.shell.sink import Sink
    from tripwire.model.shell_tables import ShellTables

NOTHING: frozenset[str] = frozenset()


class Runner(Protocol):
    """What program functions need of the walker."""

    tables: ShellTables
    sink: Sink
    shells: int
    """How many `sh -c` are open."""
    deferred: list[tuple[str, Scope]]
    """Texts of traps: they run at the end, with the variables of then."""

    def run(self, words: list[str], scope: Scope, stdin: str | None) -> str | None:
        """Run one simple command; its output as text, None if nothing can be told."""

    def text(self, text: str, scope: Scope, stdin: str | None) -> str | None:
        """Run a whole command line."""

    def assign(self, name: str, value: str, scope: Scope) -> None:
        """A variable gets a value."""


class Option(NamedTuple):
    """One option as it was given; `value` is "" where it takes none."""

    name: str
    value: str


class Call(NamedTuple):
    """A program, its arguments, where it runs and what it gets on standard input."""

    name: str
    args: list[str]
    scope: Scope
    stdin: str | None
    runner: Runner

    @property
    def tables(self) -> ShellTables:
        """The tables of programs."""
        return self.runner.tables

    @property
    def sink(self) -> Sink:
        """Where effects go."""
        return self.runner.sink

    def run(self, words: list[str], *, stdin: str | None = None) -> str | None:
        """Run another command in this one's place."""
        return self.runner.run(words, self.scope, self.stdin if stdin is None else stdin)

    def key(self) -> str:
        """Program, subcommand and flags: what an opaque command is remembered by (SH-9)."""
        plain = [word for word in self.args if word.startswith("-")]
        first = next((word for word in self.args if not word.startswith("-")), "")
        return " ".join([self.name, first, *sorted(plain)])

    def opaque(self, why: str) -> None:
        """The effect of this command cannot be told."""
        self.sink.cannot_tell(self.key(), why)

    # ── files ────────────────────────────────────────────────────────────────────────────────

    def reads(self, words: Iterable[str]) -> None:
        """Paths whose content this command reads."""
        for word in words:
            if not word or word == "-":
                continue
            for path in self.scope.paths(word):
                self.sink.reads[path] = None
                if path.endswith("/environ") and path.startswith("/proc/"):
                    self.sink.labels.add(Label.SECRET)

    def writes(
        self, word: str, how: str, content: str | None = None, *, downloaded: bool = False
    ) -> None:
        """A path this command writes."""
        if word == "-":
            return
        if content is not None and HOLE in content:
            content = None
        for path in self.scope.paths(word):
            if path.startswith("/dev/") and not path.startswith(("/dev/sd", "/dev/nvme", "/dev/m")):
                continue
            self.sink.writes[FileWrite(path, how, content, downloaded)] = None
            self.scope.files[path] = content

    def touches(self, word: str, how: str) -> None:
        """A path whose mode or owner changes; its content stays as it is."""
        for path in self.scope.paths(word):
            self.sink.writes[FileWrite(path, how, self.scope.files.get(path))] = None

    def deletes(self, word: str, how: str, *, recursive: bool = False) -> None:
        """A path this command deletes; one that is partly unknown may be any path."""
        paths = ["*"] if HOLE in word else self.scope.paths(word)
        for path in paths:
            self.sink.deletions[Deletion(path, how, recursive)] = None

    # ── places ───────────────────────────────────────────────────────────────────────────────

    def egress(
        self,
        value: str,
        *classes: WriteClass,
        sends: bool = False,
        is_index: bool = False,
        is_remote: bool = False,
        kind: str = "url",
    ) -> None:
        """A place this command sends to or fetches from; a loopback host is internal (DEST-7)."""
        host = hosts.host_of(value, kind=kind)
        wanted = frozenset(classes or (WriteClass.EXTERNAL,))
        if host and hosts.is_loopback(host) and wanted == {WriteClass.EXTERNAL}:
            wanted = frozenset({WriteClass.INTERNAL})
        self.sink.egress[
            Egress(
                program=known(self.name),
                value=hosts.shown(value),
                host=host,
                classes=wanted,
                computed=HOLE in value,
                sends=sends,
                is_index=is_index and HOLE not in value,
                is_remote=is_remote,
            )
        ] = None

    def fetched(self, value: str, *, kind: str = "url") -> None:
        """The output holds text of that place: untrusted unless it is this machine."""
        host = hosts.host_of(value, kind=kind)
        if not (host and hosts.is_loopback(host)):
            self.sink.labels.add(Label.UNTRUSTED)

    # ── options ──────────────────────────────────────────────────────────────────────────────

    def options(self, values: frozenset[str] | None = None) -> tuple[list[Option], list[str]]:
        """Options and other words, by the program's table of options that take a value (SH-6)."""
        table = self.tables.values.get(self.name, NOTHING) if values is None else values
        return parse_options(self.args, table)


def parse_options(args: list[str], values: frozenset[str]) -> tuple[list[Option], list[str]]:
    """Options (clustered, `--name=value`, abbreviated) and the other words, in order."""
    found: list[Option] = []
    others: list[str] = []
    at = 0
    while at < len(args):
        word = args[at]
        at += 1
        if word == "--":
            others += args[at:]
            break
        if len(word) < 2 or word[0] != "-":
            others.append(word)
            continue
        name, takes, value = _option(word, values)
        if takes and value is None and at < len(args):
            value = args[at]
            at += 1
        found += [Option(flag, "") for flag in name[:-1]]
        found.append(Option(name[-1], value or ""))
    return found, others


def _option(word: str, values: frozenset[str]) -> tuple[list[str], bool, str | None]:
    """Names in one option word (several if clustered), whether the last takes a value, and it."""
    if word.startswith("--") or word in values:
        name, equals, value = word.partition("=")
        if equals:
            return [name], True, value
        return [name], name in values or _abbreviates(name, values), None
    names: list[str] = []
    for at in range(1, len(word)):
        flag = "-" + word[at]
        names.append(flag)
        if flag in values:
            rest = word[at + 1 :]
            return names, True, rest or None
    return names, False, None


def _abbreviates(name: str, values: frozenset[str]) -> bool:
    return len(name) > 3 and any(value.startswith(name) for value in values)
