"""Asks git about a repository, and lets the repository run nothing.

A repository may be hostile: no hook, monitor, pager, filter, text converter, signature program or
transport of it is ever started, whatever its configuration says, and nothing is fetched. Only
history is compared, never the working tree, as that would run clean filters. Output is bounded.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tripwire.errors import UsageError
from tripwire.io.project import beginning
from tripwire.read import churn
from tripwire.read.churn import Region
from tripwire.read.history import LOG_FORMAT, LOG_FORMAT_WITH_BODY, History, changes_of, commits_of

MAX_COMMITS = 20_000
"""Commits that are looked at; a longer history counts as cut off there."""
MAX_OUTPUT = 64 << 20
"""Bytes of one answer."""
SECONDS = 120.0
"""The longest that one question may take."""

_MAX_FILE = 4 << 20
_MAX_PATCHES = 8 << 20
_SAFE = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.quotePath=false",
    "core.attributesFile=/dev/null",
    "log.showSignature=false",
    "log.showRoot=true",
    "submodule.recurse=false",
    "diff.external=",
    "diff.submodule=short",
)
_DIFF = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--relative",
    "--ignore-submodules=all",
)
_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
_KEPT = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR")


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository that a directory is in; every path is relative to that directory."""

    directory: Path

    def ask(self, *words: str, most: int = MAX_OUTPUT) -> tuple[bytes, bool]:
        """What git prints, at most `most` bytes, and whether that is all. Raises UsageError."""
        return _output(self.directory, words, most)

    def commit(self, revision: str) -> str:
        """The id of the commit that `revision` names. Raises UsageError."""
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        try:
            return self.ask(*words)[0].decode().strip()
        except UsageError:
            raise UsageError(
                f'no commit "{revision[:80]}"', fix="Name one that was fetched (see fetch-depth)."
            ) from None

    def has_commits(self) -> bool:
        """Whether HEAD names a commit yet."""
        try:
            return bool(self.commit("HEAD"))
        except UsageError:
            return False

    def history(self, *, with_lines: bool = True, with_body: bool = False) -> History:
        """Every commit of HEAD, newest first, as far as MAX_COMMITS. Raises UsageError."""
        form = LOG_FORMAT_WITH_BODY if with_body else LOG_FORMAT
        if not self.has_commits():
            return History()
        log = ("log", "-z", "--topo-order", "--numstat", "-M", f"--max-count={MAX_COMMITS}", *_DIFF)
        text, whole = self.ask(*log, f"--format={form}", "HEAD", "--")
        commits = tuple(commits_of(_decoded(text)))
        shallow = self.ask("rev-parse", "--is-shallow-repository")[0].strip() == b"true"
        edges = frozenset(c.id for c in commits if not c.parents) if shallow else frozenset()
        complete = whole and not shallow and len(commits) < MAX_COMMITS
        return History(commits, self._lines() if with_lines else {}, complete, edges)

    def regions(self, path: str, *, since: float) -> tuple[Region, ...]:
        """The places of a file that commits since then changed. Raises UsageError."""
        log = (
            "log",
            "-p",
            "--topo-order",
            "-U0",
            "--no-renames",
            "--no-merges",
            "--inter-hunk-context=0",
            *_DIFF,
        )
        words = (*log, f"--format={churn.LOG_FORMAT}", "HEAD", "--", path)
        text, _ = self.ask(*words, most=_MAX_PATCHES)
        found = churn.patches_of(_decoded(text))
        return churn.regions(patch for patch in found if patch.at >= since)

    def changed(self, files: Iterable[str], revision: str) -> frozenset[str]:
        """Those of `files` that are not as they were at `revision`, committed or not.

        A link on the way to a file counts, and so does what it leads to. Raises UsageError.
        """
        real = os.path.realpath(self.directory)
        named = {file: _places(self.directory, real, file) for file in files}
        committed = self.changed_since(revision)
        loose = self.uncommitted([place for places in named.values() for place in places[:2]])
        return frozenset(
            file
            for file, places in named.items()
            if file in committed
            or not committed.isdisjoint(places)
            or not loose.isdisjoint(places[:2])
        )

    def changed_since(self, revision: str) -> frozenset[str]:
        """Files that HEAD changed since it left `revision`, deleted ones too. Raises UsageError."""
        base = self._fork(self.commit(revision))
        words = ("diff", "-z", "--name-only", "--no-renames", *_DIFF, base, "HEAD", "--")
        return frozenset(_names(self.ask(*words)[0]))

    def uncommitted(self, files: list[str]) -> frozenset[str]:
        """Those of `files` that are not in HEAD as they are, byte for byte, or are not, on disk."""
        if not files:
            return frozenset()
        known = self._blobs() if self.has_commits() else {}
        return frozenset(f for f in files if not _is_blob(self.directory / f, known.get(f, "")))

    def _fork(self, commit: str) -> str:
        """Where HEAD and a commit parted; the commit itself if they have nothing in common."""
        try:
            return self.ask("merge-base", commit, "HEAD")[0].decode().split()[0]
        except (UsageError, IndexError):
            return commit

    def _lines(self) -> dict[str, int]:
        """Lines of every file in HEAD, binary ones 0."""
        empty = self.ask("hash-object", "-t", "tree", "/dev/null")[0].decode().strip()
        words = ("diff", "-z", "--numstat", "--no-renames", *_DIFF, empty, "HEAD", "--")
        found = changes_of(_decoded(self.ask(*words)[0]).split("\0"))
        return {change.path: change.added for change in found}

    def _blobs(self) -> dict[str, str]:
        """Path → id of the content, of every file in HEAD below the directory."""
        rows = _names(self.ask("ls-tree", "-r", "-z", "HEAD")[0])
        parted = (row.partition("\t") for row in rows)
        return {path: fields.split(" ")[2] for fields, _, path in parted if path}


