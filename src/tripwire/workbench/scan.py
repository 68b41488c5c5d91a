"""What the servers and built-in tools of a client can do to its user together (flow.md §4.4).

Judges by what an entry says of itself: the program, its arguments, its name. A server that nobody
knows reads a stranger's text and has an effect that cannot be told. Opens and starts nothing.

Does not catch: a server that does more than its name says; `tripwire inspect` looks at its tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tripwire.config.roles_schema import preset_roles
from tripwire.model.label import Label, WriteClass
from tripwire.model.policy import ToolRoles

BUILT_IN = "built-in tools"
"""The part of a client that is no server: files and a shell."""

_OUT = frozenset({WriteClass.EXTERNAL, WriteClass.PUBLIC, WriteClass.COMMIT, WriteClass.UNKNOWN})
_HARM = frozenset({WriteClass.PRIVILEGED, WriteClass.DESTRUCTIVE})
_KNOWN: Mapping[str, str] = {
    "filesystem": "filesystem",
    "fetch": "fetch",
    "git": "git",
    "github": "github",
    "slack": "slack",
    "gmail": "mail",
    "mail": "mail",
    "email": "mail",
    "calendar": "calendar",
    "stripe": "payments",
    "paypal": "payments",
    "payments": "payments",
}
"""A word in what an entry runs → the preset of such servers."""
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Server:
    """One server in a client's configuration."""

    name: str
    runs: tuple[str, ...]
    """Program and arguments; of a remote server its address. Never printed: it may hold a token."""
    remote: bool = False
    guarded: str = ""
    """The door it stands behind, "" for none."""
    line: int = 0
    """In the file; 0 if unknown."""


@dataclass(frozen=True, slots=True)
class App:
    """One configuration of a client."""

    app: str
    path: str
    servers: tuple[Server, ...] = ()
    guarded: str = ""
    """The door that all its calls pass: hooks."""
    built_in: bool = False
    """The client has tools of its own for files and a shell."""
    switches: tuple[str, ...] = ()
    """Settings that let calls pass without a question."""
    open_if_broken: bool = False
    """Our hooks are there, but the client goes on if they cannot start."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one server, or the client itself, reads and writes."""

    name: str
    reads: frozenset[Label]
    writes: frozenset[WriteClass]
    guarded: bool


@dataclass(frozen=True, slots=True)
class Finding:
    """One way in which an app is open. `severity` is HIGH, MED, LOW or INFO."""

    id: str
    severity: str
    app: str
    path: str
    chain: tuple[str, ...]
    fix: str
    line: int = 0


def findings(app: App) -> tuple[Finding, ...]:
    """What stays open in one app, gravest first; nothing that a door already guards."""
    found = [*_chains(app), *_remote(app), *_settings(app)]
    return tuple(sorted(found, key=lambda f: ("HIGH", "MED", "LOW", "INFO").index(f.severity)))


def preset_of(server: Server) -> str:
    """The preset that describes a server, "" if nobody knows it."""
    said = " ".join((server.name, *server.runs)).casefold()
    words = _WORD.findall(said)
    return next((_KNOWN[word] for word in words if word in _KNOWN), "")


def parts(app: App) -> tuple[Part, ...]:
    """The servers of an app and, if it has them, its own tools."""
    behind = bool(app.guarded)
    told = [_part(server, behind=behind) for server in app.servers]
    if app.built_in:
        reads = frozenset({Label.UNTRUSTED, Label.PRIVATE, Label.SECRET})
        writes = frozenset({WriteClass.EXTERNAL, WriteClass.EXEC, WriteClass.DESTRUCTIVE})
        told.append(Part(BUILT_IN, reads, writes, behind))
    return tuple(told)


def _part(server: Server, *, behind: bool) -> Part:
    preset = preset_of(server)
    guarded = behind or bool(server.guarded)
    if not preset:
        unknown = frozenset({WriteClass.UNKNOWN})
        return Part(server.name, frozenset({Label.UNTRUSTED, Label.PRIVATE}), unknown, guarded)
    return Part(server.name, *_sums(preset, preset_roles(preset)), guarded)


def _sums(preset: str, roles: ToolRoles) -> tuple[frozenset[Label], frozenset[WriteClass]]:
    every = [role for variants in roles.roles.values() for role in variants]
    reads = {label for role in every for label in role.reads}
    writes = {name for role in every for name in role.writes}
    if preset == "filesystem":  # its roles follow the path
        reads |= {Label.PRIVATE, Label.SECRET}
        writes |= {WriteClass.EXEC}
    return frozenset(reads), frozenset(writes)


def _chains(app: App) -> Iterator[Finding]:
    """A stranger's words, then what is worth taking, then a way out that nothing guards."""
    every = parts(app)
    strange = next((part for part in every if Label.UNTRUSTED in part.reads), None)
    if strange is None:
        return
    out = next((part for part in every if part.writes & _OUT and not part.guarded), None)
    for label in (Label.SECRET, Label.PRIVATE):
        holder = next((part for part in every if label in part.reads), None)
        if out is not None and holder is not None:
            chain = (strange.name, holder.name, out.name)
            yield _found(app, f"scan/untrusted-{label.value}-out", "HIGH", chain)
    for classes, name in ((frozenset({WriteClass.EXEC}), "exec"), (_HARM, "harm")):
        harms = next((p for p in every if p.writes & classes and not p.guarded), None)
        if harms is not None:
            yield _found(app, f"scan/untrusted-{name}", "MED", (strange.name, harms.name))


def _remote(app: App) -> Iterator[Finding]:
    for server, part in zip(app.servers, parts(app), strict=False):
        if server.remote and not part.guarded and not preset_of(server):
            yield _found(app, "scan/remote-unpinned", "HIGH", (server.name,), server.line)


def _settings(app: App) -> Iterator[Finding]:
    for name in app.switches:
        fix = f"Remove {name}: it lets calls pass without a question."
        yield Finding("scan/permission-bypass", "MED", app.app, app.path, (name,), fix)
    if app.open_if_broken:
        fix = f"tripwire install {app.app}"
        yield Finding("scan/not-fail-closed", "LOW", app.app, app.path, (app.guarded,), fix)


def _found(app: App, rule: str, grade: str, chain: tuple[str, ...], line: int = 0) -> Finding:
    names = {server.name: server.line for server in app.servers}
    at = line or next((names[name] for name in reversed(chain) if names.get(name)), 0)
    return Finding(rule, grade, app.app, app.path, chain, _fix(app), at)


def _fix(app: App) -> str:
    if app.built_in:
        return f"tripwire install {app.app}"
    return "Put its servers behind the gateway: tripwire init, then tripwire run."
