"""Tripwires as they are on disk: files → TripwireSet, read again only where something changed.

Never raises for what a project holds: whatever does not load is a problem of the set (CTX-8).
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tripwire.config import tripwire_yaml
from tripwire.config.read_schema import FILE as CONFIG_FILE
from tripwire.config.tripwire_schema import EXTENSION, name_of, parse_tripwire
from tripwire.io import jail
from tripwire.io.project import encodable
from tripwire.io.read_rules import POLICY_FILE, Rules, bytes_inside, is_inside, read_rules
from tripwire.model.tripwire import Problem, ReadConfig, Tripwire
from tripwire.read.content import Similar
from tripwire.read.tripwire_set import TripwireSet

_FEW, _MANY = 64, 1_000
_SETTLED_NS = 100_000_000
"""A file that changed less than 100 ms before it was read may change again unseen: clocks of file
systems are coarse. It is read again."""

_Stamp = tuple[tuple[int, ...], ...]
"""What `stat` says of a file, of a link and its target; equal stamps mean nothing changed."""


def load(
    root: Path, *, config_text: str | None = None, similar: Similar | None = None
) -> TripwireSet:
    """The project's tripwires as they are now; `config_text` stands for its configuration file."""
    return TripwireFolder(root, config_text=config_text, similar=similar).current()


@dataclass(frozen=True, slots=True)
class _File:
    """One file as it was read. `raw` is None if it could not be."""

    stamp: _Stamp | None
    raw: bytes | None
    tripwire: Tripwire | None
    problems: tuple[Problem, ...]


class TripwireFolder:
    """The tripwires of one project, for decision after decision; safe to share between threads."""

    def __init__(
        self,
        root: Path,
        *,
        config_text: str | None = None,
        policy_text: str | None = None,
        similar: Similar | None = None,
    ) -> None:
        self.root = root
        self._config_text = config_text
        self._policy_text = policy_text
        self._similar = similar
        self._lock = threading.Lock()
        self._rules: Rules = (ReadConfig(), ())
        self._config_seen: object = None
        self._directory_fault = ""
        self._files: dict[str, _File] = {}
        self._heads: object = None
        self._next_look = 0.0
        self._set: TripwireSet | None = None

    def current(self) -> TripwireSet:
        """The tripwires as they are on disk (CTX-7); the same object as long as nothing changed.

        A changed file of many is seen within 90 ms, above 1,000 files within 0.9 s.
        """
        with self._lock:
            heads = self._stamps_of_heads()
            now = time.monotonic()
            if self._set is not None and heads == self._heads and now < self._next_look:
                return self._set
            changed = self._read_config(heads)
            changed |= self._read_files()
            self._heads = heads if all(map(_settled, heads)) else None
            count = len(self._files)
            self._next_look = now + (0.0 if count <= _FEW else 0.09 if count <= _MANY else 0.9)
            if changed or self._set is None:
                self._set = self._assembled(self._files)
            return self._set

    def with_texts(self, texts: Mapping[str, bytes]) -> TripwireSet:
        """The same as if these were saved: path of a tripwire, from the root → its bytes."""
        saved = self.current()
        with self._lock:
            place = f"{self._rules[0].tripwires_dir}/"
            files = dict(self._files)
            for path, raw in texts.items():
                name = path.removeprefix(place)
                if name == path or "/" in name or not _named_like_one(name):
                    continue
                if name in files and files[name].raw == raw:
                    continue
                if name.endswith(EXTENSION):
                    files[name] = _File(None, raw, *parse_tripwire(raw, encodable(path)))
                else:
                    files[name] = _File(None, raw, None, (_misnamed(encodable(path), raw),))
            return self._assembled(files) if files != self._files else saved

    # ── configuration ───────────────────────────────────────────────────────────────────────

    def _stamps_of_heads(self) -> tuple[_Stamp, ...]:
        places = (CONFIG_FILE, POLICY_FILE, self._rules[0].tripwires_dir)
        return tuple(_stamp(self.root / place) for place in places)

    def _read_config(self, heads: tuple[_Stamp, ...]) -> bool:
        """Read the configuration if it changed; whether it says something else now."""
        config, policy, directory = heads
        seen = (
            config,
            policy,
            [part[3:5] for part in directory],
        )  # not the times: files come and go
        if self._set is not None and seen == self._config_seen:
            return False
        rules = read_rules(self.root, self._config_text, self._policy_text)
        self._config_seen = seen if all(map(_settled, heads)) else None
        if rules == self._rules and self._set is not None:
            return False
        if rules[0].tripwires_dir != self._rules[0].tripwires_dir:
            self._files = {}
        self._rules = rules
        return True

    # ── files ───────────────────────────────────────────────────────────────────────────────

    def _read_files(self) -> bool:
        """Read the files that changed; whether any says something else now."""
        before, fault = self._files, ""
        after: dict[str, _File] = {}
        try:
            after = self._listed(self._rules[0].tripwires_dir)
        except FileNotFoundError:
            place = self.root / self._rules[0].tripwires_dir
            fault = "is a link that leads nowhere" if place.is_symlink() else ""
        except NotADirectoryError:
            fault = "is no directory"
        except OSError as error:
            fault = f"cannot be listed ({error.strerror})"
        refused, self._directory_fault = self._directory_fault, fault
        self._files = after
        if fault != refused or after.keys() != before.keys():
            return True
        pairs = ((file, before[name]) for name, file in after.items() if file is not before[name])
        return any(
            now.tripwire is not then.tripwire or now.problems is not then.problems
            for now, then in pairs
        )

    def _listed(self, place: str) -> dict[str, _File]:
        """Whatever looks like a tripwire file in a directory of the project. Raises OSError."""
        after: dict[str, _File] = {}
        if not is_inside(self.root, place):
            return after  # TW043 says so
        top, real = os.path.realpath(self.root), os.path.realpath(self.root / place)
        inside = jail.directory(top, os.path.relpath(real, top), listed=True)
        with inside as handle, os.scandir(handle) as entries:
            for entry in entries:
                name, known = entry.name, self._files.get(entry.name)
                stamp = _stamp(entry) if known is not None or _named_like_one(name) else ()
                if known is not None and known.stamp == stamp:
                    after[name] = known
                elif _looks_like_one(entry):
                    raw, fault = _bytes(self.root, place, handle, name, stamp)
                    after[name] = self._as_read(f"{place}/{name}", stamp, raw, fault, known)
        return after

    def _as_read(
        self, path: str, stamp: _Stamp, raw: bytes | None, fault: str, known: _File | None
    ) -> _File:
        """The file as it is now; with what was known of it if it says the same."""
        shown = encodable(path)
        kept = stamp if _settled(stamp) else None
        if known is not None and raw is not None and raw == known.raw:
            return replace(known, stamp=kept)
        if not path.endswith(EXTENSION):
            return _File(kept, raw, None, (_misnamed(shown, raw),))
        if raw is None:
            code = "TW001" if (self.root / path).exists() else "TW006"
            problems = (Problem(code, shown, fault),)
            if known is not None and known.problems == problems:
                return replace(known, stamp=kept)
            return _File(kept, None, None, problems)
        return _File(kept, raw, *parse_tripwire(raw, shown))

    def _assembled(self, files: Mapping[str, _File]) -> TripwireSet:
        config, problems = self._rules
        found: dict[str, Tripwire] = {}
        faults = list(problems)
        if self._directory_fault:
            faults.append(Problem("TW001", config.tripwires_dir, self._directory_fault))
        for name in sorted(files, key=os.fsencode):
            file = files[name]
            faults += file.problems
            if file.tripwire is None:
                continue
            first = found.setdefault(file.tripwire.name, file.tripwire)
            if first is not file.tripwire:
                faults.append(_same_name(first, file.tripwire))
        return TripwireSet(str(self.root), config, found.values(), faults, similar=self._similar)


