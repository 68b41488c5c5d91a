"""The git remotes a project has configured, read from its files; git is never run (flow.md DEST-8).

Does not follow `include`, and does not apply `insteadOf`.
"""

from __future__ import annotations

import re
from pathlib import Path

_SECTION = re.compile(r'^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_URL = re.compile(r"^(?:url|pushurl)\s*=\s*(.*)$", re.IGNORECASE)
MAX_BYTES = 1 << 20


def remotes_of(directory: str) -> tuple[str, ...]:
    """Names and URLs of the remotes of the repository that holds `directory`."""
    config = _config(Path(directory)) if directory else None
    if config is None:
        return ()
    try:
        with config.open("rb") as file:
            text = file.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ()
    return tuple(dict.fromkeys(_remotes(text)))


def _remotes(text: str) -> list[str]:
    found: list[str] = []
    remote = ""
    for raw in text.splitlines():
        line = raw.strip()
        if section := _SECTION.match(line):
            kind, name = section.group(1).lower(), section.group(2) or ""
            remote = name if kind == "remote" else ""
        elif remote and (url := _URL.match(line)):
            found += [remote, url.group(1).strip().strip('"')]
    return found


def _config(directory: Path) -> Path | None:
    for folder in (directory, *directory.parents):
        git = folder / ".git"
        if git.is_dir():
            return git / "config"
        if git.is_file():
            return _linked(git)
    return None


def _linked(git: Path) -> Path | None:
    """The config of a worktree or submodule: `.git` is a file that names the directory."""
    try:
        text = git.read_text("utf-8", "replace")[:4096]
        if not text.startswith("gitdir:"):
            return None
        folder = (git.parent / text.removeprefix("gitdir:").strip()).resolve()
        common = folder / "commondir"
        if common.is_file():
            folder = (folder / common.read_text("utf-8", "replace").strip()).resolve()
    except OSError:
        return None
    return folder / "config"
