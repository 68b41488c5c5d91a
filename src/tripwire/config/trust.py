"""Which project configurations a person has accepted, and what they would loosen (ADR 0013).

An acceptance is a file of the state directory, named by the digest of what was accepted. Whether
there is one is looked up here; `io/acceptance.py` writes it.
"""

from __future__ import annotations

import hashlib
import json
import os
import pwd
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tripwire.config import places
from tripwire.config.merge import Looser
from tripwire.config.node import Node, Scalar
from tripwire.config.strict_yaml import packaged

FOLDER = "accepted"
"""The directory of acceptances in the state directory, 0700."""
COMMAND = "tripwire check --accept"
_LISTS = (
    *("index_hosts", "internal_hosts", "public_paths", "scratch_paths", "fixture_paths"),
    "build_outputs",
)
_MOST_KEYS = 4


@dataclass(frozen=True, slots=True)
class Offer:
    """A project's configuration that loosens the policy: what a person is asked to accept.

    `files` are the configuration and the policy files it names; `digest` is SHA-256 hex over their
    absolute names and bytes.
    """

    files: tuple[str, ...]
    digest: str
    looser: tuple[Looser, ...]

    @property
    def line(self) -> str:
        """One line for whoever works in the project; holds no word that the file made up."""
        found = list(dict.fromkeys(one.key for one in self.looser))
        named = ", ".join(found[:_MOST_KEYS]) + (", …" if len(found) > _MOST_KEYS else "")
        return (
            f"this project's {places.CONFIG_NAME} loosens the policy ({named}); that is ignored"
            f" until a person has run `{COMMAND}` in a terminal of their own"
        )


def folder(environ: Mapping[str, str]) -> Path:
    """Where acceptances are kept."""
    return places.state_home(environ) / FOLDER


def digest_of(files: Mapping[str, bytes]) -> str:
    """The digest of a configuration: the absolute names and the bytes of its files."""
    whole = hashlib.sha256(b"tripwire/accepted/1\0")
    for name, raw in sorted(files.items()):
        known = name.encode("utf-8", "surrogatepass")
        whole.update(b"%d\0%s%d\0" % (len(known), known, len(raw)))
        whole.update(raw)
    return whole.hexdigest()


def is_accepted(environ: Mapping[str, str], offer: Offer) -> bool:
    """Whether the user of this process has accepted the offer.

    A link, a file of somebody else, one that others can write or one that the project itself
    brings is no acceptance.
    """
    place = folder(environ)
    if brought_along(place, Path(offer.files[0]).parent):
        return False
    try:
        found = os.lstat(place / offer.digest)
    except OSError:
        return False
    mine = found.st_uid == os.getuid()
    return stat.S_ISREG(found.st_mode) and mine and not found.st_mode & 0o022


def brought_along(place: Path, project: Path) -> bool:
    """Whether a place of the state lies in the project, as the settings of a clone might set it.

    Not if the project holds the user's home: the state is then where it usually is.
    """
    inside, around = place.resolve(), project.resolve()
    mine = Path(pwd.getpwuid(os.getuid()).pw_dir).resolve()
    return inside.is_relative_to(around) and not mine.is_relative_to(around)


@cache
def shipped_lists() -> Mapping[str, Node]:
    """What ships of the keys whose default is a list or a mapping, by key path."""
    lists = packaged("paths")[0].items
    found = {f"flow.{name}": lists[name] for name in _LISTS if name in lists}
    return {
        **found,
        "intent.source": _list("hook", "library", "declared"),
        "approvals.channels": _list("mcp", "cli", "web"),
        "flow.policies": Node({name: Node(name) for name in ("claude-code", "tripwire")}),
    }


def _list(*words: str) -> Node:
    return Node(tuple(Node(word) for word in words))


# ── the difference, for people ───────────────────────────────────────────────────────────────


def difference(offer: Offer) -> tuple[str, ...]:
    """What gets looser, line by line: a key and its place, `-` what holds now, `+` what would."""
    found: list[str] = []
    heading = ""
    for one in offer.looser:
        title = f"{one.key}  ({one.place})" if one.key != "flow.policies" else f"{one.path}"
        if title != heading:
            found.append(title)
        heading = title
        if one.old is not None:
            found += [f"  - {line}" for line in _lines(one.old)]
        elif one.key == "flow.rules":
            found.append("  - the shipped table")
        found += [f"  + {line}" for line in _lines(one.new)]
    return tuple(found)


def _lines(node: Node) -> list[str]:
    """A value, one line for each entry of a list or a mapping."""
    if isinstance(node.value, tuple):
        return [_flat(entry) for entry in node.value] or ["[]"]
    if isinstance(node.value, Mapping):
        return [f"{key}: {_flat(entry)}" for key, entry in node.value.items()] or ["{}"]
    return [_flat(node)]


def _flat(node: Node) -> str:
    value = _shown(node)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shown(node: Node) -> Scalar | list[object] | dict[str, object]:
    """A node as plain values; what came from the environment may be a secret and is not shown."""
    if isinstance(node.value, Mapping):
        return {key: _shown(child) for key, child in node.value.items()}
    if isinstance(node.value, tuple):
        return [_shown(child) for child in node.value]
    return "(from the environment)" if node.interpolated else node.value
