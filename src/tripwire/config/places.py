"""Where configuration and state live on this machine: names only, nothing is opened or created."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

CONFIG_NAME = "tripwire.yaml"


def home(environ: Mapping[str, str]) -> Path:
    """The user's home directory."""
    return Path(environ.get("HOME") or Path("~").expanduser())


def state_home(environ: Mapping[str, str]) -> Path:
    """`$TRIPWIRE_HOME`, else the OS state directory (flow.md §2.5)."""
    if chosen := environ.get("TRIPWIRE_HOME"):
        return Path(chosen).expanduser().absolute()
    if sys.platform == "darwin":
        return home(environ) / "Library" / "Application Support" / "tripwire"
    base = environ.get("XDG_STATE_HOME") or ""
    root = Path(base) if base.startswith("/") else home(environ) / ".local" / "state"
    return root / "tripwire"


def user_file(environ: Mapping[str, str]) -> Path:
    """The user-level configuration in the OS configuration directory."""
    if sys.platform == "darwin":
        return home(environ) / "Library" / "Application Support" / "tripwire" / CONFIG_NAME
    base = environ.get("XDG_CONFIG_HOME") or ""
    root = Path(base) if base.startswith("/") else home(environ) / ".config"
    return root / "tripwire" / CONFIG_NAME


def find_config(start: Path) -> Path | None:
    """`tripwire.yaml` in `start` or above it, up to the project root (`.git`) or home.

    Whatever bears the name counts, a broken link or a directory too: reading it says what is
    wrong, where passing over it would drop the policy in silence.
    """
    stop = Path("~").expanduser()
    for directory in (start, *start.parents):
        candidate = directory / CONFIG_NAME
        if os.path.lexists(candidate):
            return candidate
        if (directory / ".git").exists() or directory == stop:
            return None
    return None


def is_repositorys(config: Path) -> bool:
    """Whether a configuration is a repository's own: its `tripwire.yaml`, in a work tree of git."""
    absolute = config.expanduser().absolute()
    above = absolute.parents
    return absolute.name == CONFIG_NAME and any((folder / ".git").exists() for folder in above)


def own_state(
    environ: Mapping[str, str], *, project: Path | None, files: tuple[Path, ...]
) -> tuple[str, ...]:
    """Globs of what an agent must never write: state, configuration, hook settings."""
    state = state_home(environ)
    user = user_file(environ).parent
    claude = home(environ) / ".claude"
    found = [f"{_literal(state)}/**", _literal(state), f"{_literal(user)}/**"]
    found += [_literal(claude / name) for name in ("settings.json", "settings.local.json")]
    if project is not None:
        found += [
            _literal(project / ".claude" / name)
            for name in ("settings.json", "settings.local.json")
        ]
        found += [_literal(project / CONFIG_NAME), _literal(project / "tripwire-agent-config.json")]
    found += [_literal(path) for path in files]
    return tuple(dict.fromkeys(found))


def inside(directory: str) -> tuple[str, ...]:
    """Globs of a state or key directory and all in it; none for a relative or absent one."""
    if not directory.startswith("/"):
        return ()
    name = _literal(Path(directory))
    return name, f"{name}/**"


def _literal(path: Path) -> str:
    """The path as a glob that matches only itself."""
    special = frozenset("*?[]{}()!\\")
    return "".join(f"\\{char}" if char in special else char for char in str(path))
