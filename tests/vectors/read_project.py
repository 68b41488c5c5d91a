"""The project that a case of area `read` describes, on disk, and its tripwires as they load."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

CONFIG = ".tripwirerc.yml"
SOME_DAY = "2026-06-15T12:00:00Z"


@contextmanager
def project(given: Mapping[str, Any]) -> Iterator[Path]:
    """The directory of the case, gone afterwards."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory).resolve() / "project"
        root.mkdir()
        write_files(root, given.get("files") or {})
        if given.get("config") is not None:
            (root / CONFIG).write_text(given["config"], encoding="utf-8", newline="")
        yield root


def write_files(root: Path, files: Mapping[str, Any]) -> None:
    """Text, `{"base64": …}`, `{"symlink": target}`; a name ending in `/` is an empty directory."""
    for name, content in files.items():
        place = root / name
        if name.endswith("/"):
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            place.write_bytes(content.encode("utf-8", "surrogatepass"))
        elif "base64" in content:
            place.write_bytes(base64.b64decode(content["base64"]))
        else:
            place.symlink_to(content["symlink"].replace("{ROOT}", str(root)))


def moment(given: Mapping[str, Any]) -> float:
    """`now` in seconds since the epoch."""
    return datetime.fromisoformat(given.get("now") or SOME_DAY).timestamp()


def differs(expected: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """The first expected key that is not found so, "" if all are."""
    for key, value in expected.items():
        if key not in found:
            return f"nothing is found for {key!r}"
        if found[key] != value:
            return f"{key}: {found[key]!r}, expected {value!r}"
    return ""
