"""Packs by name or file → one SayPolicy. The packaged ones lie beside `say/` as data."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path

import tripwire.say as room
from tripwire.config.node import PACKAGED, Place
from tripwire.config.problems import Problems
from tripwire.config.reading import Value
from tripwire.config.say_schema import pack_of
from tripwire.config.strict_yaml import read_file
from tripwire.model.say import Pack, SayPolicy

PACKS = Path(room.__file__).with_name("packs")


def pack_names() -> tuple[str, ...]:
    """The packaged packs."""
    return tuple(sorted(path.stem for path in PACKS.glob("*.yaml")))


def say_policy(
    packs: Iterable[str] = ("default",), *, profile: str = "default", base: Path | None = None
) -> SayPolicy:
    """The policy of these packs, names or files. Raises PolicyErrors with every fault."""
    found = [_pack(name, profile, base or Path()) for name in packs]
    # Credentials are reported last, whatever else a reply holds (say.md §2.5).
    rules = [rule for pack in found for rule in pack.rules]
    rules.sort(key=lambda rule: rule.label == "SECRET_LEAK")
    return SayPolicy(
        tuple(rules),
        {name: words for pack in found for name, words in pack.lists.items()},
        tuple(cycle for pack in found for cycle in pack.life_cycles),
        tuple(name for pack in found for name in pack.reserved),
    )


def _pack(name: str, profile: str, base: Path) -> Pack:
    if name in pack_names():
        return _packaged(name, profile)
    return _read(base / name, name, profile, known=not name.endswith((".yaml", ".yml", ".json")))


@functools.lru_cache(maxsize=32)
def _packaged(name: str, profile: str) -> Pack:
    return _read(PACKS / f"{name}.yaml", f"{name}.yaml{PACKAGED}", profile, known=False)


def _read(path: Path, shown: str, profile: str, *, known: bool) -> Pack:
    problems = Problems()
    if known:
        names = ", ".join(pack_names())
        problems.add(Place(), "packs", f'"{shown}" is no pack', f"known: {names}, or a file")
        problems.raise_if_any()
    node, _ = read_file(path, shown, problems)
    problems.raise_if_any()
    pack = pack_of(Value(node, "", problems), profile) if node is not None else Pack(shown)
    problems.raise_if_any()
    return pack
