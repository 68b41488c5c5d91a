"""Packs by name or file → one SayPolicy. The packaged ones lie beside `say/` as data."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path

import tripwire.say as room
from tripwire.config.node import PACKAGED
from tripwire.config.problems import Problems
from tripwire.config.reading import Value
from tripwire.config.say_schema import pack_of
from tripwire.config.strict_yaml import read_file
from tripwire.errors import PolicyError, PolicyErrors
from tripwire.model.say import Pack, SayPolicy

PACKS = Path(room.__file__).with_name("packs")


def pack_names() -> tuple[str, ...]:
    """The packaged packs."""
    return tuple(sorted(path.stem for path in PACKS.glob("*.yaml")))


def say_policy(
    packs: Iterable[str] = ("default",), *, profile: str = "default", base: Path | None = None
) -> SayPolicy:
    """The policy of these packs, names or files.

    Raises PolicyErrors: every fault of a pack, or a profile that none of them has.
    """
    found = [_pack(name, profile, base or Path()) for name in packs]
    known = {"default"}.union(*(pack.profiles for pack in found))
    if profile not in known:
        fix = f"Known: {', '.join(sorted(known))}."
        raise PolicyErrors((PolicyError(f"no profile {profile!r}", fix=fix),))
    # Credentials are reported last, whatever else a reply holds (say.md §2.5).
    rules = [rule for pack in found for rule in pack.rules]
    rules.sort(key=lambda rule: rule.label == "SECRET_LEAK")
    return SayPolicy(
        tuple(rules),
        {name: words for pack in found for name, words in pack.lists.items()},
        tuple(cycle for pack in found for cycle in pack.life_cycles),
    )


def _pack(name: str, profile: str, base: Path) -> Pack:
    if name in pack_names():
        return _packaged(name, profile)
    if not name.endswith((".yaml", ".yml", ".json")):
        fix = f"Known: {', '.join(pack_names())}, or a YAML file."
        raise PolicyErrors((PolicyError(f'"{name}" is no pack', fix=fix),))
    return _read(base / name, name, profile)


@functools.lru_cache(maxsize=32)
def _packaged(name: str, profile: str) -> Pack:
    return _read(PACKS / f"{name}.yaml", f"{name}.yaml{PACKAGED}", profile)


def _read(path: Path, shown: str, profile: str) -> Pack:
    problems = Problems()
    node, _ = read_file(path, shown, problems)
    problems.raise_if_any()
    pack = pack_of(Value(node, "", problems), profile) if node is not None else Pack(shown)
    problems.raise_if_any()
    return pack
