"""`tripwire uninstall CLIENT`: take the hooks out of an agent client again, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tripwire.cli import show
from tripwire.cli.install import BASELINE, WATCHING, ClientName, Place, command, place_of
from tripwire.config.places import user_file
from tripwire.doors.hooks import settings
from tripwire.errors import SettingsUnreadable
from tripwire.io.client_files import ClientFile

_FLAG = Parameter(negative="")


def uninstall(
    client: ClientName,
    /,
    *,
    project: Annotated[bool, _FLAG] = False,
    user: Annotated[bool, _FLAG] = False,
    dry_run: Annotated[bool, _FLAG] = False,
    json: Annotated[bool, _FLAG] = False,
) -> int:
    """Take the hooks out of an agent client.

    Settings nobody changed since the installation become exactly what they were.

    Args:
        client: The agent client.
        project: From the client's settings of this directory (the default).
        user: From the client's settings of your home.
        dry_run: Show the settings file that would be left, and write nothing.
        json: Print one JSON object instead of text.

    """
    place = place_of(client, project=project, user=user)
    file = place.file
    text, left = _without(file, place.roots)
    if dry_run:
        show.say(f"{file.path} would become (nothing is written):")
        show.text(left)
        return 0
    found = left != text
    if found:
        _write(place, text, left, command(client))
    _forget_baseline(place.policy)
    if json:
        show.data({"client": client, "settings": str(file.path), "removed": found})
    else:
        words = f"hooks removed from {file.path}" if found else f"no hooks in {file.path}"
        show.mark(good=True, words=words)
    return 0


def _forget_baseline(policy: Path) -> None:
    """Remove the policy that `install` wrote (--user, --monitor), unless somebody changed it."""
    if not policy.is_file() or policy.read_text("utf-8") not in (BASELINE, WATCHING):
        return
    policy.unlink()
    if policy == user_file(os.environ):
        for folder in policy.parents[:2]:
            if any(folder.iterdir()):
                break
            folder.rmdir()


def _without(file: ClientFile, roots: tuple[Path, ...]) -> tuple[str, str]:
    """The settings as they are and without our hooks. Raises SettingsUnreadable."""
    try:
        file.check_inside(*roots)
        text = file.text()
        return text, settings.removed(text)
    except SettingsUnreadable as problem:
        fix = "Repair it, or remove the entries that run doors/hooks/shim.py by hand."
        where = problem.where or str(file.path)
        raise SettingsUnreadable(problem.what, where=where, fix=fix) from None


def _write(place: Place, text: str, left: str, words: tuple[str, ...]) -> None:
    file = place.file
    if not file.backup.exists():
        if settings.is_empty(left, place.form):
            file.remove()
        else:
            file.write(left)
            file.backup.unlink(missing_ok=True)
        return
    before = file.backup.read_text("utf-8")
    if not settings.holds_ours(before) and settings.installed(before, words, place.form) == text:
        file.restore()
    else:
        file.write(left)
