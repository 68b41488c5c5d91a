"""What doctor finds out about a client's hooks: by reading its settings, and by running them."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tripwire.cli.doctor_own import of_project, own_hook
from tripwire.cli.install import MANAGED
from tripwire.doors.hooks import settings
from tripwire.doors.hooks.canary import EVENTS, Canary
from tripwire.doors.hooks.hook_files import FILES, Words
from tripwire.doors.hooks.settings import Installed
from tripwire.errors import SettingsUnreadable
from tripwire.io.client_files import ClientFile
from tripwire.read.doctor import FAIL, PASS, SKIP, Check
from tripwire.read.lint_hooks import matches
from tripwire.text.secrets import redact

SECONDS = 20.0
"""The longest that one hook command may take."""

_TOOLS = {
    "claude-code": ("Read", "Edit", "Write", "Bash"),
    "codex": ("Bash",),
    "gemini": ("read_file", "run_shell_command"),
    "cursor": ("Read", "Shell"),
}
"""Client → tools that the matcher must take, as it calls them."""
_DROPPED = ("TRIPWIRE_SESSION", "CLAUDE_PROJECT_DIR")


@dataclass(frozen=True, slots=True)
class Settings:
    """One settings file of a client that exists."""

    path: Path
    text: str


def settings_of(client: str, root: Path, home: Path) -> list[Settings]:
    """The settings files of a client that may hold hooks for this project."""
    form = FILES[client]
    places = [root / form.project, *([home / form.user] if form.user else [])]
    if client == "claude-code":
        places.insert(1, root / ".claude" / "settings.local.json")
    return [Settings(path, ClientFile(path).text()) for path in places if path.is_file()]


def hook_checks(
    client: str, root: Path, home: Path, bird: Canary, *, others: bool
) -> Iterator[Check]:
    """Whether the hooks are there, are not switched off, and bring the canary's text.

    `others`: also run what the project's own settings name and is not this Tripwire.
    """
    fix = f"tripwire install {client}"
    try:
        files = settings_of(client, root, home)
        found = [(file.path, each) for file in files for each in settings.handlers(file.text)]
    except SettingsUnreadable as problem:
        yield Check("hooks", client, FAIL, str(problem), "Repair the file.")
        return
    event = EVENTS[client]
    useful = {each.words: (path, each) for path, each in found if each.event == event}
    if not useful:
        what = f"no hook of ours for {event}" if found else "no hook of ours is installed"
        yield Check("hooks", client, FAIL, what, fix)
        return
    where = ", ".join(str(file.path) for file in files if settings.holds_ours(file.text))
    yield Check("hooks", client, PASS, f"installed in {where}")
    yield from _switches(client, files, root, home)
    yield from _matchers(client, [each for _, each in useful.values()], fix)
    for words, (path, _) in useful.items():
        if others or own_hook(words, client) or not of_project(path, root):
            yield from (_proved(client, words, bird, way) for way in ("pipe", "socket"))
        else:
            what = f"not run: {path} does not name this Tripwire (another version, or anything)"
            yield Check("hook", client, FAIL, what, fix)


def _switches(client: str, files: list[Settings], root: Path, home: Path) -> Iterator[Check]:
    """Whatever keeps installed hooks from running."""
    if client == "codex":
        yield from _codex(root, home)
    if client != "claude-code":
        return
    try:
        managed = [Settings(p, ClientFile(p).text()) for p in MANAGED if p.is_file()]
        found = [
            (f.path, name) for f in (*files, *managed) for name in settings.switched_off(f.text)
        ]
    except SettingsUnreadable as problem:
        yield Check("switches", client, FAIL, str(problem), "Make it readable.")
        return
    for path, name in found:
        if name == "allowManagedHooksOnly" and path not in MANAGED:
            continue  # only the managed file can say this
        what = f'"{name}" in {path} keeps hooks from running'
        yield Check("switches", client, FAIL, what, f'Remove "{name}".')


def _codex(root: Path, home: Path) -> Iterator[Check]:
    """Codex runs hooks only where its configuration and its user trust them."""
    path = home / ".codex" / "config.toml"
    try:
        data = tomllib.loads(ClientFile(path).text())
    except (tomllib.TOMLDecodeError, SettingsUnreadable) as problem:
        yield Check("trust", "codex", FAIL, f"{path} cannot be read ({problem})", "Repair it.")
        return
    features, projects = data.get("features"), data.get("projects")
    if isinstance(features, dict) and features.get("hooks") is False:
        yield Check("switches", "codex", FAIL, f"features.hooks is false in {path}", "Remove it.")
    own = projects.get(str(root)) if isinstance(projects, dict) else None
    trusted = isinstance(own, dict) and own.get("trust_level") == "trusted"
    if (root / FILES["codex"].project).is_file() and not trusted:
        what = f"{path} does not trust this project, so its hooks are skipped"
        yield Check("trust", "codex", FAIL, what, "Start codex here and trust the project.")
    else:
        what = "whether the hooks were trusted in /hooks is Codex's own secret"
        yield Check("trust", "codex", SKIP, what, "Start codex, then /hooks.")


def _matchers(client: str, useful: list[Installed], fix: str) -> Iterator[Check]:
    """Tools that no hook of ours takes."""
    missed = [
        tool
        for tool in _TOOLS.get(client, ())
        if not any(matches(each.matcher, tool) for each in useful)
    ]
    if missed:
        what = f"the matcher leaves out {', '.join(missed)}"
        yield Check("matcher", client, FAIL, what, fix)


def _proved(client: str, words: Words, bird: Canary, way: str) -> Check:
    """Run an installed command on a real event: only if the token comes back it works."""
    name, fix = f"hook-{way}", f"tripwire install {client}, then tripwire daemon status"
    command = list(words) if len(words) > 1 else ["/bin/sh", "-c", words[0]]
    try:
        code, out, err = _run(command, bird.event(client), bird.root, way)
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or type(problem).__name__
        return Check(name, client, FAIL, f"{words[0]} cannot be started ({why})", fix)
    except subprocess.TimeoutExpired:
        return Check(name, client, FAIL, f"no answer within {SECONDS:.0f} s", fix)
    if bird.token in out:
        return Check(name, client, PASS, f"the event {EVENTS[client]} brought the tripwire's text")
    said = redact(next((line for line in err.splitlines() if line.strip()), "")[:300])
    why = f": {said}" if said else ""
    return Check(name, client, FAIL, f"exit code {code}, no text of the tripwire{why}", fix)


def _run(command: list[str], event: bytes, cwd: Path, way: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command that reads `event` from a pipe or a socket."""
    env = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    if way == "pipe":
        return _said(
            subprocess.run(
                command,
                input=event,
                capture_output=True,
                timeout=SECONDS,
                cwd=cwd,
                env=env,
                check=False,
            )
        )
    ours, theirs = socket.socketpair()
    with ours, theirs:
        threading.Thread(target=_feed, args=(ours, event), daemon=True).start()
        return _said(
            subprocess.run(
                command,
                stdin=theirs.fileno(),
                capture_output=True,
                timeout=SECONDS,
                cwd=cwd,
                env=env,
                check=False,
            )
        )


def _said(done: subprocess.CompletedProcess[bytes]) -> tuple[int, str, str]:
    out, err = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    return done.returncode, out, err


def _feed(link: socket.socket, event: bytes) -> None:
    try:
        link.sendall(event)
        link.shutdown(socket.SHUT_WR)
    except OSError:
        return  # the command is gone: what it said tells more