def _stamp(path: Path | os.DirEntry[str]) -> _Stamp:
    """What identifies a file's state; empty if there is none. Never raises."""
    try:
        seen = path.stat(follow_symlinks=False)
    except (OSError, ValueError):
        return ()
    stamp = _numbers(seen)
    if not stat.S_ISLNK(seen.st_mode):
        return (stamp,)
    try:
        return (stamp, _numbers(path.stat()))
    except OSError:
        return (stamp, ())


def _numbers(seen: os.stat_result) -> tuple[int, ...]:
    times = (seen.st_mtime_ns, seen.st_ctime_ns)
    return (*times, seen.st_size, seen.st_ino, seen.st_dev, seen.st_mode)


def _settled(stamp: _Stamp) -> bool:
    newest = max((max(part[:2]) for part in stamp if part), default=0)
    return time.time_ns() - newest > _SETTLED_NS


def _bytes(
    root: Path, place: str, handle: int, name: str, stamp: _Stamp
) -> tuple[bytes | None, str]:
    """The bytes of a file in an open directory of the project, or why there are none."""
    most = tripwire_yaml.MAX_BYTES
    if len(stamp) != 1:  # a link, or gone
        return bytes_inside(root, root / place / name, most)
    if not stat.S_ISREG(stamp[0][-1]):
        return None, "cannot be read (is no regular file)"
    try:
        return jail.whole_at(handle, name, most + 1), ""
    except OSError as error:
        return None, f"cannot be read ({error.strerror or 'is no regular file'})"


def _looks_like_one(entry: os.DirEntry[str]) -> bool:
    if not _named_like_one(entry.name):
        return False
    try:
        return not entry.is_dir()
    except OSError:
        return True  # a loop of links: reading it says so


def _named_like_one(name: str) -> bool:
    _, dot, extension = name.rpartition(".")
    return bool(dot) and extension.lower() in ("yml", "yaml")


def _misnamed(file: str, raw: bytes | None) -> Problem:
    """A file that looks like a tripwire and is never loaded (CTX-2)."""
    tripwire, problems = parse_tripwire(raw, file) if raw is not None else (None, ())
    bounds = next((problem.triggers for problem in problems), None)
    triggers = tripwire.triggers if tripwire else bounds
    name = f"{name_of(file.rpartition('.')[0]) or 'name'}{EXTENSION}"
    what = f"only files that end in exactly {EXTENSION} are loaded"
    return Problem("TW006", file, what, fix=f"rename it to {name}", triggers=triggers)


def _same_name(first: Tripwire, other: Tripwire) -> Problem:
    what = f'{first.file} has the name "{first.name}" as well; that one is shown'
    return Problem("TW005", other.file, what, fix="rename one of them", triggers=other.triggers)
