"""A project's tripwires read the plain way: for tests of doors, where loading is not the subject."""

from __future__ import annotations

import hashlib
from pathlib import Path

import yaml

from tripwire.model.tripwire import Enforcement, Problem, ReadConfig, Repeat, Severity, Tripwire
from tripwire.read.tripwire_set import TripwireSet

TYPES = {"enforcement_mode": Enforcement, "repeat": Repeat, "exclude_paths": tuple}


class PlainFolder:
    """Reads everything at every look; as strict as the test that wrote the files."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._seen: tuple[object, TripwireSet] | None = None

    def current(self) -> TripwireSet:
        """The same value as long as no file's text changed."""
        texts = {p.name: p.read_bytes() for p in sorted((self.root / ".tripwires").glob("*.yml"))}
        config = self.root / ".tripwirerc.yml"
        settings = config.read_text() if config.exists() else ""
        if self._seen is None or self._seen[0] != (texts, settings):
            self._seen = ((texts, settings), self._set(texts, settings))
        return self._seen[1]

    def _set(self, texts: dict[str, bytes], settings: str) -> TripwireSet:
        given = yaml.safe_load(settings) or {}
        config = ReadConfig(**{k: TYPES.get(k, lambda v: v)(v) for k, v in given.items()})
        loaded = [_tripwire(name, raw) for name, raw in texts.items()]
        good = [each for each in loaded if isinstance(each, Tripwire)]
        bad = [each for each in loaded if isinstance(each, Problem)]
        return TripwireSet(str(self.root), config, good, bad)


def _tripwire(name: str, raw: bytes) -> Tripwire | Problem:
    file = f".tripwires/{name}"
    try:
        data = yaml.safe_load(raw)
    except yaml.YAMLError:
        return Problem("TW002", file, "not YAML", line=1)
    return Tripwire(
        Path(name).stem,
        file,
        tuple(data["triggers"]),
        data["context"],
        Severity(data.get("severity", "warning")),
        digest=hashlib.sha256(raw).hexdigest(),
        repeat=Repeat(data["repeat"]) if "repeat" in data else None,
    )
