"""`tripwire install CLIENT`: put the hooks into an agent client, and prove that they answer."""

from __future__ import annotations

import json as jsonlib
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.config import trust
from tripwire.config.load import load_policy
from tripwire.config.places import CONFIG_NAME, user_file
from tripwire.doors.hooks import settings, shim
from tripwire.doors.hooks.hook_files import FILES, HookFile
from tripwire.errors import DaemonUnavailable, SettingsUnreadable, UsageError
from tripwire.io import acceptance
from tripwire.io import daemon as resident
from tripwire.io.client_files import ClientFile
from tripwire.io.home import state_home

MANAGED = (
    Path("/etc/claude-code/managed-settings.json"),
    Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
)
WATCHING = """\
# Watch only: everything is recorded, nothing is stopped. Remove this to enforce.
flow:
  mode: monitor
"""
BASELINE = """\
# Written by `tripwire install claude-code --user`. A repository that you clone may bring its own
# tripwire.yaml; it can tighten what stands here, and never loosen it.
flow:
  mode: enforce
  ask_fallback: block
  trusted_urls: []
  prompt_pastes: trusted
  policies: {claude-code: claude-code}
"""
_FLAG = Parameter(negative="")
ClientName = Literal["claude-code", "codex", "gemini", "cursor", "vscode"]
"""The clients of `doors/hooks/hook_files.py`."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the hooks of one scope go."""

    file: ClientFile
    roots: tuple[Path, ...]
    policy: Path
    form: HookFile


def install(
    client: ClientName,
    /,
    *,
    project: Annotated[bool, _FLAG] = False,
    user: Annotated[bool, _FLAG] = False,
    monitor: Annotated[bool, _FLAG] = False,
    dry_run: Annotated[bool, _FLAG] = False,
    print_: Annotated[bool, Parameter(name="--print", negative="")] = False,
    json: Annotated[bool, _FLAG] = False,
) -> int:
    """Put the hooks into an agent client.

    Args:
        client: The agent client.
        project: Into the client's settings of this directory (the default).
        user: Into the client's settings of your home, for every project.
        monitor: Also write a policy that only watches.
        dry_run: Show the settings file that would be written, and write nothing.
        print_: Print the hooks for pasting, and touch no file.
        json: Print one JSON object instead of text.

    """
    words = command(client)
    if print_:
        show.text(settings.snippet(words, FILES[client]))
        return 0
    place = place_of(client, project=project, user=user)
    text = _merged(place, words)
    if dry_run:
        show.say(f"{place.file.path} would become (nothing is written):")
        show.text(text)
        return 0
    watched = _written(place, text, monitor=monitor)
    resident.end(state_home())  # one of an older version must not answer; the next event starts it
    round_trip(words, place.form)
    return _report(client, place, watched, as_json=json)


def _written(place: Place, text: str, *, monitor: bool) -> str:
    """Write the settings, once nothing speaks against it; the policy that only watches, if any."""
    _switches(place, text)
    load_policy(None, project=Path.cwd())
    if text != place.file.text():
        place.file.write(text)
    if monitor:
        return _monitor(place.policy)
    if place.policy == user_file(os.environ) and not place.policy.exists():
        _write_policy(place.policy, BASELINE)
    return ""


def _merged(place: Place, words: tuple[str, ...]) -> str:
    """The settings with our hooks. Raises SettingsUnreadable after printing what to paste."""
    try:
        place.file.check_inside(*place.roots)
        return settings.installed(place.file.text(), words, place.form)
    except SettingsUnreadable as problem:
        raise _with_snippet(problem, place, words) from None


def command(client: str) -> tuple[str, ...]:
    """What a client runs: the interpreter and the shim by absolute path (flow.md HOOK-1)."""
    return (sys.executable, "-I", "-S", str(Path(shim.__file__).absolute()), client)


def place_of(client: str, *, project: bool, user: bool) -> Place:
    """The settings file of a scope, and where it may lead."""
    if project and user:
        raise UsageError("--project and --user exclude each other", fix="Give one of them.")
    home, form = Path.home(), FILES[client]
    if user and not form.user:
        raise UsageError(f"{client} has hooks in projects only", fix="Leave --user out.")
    if user:
        return Place(ClientFile(home / form.user), (home,), user_file(os.environ), form)
    here = Path.cwd()
    return Place(ClientFile(here / form.project), (home, here), here / CONFIG_NAME, form)


def round_trip(words: tuple[str, ...], form: HookFile) -> None:
    """Run the installed command as the client would: it must answer, and refuse garbage.

    Raises DaemonUnavailable.
    """
    event = jsonlib.dumps(form.quiet_event())
    for sent, expected in ((event, 0), ("{", 2)):
        done = subprocess.run(
            words, input=sent.encode(), capture_output=True, timeout=20, check=False
        )
        if done.returncode != expected:
            why = done.stderr.decode("utf-8", "replace").strip() or f"exit {done.returncode}"
            why = why.rstrip(".")
            raise DaemonUnavailable(
                f"the hooks are written but do not work: {why}",
                where="round trip",
                fix="Until they do, guarded events are refused. See `tripwire daemon status`.",
            )


def _switches(place: Place, text: str) -> None:
    """Refuse to install what another setting keeps from running."""
    if place.form is not settings.CLAUDE_CODE:
        return
    local = place.file.path.with_name("settings.local.json")
    others = [Path.home() / ".claude" / "settings.json", local, *MANAGED]
    texts = {place.file.path: text}
    texts |= {path: ClientFile(path).text() for path in others if path != place.file.path}
    for path, held in texts.items():
        for name in settings.switched_off(held):
            if name == "allowManagedHooksOnly" and path not in MANAGED:
                continue  # only the managed file can say this
            raise UsageError(
                f'"{name}" keeps hooks from running', where=str(path), fix="Remove it first."
            )


def _monitor(policy: Path) -> str:
    if policy.exists():
        if "mode: monitor" in policy.read_text("utf-8"):
            if waiting := load_policy(None, project=policy.parent).unaccepted:
                show.say(waiting)
            return str(policy)
        raise UsageError(
            "the policy exists already, so --monitor does not touch it",
            where=str(policy),
            fix="Write `mode: monitor` under `flow:` yourself.",
        )
    _write_policy(policy, WATCHING)
    return str(policy)


def _write_policy(policy: Path, text: str) -> None:
    policy.parent.mkdir(parents=True, exist_ok=True)
    policy.write_text(text, "utf-8")
    if policy != user_file(os.environ) and not acceptance.accept_written(policy):
        show.say(f"{policy} counts once a person has run `{trust.COMMAND}`")


def _with_snippet(
    problem: SettingsUnreadable, place: Place, words: tuple[str, ...]
) -> SettingsUnreadable:
    show.say("nothing was written; this is what belongs into the settings:")
    sys.stderr.write(settings.snippet(words, place.form))
    return SettingsUnreadable(
        problem.what,
        where=problem.where or str(place.file.path),
        fix="Repair it, or paste the hooks.",
    )


def _report(client: str, place: Place, watched: str, *, as_json: bool) -> int:
    path = place.file.path
    if as_json:
        facts = {"client": client, "settings": str(path), "events": place.form.events}
        show.data({**facts, "monitor": watched, "round_trip": True})
        return 0
    show.mark(good=True, words=f"hooks written to {path}")
    show.mark(good=True, words="one event went through the shim and back")
    if watched:
        show.line(f"  watch only: {watched}")
    if place.form.note:
        show.line(f"  {place.form.note}")
    show.line("  Restart a running session: it does not read its settings again.")
    return 0
