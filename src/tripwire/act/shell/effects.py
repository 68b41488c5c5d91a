"""What a shell command would do, as values: the answer of the classifier (flow.md §3.6).

Paths are absolute (resolved against the tracked `cd`) and may hold glob characters; a part that
cannot be told is `*`, so a path of an unknown directory begins with `*` and "*" alone may be any
path. A command has one entry per directory it may run in.
"""

from __future__ import annotations

from dataclasses import dataclass

from tripwire.model.label import Label, WriteClass


@dataclass(frozen=True, slots=True)
class Egress:
    """One place a command sends to or fetches from.

    `value` is the URL, host, remote or address as the command has it after quote removal ("" when
    it is computed and nothing literal is left). `computed`: a substitution or unknown variable is
    part of it (SH-13, DEST-9). `sends`: a body, file, upload or push goes there, so it is no plain
    download. `host` is the literal host if one can be told.
    """

    program: str
    value: str
    host: str = ""
    classes: frozenset[WriteClass] = frozenset()
    computed: bool = False
    sends: bool = False
    is_index: bool = False
    is_remote: bool = False
    """`value` is a configured git remote or registry name or URL (DEST-8)."""


@dataclass(frozen=True, slots=True)
class FileWrite:
    """A path the command writes; `content` is the literal text, None if it cannot be told."""

    path: str
    how: str
    content: str | None = None
    downloaded: bool = False


@dataclass(frozen=True, slots=True)
class Deletion:
    """A path the command deletes or overwrites without undo."""

    path: str
    how: str
    recursive: bool = False


@dataclass(frozen=True, slots=True)
class Opaque:
    """A command whose effect cannot be told (SH-9). `key` is program, subcommand, flags."""

    key: str
    why: str


@dataclass(frozen=True, slots=True)
class ShellEffects:
    """Everything one command line would do; a set of effects, not a sequence."""

    programs: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[FileWrite, ...] = ()
    deletions: tuple[Deletion, ...] = ()
    egress: tuple[Egress, ...] = ()
    classes: frozenset[WriteClass] = frozenset()
    """Classes that no entry above carries: destructive without a path (`git reset --hard`), exec
    without a file (`crontab -`), privileged, unknown of opaque commands. Writes, deletions and
    egress are judged entry by entry; a loopback egress has class internal."""
    labels: frozenset[Label] = frozenset()
    """Labels the output would carry beyond those of `reads` (SH, DLP-10: `env`, `curl`, …)."""
    opaque: tuple[Opaque, ...] = ()
    words: tuple[str, ...] = ()
    """Every resolved word, for scans of what the command holds."""
