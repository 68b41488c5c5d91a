"""Which versions of the agent clients are here, and whether hooks were tried with them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

KNOWN: Mapping[str, tuple[str, str]] = {
    "claude-code": ("claude", "2.1.332"),
    "codex": ("codex", "0.171.0"),
    "gemini": ("gemini", "0.61.0"),
}
"""Client → its program, and the version that the hooks were tried with. The others' hooks were
tested against recorded events only."""
SECONDS = 10.0

_VERSION = re.compile(r"\d+\.\d+\.\d+")


@dataclass(frozen=True, slots=True)
class Version:
    """What a client says of itself; `version` is "" if it is not on the path or says nothing."""

    client: str
    version: str
    tried: str

    @property
    def words(self) -> str:
        """For a person."""
        if not self.tried:
            return "hooks are tested against recorded events, with no version of the client"
        if not self.version:
            return f"its version could not be told; hooks were tried with {self.tried}"
        if self.version == self.tried:
            return f"version {self.version}, which hooks were tried with"
        return f"version {self.version} is unknown here; hooks were tried with {self.tried}"


def versions(clients: Iterable[str], root: Path) -> Iterator[Version]:
    """The version of each client; a program that the project brings along is not started."""
    for client in clients:
        program, tried = KNOWN.get(client, ("", ""))
        yield Version(client, _asked(program, root) if program else "", tried)


def _asked(program: str, root: Path) -> str:
    found = shutil.which(program)
    if found is None or Path(found).resolve().is_relative_to(root.resolve()):
        return ""
    if Path(found).absolute().is_relative_to(root.absolute()):
        return ""
    try:
        done = subprocess.run(
            (found, "--version"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            cwd=Path(root.anchor),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = _VERSION.search(done.stdout.decode("utf-8", "replace"))
    return match.group() if match else ""