def repository(root: Path) -> Repository:
    """The repository around a directory. Raises UsageError if there is none, or no git."""
    found = Repository(root)
    try:
        found.ask("rev-parse", "--git-dir")
    except UsageError as problem:
        if "cannot be started" in problem.what or "dubious" in problem.what:
            raise
        what = "not a git repository"
        raise UsageError(what, where=str(root), fix="Run it inside of one.") from None
    return found


def _output(directory: Path, words: tuple[str, ...], most: int) -> tuple[bytes, bool]:
    command = [
        "git",
        "--no-pager",
        "--literal-pathspecs",
        *(part for each in _SAFE for part in ("-c", each)),
        *words,
    ]
    environ = {name: os.environ[name] for name in _KEPT if name in os.environ} | _ENVIRONMENT
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                command,
                cwd=directory,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        except OSError as problem:
            why = problem.strerror or type(problem).__name__
            raise UsageError(f"git cannot be started ({why})", fix="Install it.") from None
        late = threading.Timer(SECONDS, process.kill)
        late.start()
        text = b""
        try:
            text = process.stdout.read(most + 1) if process.stdout else b""
        finally:
            if len(text) > most:
                process.kill()
            code = process.wait()
            late.cancel()
            if process.stdout:
                process.stdout.close()
        if len(text) > most:
            return text[:most], False
        if code:
            raise UsageError(f"git {words[0]} failed: {_said(errors.fileno(), code)}")
        return text, True


def _said(errors: int, code: int) -> str:
    """The first line that git wrote to stderr."""
    text = os.pread(errors, 2000, 0).decode("utf-8", "replace")
    return next((line.strip()[:200] for line in text.splitlines() if line.strip()), f"exit {code}")


def _decoded(text: bytes) -> str:
    """Text in which no name is lost, and every name can be written."""
    return text.decode("utf-8", "surrogateescape").encode("utf-8", "replace").decode("utf-8")


def _names(text: bytes) -> list[str]:
    return [name for name in _decoded(text).split("\0") if name]


def _places(directory: Path, real: str, file: str) -> list[str]:
    """Where a file is if its directory is no link, and if it is none either; then what is above."""
    path = directory / file
    beside = os.path.relpath(Path(os.path.realpath(path.parent)) / path.name, real)
    there = os.path.relpath(os.path.realpath(path), real)
    above = (str(parent) for name in (file, beside, there) for parent in Path(name).parents)
    return [beside, there, *(name for name in above if name != ".")]


def _is_blob(path: Path, wanted: str) -> bool:
    """Whether a file's bytes, or where a link leads, are those of a blob; "": there is none."""
    if not wanted:
        return not os.path.lexists(path)
    try:
        link = path.is_symlink()
        raw = os.fsencode(path.readlink()) if link else beginning(path, _MAX_FILE + 1, follow=False)
    except (OSError, ValueError):
        return False
    made = hashlib.sha256() if len(wanted) == 64 else hashlib.sha1(usedforsecurity=False)
    made.update(b"blob %d\0" % len(raw) + raw)
    return made.hexdigest() == wanted
