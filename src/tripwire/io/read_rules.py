"""The READ configuration of a project on disk: `.tripwirerc.yml`, or `read:` of tripwire.yaml.

Variables (`${NAME}`) are not replaced in it. Never raises for what the files hold.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

from tripwire.config import strict_yaml, tripwire_yaml
from tripwire.config.node import Node
from tripwire.config.problems import Problems
from tripwire.config.read_schema import FILE as CONFIG_FILE
from tripwire.config.read_schema import join_read_section, parse_read_config
from tripwire.io import jail
from tripwire.model.tripwire import Problem, ReadConfig

POLICY_FILE = "tripwire.yaml"
"""Its `read:` may hold what `.tripwirerc.yml` would."""

Rules = tuple[ReadConfig, tuple[Problem, ...]]

_DEFAULT_DIRECTORY = ReadConfig().tripwires_dir
_HAS_READ = re.compile(rb"""(?:^|[{,])[ \t]*["']?read["']?[ \t]*:""", re.MULTILINE)


def read_rules(root: Path, config_text: str | None = None, policy_text: str | None = None) -> Rules:
    """The configuration in force and its problems.

    `config_text` stands for `.tripwirerc.yml`, `policy_text` for tripwire.yaml.
    """
    raw, problem = _config_bytes(root, CONFIG_FILE, tripwire_yaml.MAX_BYTES, config_text)
    rules = (ReadConfig(), (problem,)) if problem else parse_read_config(raw, CONFIG_FILE)
    section, problems = _read_section(root, policy_text)
    if section is not None:
        rules = join_read_section(rules, raw, section, POLICY_FILE)
    return _checked_directory(root, (rules[0], (*rules[1], *problems)))


def bytes_inside(root: Path, path: Path, most: int) -> tuple[bytes | None, str]:
    """A file's bytes (at most one more than `most`) if it is a regular one inside the project."""
    real, top = Path(os.path.realpath(path)), os.path.realpath(root)
    if not real.is_relative_to(top):
        return None, "is a link that leaves the project"
    if not real.exists():
        return None, "is a link that leads nowhere"
    try:
        return jail.beginning(top, real.relative_to(top).as_posix(), most + 1), ""
    except OSError as error:
        return None, f"cannot be read ({error.strerror or 'is no regular file'})"


def _config_bytes(
    root: Path, name: str, most: int, text: str | None = None
) -> tuple[bytes | None, Problem | None]:
    if text is not None:
        return text.encode("utf-8", "replace"), None
    path = root / name
    if not os.path.lexists(path):
        return None, None
    raw, fault = bytes_inside(root, path, most)
    return raw, Problem("TW040", name, fault) if raw is None else None


def _read_section(root: Path, text: str | None) -> tuple[Node | None, tuple[Problem, ...]]:
    """`read:` of tripwire.yaml, if it is set there."""
    raw, _ = _config_bytes(root, POLICY_FILE, strict_yaml.MAX_BYTES, text)
    if raw is None or not _HAS_READ.search(raw):
        return None, ()
    problems = Problems()
    node = strict_yaml.parse(raw.decode("utf-8", "replace"), POLICY_FILE, str(root), problems)
    faults = tuple(Problem("TW040", POLICY_FILE, error.what) for error in problems.errors)
    return (node.items.get("read") if node is not None else None), faults


def is_inside(root: Path, place: str) -> bool:
    """Whether a directory, links followed, is one inside the project."""
    return Path(os.path.realpath(root)) in Path(os.path.realpath(root / place)).parents


def _checked_directory(root: Path, rules: Rules) -> Rules:
    """`tripwires_dir` must be inside the project with links followed (TW043)."""
    config, problems = rules
    for place in dict.fromkeys((config.tripwires_dir, _DEFAULT_DIRECTORY)):
        if is_inside(root, place):
            return replace(config, tripwires_dir=place), problems
        what = f'"{place}" is a link that leaves the project; nothing in it is loaded'
        fix = "name a directory inside the project"
        file = CONFIG_FILE if place != _DEFAULT_DIRECTORY else place
        problems = (*problems, Problem("TW043", file, what, key="tripwires_dir", fix=fix))
    return config, problems
