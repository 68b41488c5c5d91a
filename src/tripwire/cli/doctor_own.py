"""Which commands doctor may run: this Tripwire's own, and those of the person's own settings.

A repository that was cloned can name any program in its settings. Doctor does not start it, unless
told to: what nobody looked at must not run because somebody asked for a check-up.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tripwire.cli.install import command

_OWN_MODULE = (sys.executable, "-m", "tripwire")
_HARMLESS = "TRIPWIRE_"
"""How variables begin that an entry may set for a server that is run."""


def own_hook(words: Sequence[str], client: str) -> bool:
    """Whether an installed handler is exactly what `install` writes today."""
    try:
        found = tuple(words) if len(words) > 1 else tuple(shlex.split(words[0]))
    except ValueError:
        return False
    return found == command(client)


def own_server(words: Sequence[str], env: Mapping[str, str]) -> bool:
    """Whether an entry runs `serve` of this Tripwire, in an environment that changes nothing."""
    if any(not name.startswith(_HARMLESS) for name in env):
        return False
    if tuple(words[:3]) == _OWN_MODULE:
        return tuple(words[3:4]) == ("serve",)
    return tuple(words[1:2]) == ("serve",) and _real(words[0]) in _scripts()


def of_project(file: Path, root: Path) -> bool:
    """Whether a settings file comes with the project."""
    return file.is_relative_to(root)


def _scripts() -> set[Path]:
    """The `tripwire` beside our interpreter, and the one on the path."""
    beside, found = Path(sys.executable).with_name("tripwire"), shutil.which("tripwire")
    return {place for place in (_real(str(beside)), _real(found or "")) if place is not None}


def _real(program: str) -> Path | None:
    """Where a program really is, found as a client would find it; None if it is nowhere."""
    found = shutil.which(program) if program else None
    return Path(found).resolve() if found else None
