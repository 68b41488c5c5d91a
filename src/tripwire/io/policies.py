"""The policy of each project, read again when its files change; the last good one stays active.

A change of what a person has accepted counts as one of its files (ADR 0013).

A broken file never opens a door: the first reading refuses with file:line, a later one keeps what
was in force (flow.md §7).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tripwire.config import trust
from tripwire.config.load import load_policy
from tripwire.config.places import CONFIG_NAME, user_file
from tripwire.errors import PolicyError, PolicyErrors
from tripwire.io.daemon import log
from tripwire.model.policy import Policy

Load = Callable[[Path], Policy]
Stamp = tuple[tuple[int, int, int], ...]


def _files(project: Path) -> tuple[Path, ...]:
    above = tuple(folder / CONFIG_NAME for folder in (project, *project.parents))
    return (user_file(os.environ), trust.folder(os.environ), *above)


def _load(project: Path) -> Policy:
    return load_policy(None, project=project)


@dataclass(slots=True)
class _Kept:
    policy: Policy
    stamp: Stamp
    problem: str = ""


@dataclass(slots=True)
class Policies:
    """Project directory → policy."""

    files: Callable[[Path], tuple[Path, ...]] = _files
    """The files a project's policy may be read from: a change of one is noticed by its stat."""
    load: Load = _load
    _kept: dict[str, _Kept] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, project: str) -> Policy:
        """The policy in force. Raises PolicyErrors if there is none yet and the file is broken."""
        with self._lock:
            kept = self._kept.get(project)
            stamp = self._stamp(project, kept.policy.files if kept is not None else ())
            if kept is not None and kept.stamp == stamp:
                return kept.policy
            try:
                fresh = _Kept(self.load(Path(project or "/")), stamp)
            except (PolicyError, PolicyErrors) as problem:
                if kept is None:
                    raise
                log(f"the last good policy stays active: {problem}")
                fresh = _Kept(kept.policy, stamp, str(problem))
            self._kept[project] = fresh
            return fresh.policy

    def changed(self, project: str, policy: Policy) -> bool:
        """Whether another policy than `policy` is in force by now."""
        return self.of(project).digest != policy.digest

    def status(self) -> list[dict[str, str]]:
        """Each project, its policy and what is wrong with its file."""
        with self._lock:
            return [
                {"project": project, "digest": kept.policy.digest, "problem": kept.problem}
                for project, kept in sorted(self._kept.items())
            ]

    def _stamp(self, project: str, named: tuple[str, ...]) -> Stamp:
        """`named` are the files that the policy in force was read from.

        One that is new among them makes the next stamp differ: the policy is then read once more,
        and no change between a reading and its stamp goes unseen.
        """
        known = self.files(Path(project or "/"))
        return tuple(map(_look, (*known, *(f for f in map(Path, named) if f not in known))))


def _look(path: Path) -> tuple[int, int, int]:
    try:
        seen = path.stat()
    except OSError:
        return (0, 0, 0)
    return (seen.st_ino, seen.st_mtime_ns, seen.st_size)
