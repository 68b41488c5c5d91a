"""What doctor finds out about our file server in a client's configuration: by starting it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from tripwire.cli.doctor_own import of_project, own_server
from tripwire.cli.probe import probe
from tripwire.doors.hooks.canary import FILE, Canary
from tripwire.doors.hooks.events import GATEWAY_ENTRY, SERVER_ENTRY
from tripwire.doors.hooks.served import ServerEntry, entries
from tripwire.model.policy import Upstream
from tripwire.model.tripwire import Enforcement
from tripwire.read.doctor import FAIL, PASS, SKIP, Check

SECONDS = 30.0
"""The longest that one server may take to start and answer."""

_PINNED = "--project"


def server_entries(client: str, root: Path, home: Path) -> list[ServerEntry]:
    """Entries that are ours by their key, or by what they run."""
    found = (each for each in entries(client, root, str(home)) if _ours(each))
    return list({(str(each.file), each.key): each for each in found}.values())


@dataclass(frozen=True, slots=True)
class Servers:
    """What every server is asked with; each command is started once, whoever names it."""

    root: Path
    home: Path
    bird: Canary
    others: bool = False
    """Also start what the project's settings name and is not this Tripwire."""
    known: dict[tuple[object, ...], Check] = field(default_factory=dict)


def server_checks(client: str, asked: Servers, mode: Enforcement) -> Iterator[Check]:
    """Whether the file server is configured under its key, starts, and serves the canary."""
    root, home = asked.root, asked.home
    found = server_entries(client, root, home)
    fix = f"tripwire init --read --hooks {client}"
    for each in found:
        if each.key != SERVER_ENTRY:
            what = f'{each.file}: the server\'s key is "{each.key}", so tools have other names'
            yield Check("server", client, FAIL, what, f'Call it "{SERVER_ENTRY}".')
        else:
            yield replace(_proved(each, asked, fix), client=client)
    if found:
        return
    if mode is Enforcement.STRICT:
        what = "no file server is configured, so strict denies nothing"
        yield Check("server", client, FAIL, what, fix)
    else:
        yield Check("server", client, SKIP, "no file server is configured; hooks do without", fix)


def _ours(each: ServerEntry) -> bool:
    if each.key == SERVER_ENTRY:
        return True
    words = _words(each.entry)
    own = any(PurePath(word).name == "tripwire" for word in words)
    return own and "serve" in words and each.key != GATEWAY_ENTRY


def _words(entry: Mapping[str, Any]) -> tuple[str, ...]:
    args = entry.get("args")
    words = [entry.get("command"), *(args if isinstance(args, list) else [])]
    return tuple(os.path.expandvars(word) for word in words if isinstance(word, str))


def _proved(each: ServerEntry, asked: Servers, fix: str) -> Check:
    """Start the configured command, list its tools and read a file with it."""
    words = _words(each.entry)
    if not words:
        return Check("server", "", FAIL, f"{each.file}: the entry has no command", fix)
    if os.sep in words[0]:
        words = (str(asked.root / Path(words[0]).expanduser()), *words[1:])
    env = each.entry.get("env")
    given = {k: os.path.expandvars(str(v)) for k, v in env.items()} if isinstance(env, dict) else {}
    ours = own_server(words, given) or not of_project(each.file, asked.root)
    if not (asked.others or ours):
        what = f"not started: {each.file} does not name this Tripwire (another, or anything)"
        return Check("server", "", FAIL, what, fix)
    key = (words, tuple(sorted(given.items())))
    if key not in asked.known:
        asked.known[key] = _answered(words, given, asked, fix)
    return asked.known[key]


def _answered(words: tuple[str, ...], env: Mapping[str, str], asked: Servers, fix: str) -> Check:
    pinned = any(word.partition("=")[0] == _PINNED for word in words)
    call = {"name": "read_file", "arguments": {"path": str(asked.bird.root / FILE)}}
    with tempfile.TemporaryDirectory(prefix="tripwire-doctor-") as state:
        # Its records stay out of the person's state; nothing of the project shadows a module.
        extra = {"TRIPWIRE_HOME": state, "PYTHONSAFEPATH": "1"}
        cwd = str(asked.root if pinned else asked.bird.root)
        upstream = Upstream(SERVER_ENTRY, words, env={**env, **extra}, cwd=cwd)
        answer = probe(upstream, seconds=SECONDS, call=call)
    if answer.error:
        return Check("server", "", FAIL, answer.error, answer.fix or fix)
    text = _text(answer.result)
    if asked.bird.token in text:
        return Check("server", "", PASS, f"{answer.server}: read_file brought the text")
    if pinned and "outside the project" in text:
        what = f"{answer.server}: answers; it is bound to one project, so no token was read"
        return Check("server", "", PASS, what)
    what = f"{answer.server or words[0]}: read_file did not bring the tripwire's text"
    return Check("server", "", FAIL, what, fix)


def _text(result: Mapping[str, Any]) -> str:
    blocks = result.get("content")
    texts = (
        [b.get("text") for b in blocks if isinstance(b, dict)] if isinstance(blocks, list) else []
    )
    return "\n".join(text for text in texts if isinstance(text, str))
