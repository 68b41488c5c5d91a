"""pins.json: the definitions of tools and the identity of servers, as first seen (gateway.md §3.2).

Shared by the sessions of one state directory, under a MAC of the installation. A file that cannot
be read or does not fit its MAC is an error: it never means that nothing is pinned.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import shutil
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tripwire.act.pinning import FIELDS, changes, compare
from tripwire.errors import StateUnusable, UsageError
from tripwire.io.files import FileLock, make_private_dir, read_private, unusable, write_atomic
from tripwire.io.heads import Heads
from tripwire.io.keys import KeyStore
from tripwire.ledger.keys import hkdf
from tripwire.text import fold
from tripwire.text.canonical import any_digest
from tripwire.text.secrets import redact

NAME = "pins.json"
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Waiting:
    """A tool or a server ("" as its tool) that waits for a person."""

    upstream: str
    tool: str
    why: str
    fingerprint: str
    diff: tuple[str, ...]


class Pins:
    """The pins of one state directory."""

    def __init__(self, root: Path, store: KeyStore, *, strict: bool = True) -> None:
        make_private_dir(root)
        self._path = root / NAME
        self._root, self._store, self._strict = root, store, strict
        self._lock = FileLock(root / f"{NAME}.lock")
        self._threads = threading.Lock()
        """A lock between processes is none between the threads of one."""
        self._stamp: object = None

    def look(
        self, upstream: str, identity: Mapping[str, object], listed: Iterable[Mapping[str, Any]]
    ) -> dict[str, str]:
        """Compare a listing; pins what is first seen. Tool → why it waits, "" the whole server.

        Raises StateUnusable.
        """
        tools = list(listed)
        with self._threads, self._lock.held():
            held = self._read()
            known = held.get(upstream)
            pinned = None if known is None else known["tools"]
            look = compare(pinned, tools, strict=self._strict)
            entry: dict[str, Any] = known or {"identity": dict(identity), "tools": {}}
            entry["tools"] = {**entry["tools"], **look.fresh}
            waiting = dict(look.quarantined)
            differs = [k for k in identity if entry["identity"].get(k) != identity[k]]
            if differs:
                waiting[""] = "the server is another one: " + ", ".join(differs)
            offered = {str(t.get("name")): {k: t[k] for k in FIELDS if k in t} for t in tools}
            entry["offered"] = {name: offered[name] for name in look.quarantined}
            entry["why"] = waiting
            entry["offered_identity"] = dict(identity) if differs else {}
            held[upstream] = entry
            self._write(held)
        return waiting

    def changed(self) -> bool:
        """Whether the file is another one than at the last look. Cheap."""
        now = self._stamp_now()
        if now == self._stamp:
            return False
        self._stamp = now
        return True

    def waiting(self) -> list[Waiting]:
        """Everything that waits for a person. Raises StateUnusable."""
        found = []
        for upstream, entry in self._read().items():
            for tool, why in entry.get("why", {}).items():
                before = entry["tools"].get(tool, {}) if tool else entry["identity"]
                after = entry["offered"].get(tool, {}) if tool else entry["offered_identity"]
                mark = any_digest([upstream, tool, after])
                found.append(Waiting(upstream, tool, why, mark, _diff(before, after)))
        return found

    def pinned(self) -> dict[str, dict[str, str]]:
        """Upstream → tool → fingerprint of its pin. Raises StateUnusable."""
        return {
            upstream: {tool: any_digest(held) for tool, held in entry["tools"].items()}
            for upstream, entry in self._read().items()
        }

    def approve(self, shown: Waiting, approver: str) -> None:
        """Accept exactly what was shown. Raises UsageError if it is another one by now."""
        with self._threads, self._lock.held():
            held = self._read()
            entry = held.get(shown.upstream, {})
            after = entry.get("offered", {}).get(shown.tool, {})
            if not shown.tool:
                after = entry.get("offered_identity", {})
            if any_digest([shown.upstream, shown.tool, after]) != shown.fingerprint:
                raise UsageError("it changed again", fix="Look at `tripwire pins diff` once more.")
            heads = Heads(self._root, self._store)
            data = {"upstream": shown.upstream, "tool": shown.tool, "approver": approver}
            heads.record("pin_approved", {**data, "fingerprint": shown.fingerprint})
            heads.close()
            if shown.tool:
                entry["tools"][shown.tool] = after
                del entry["offered"][shown.tool]
            else:
                entry["identity"], entry["offered_identity"] = after, {}
            del entry["why"][shown.tool]
            self._write(held)

    def _key(self) -> bytes:
        secret = self._store.installation(create=True)
        return hkdf(secret or b"", "tripwire/pins/v1")

    def _read(self) -> dict[str, Any]:
        try:
            content = read_private(self._path)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise unusable(self._path, error) from None
        try:
            raw = json.loads(content)
            said = raw.pop("mac")
            good = hmac.compare_digest(said, self._mac(raw))
            held: dict[str, Any] = raw["upstreams"]
        except (ValueError, TypeError, KeyError, AttributeError):
            good = False
        if not good:
            raise StateUnusable(
                "the pins were changed or belong to another key",
                where=str(self._path),
                fix="Restore the file; to pin everything anew, move it away.",
            )
        return held

    def _write(self, held: Mapping[str, Any]) -> None:
        raw = {"v": 1, "upstreams": held}
        text = json.dumps({**raw, "mac": self._mac(raw)}, indent=1, sort_keys=True)
        try:
            before = read_private(self._path) if self._path.exists() else b""
            if before != text.encode() + b"\n":
                write_atomic(self._path, text.encode() + b"\n", durable=True)
        except OSError as error:
            raise unusable(self._path, error) from None
        self._stamp = self._stamp_now()

    def _mac(self, raw: object) -> str:
        text = json.dumps(raw, sort_keys=True, separators=(",", ":"))
        return hmac.digest(self._key(), text.encode("utf-8", "surrogatepass"), "sha256").hex()

    def _stamp_now(self) -> object:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return (found.st_ino, found.st_size, found.st_mtime_ns)


def identity_of(command: tuple[str, ...], cwd: str, server: Mapping[str, object]) -> dict[str, Any]:
    """Who a server is: command line, the program and the scripts in it by hash, what it says."""
    resolved = shutil.which(command[0], path=None) if command else None
    files = {}
    for word in command[:1]:
        files[word] = _hash(Path(resolved or word))
    for word in command[1:]:
        place = Path(cwd or ".") / word
        if "/" in word or "." in word:
            digest = _hash(place)
            if digest:
                files[word] = digest
    return {
        "command": list(command),
        "program": str(Path(resolved).resolve()) if resolved else "",
        "files": files,
        "serverInfo": {k: server.get(k) for k in ("name", "version")},
    }


def _hash(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError:
        return ""
    return digest.hexdigest()


def _diff(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """One line for what was and one for what is, for each member that differs (AP-P4)."""
    found = []
    for name in changes(before, after) or sorted({*before, *after}):
        if before.get(name) != after.get(name):
            found += [
                f"- {name}: {_shown(before.get(name))}",
                f"+ {name}: {_shown(after.get(name))}",
            ]
    return tuple(found)


def _shown(value: object) -> str:
    """The value on one line, invisible characters spelt out, credentials covered."""
    if value is None:
        return "(none)"
    text = redact(value if isinstance(value, str) else json.dumps(value, sort_keys=True))
    return "".join(
        f"\\u{ord(c):04x}" if fold.is_invisible(c) or not c.isprintable() else c for c in text
    )
