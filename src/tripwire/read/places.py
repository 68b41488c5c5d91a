"""Where a project keeps its knowledge: the tripwires' directory and the configuration file."""

from __future__ import annotations

from hashlib import sha256

from tripwire.model.tripwire import ReadConfig

CONFIG_FILE = ".tripwirerc.yml"


def project_id(root: str) -> str:
    """What records call the project at `root`: a digest, so that no record names a directory."""
    return sha256(root.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def inside_config(form: str, config: ReadConfig) -> bool:
    """Whether a path is the configuration file, the tripwires' directory, or inside it, exactly."""
    path, place = _plain(form), _plain(config.tripwires_dir)
    return path in (CONFIG_FILE, place) or path.startswith(f"{place}/")


def touches_config(form: str, config: ReadConfig) -> bool:
    """The same, or a directory around them: what is done to it is done to them."""
    # Upper and lower case are one on some systems.
    path, place = _plain(form).casefold(), _plain(config.tripwires_dir).casefold()
    return path == CONFIG_FILE or _below(path, place) or _below(place, path)


def _below(path: str, place: str) -> bool:
    return bool(place) and (path == place or path.startswith(f"{place}/"))


def _plain(path: str) -> str:
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    return "/".join(parts)
