"""What reading and writing paths means for a session: labels, write classes, planted addresses.

Paths are resolved already; see act/paths.py. Does not know tools or commands.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tripwire.act.paths import PathContext, PathKinds, resolve
from tripwire.act.shell.effects import FileWrite
from tripwire.memory.tokens import Tokens
from tripwire.model.label import Label, WriteClass
from tripwire.rule import Case
from tripwire.text import words

_MAX_PLANTED = 200


def resolved(paths: Iterable[str], here: PathContext) -> tuple[str, ...]:
    """The absolute forms of all these paths, each once."""
    return tuple(dict.fromkeys(p for path in paths for p in resolve(path, here)))


def pathlike(texts: Iterable[str]) -> tuple[str, ...]:
    """Arguments that may be paths of files to send along."""
    starts = ("/", "~/", "./", "../", ".")
    return tuple(t for t in texts if t.startswith(starts) and len(t) < 1024)


def followed(writes: Iterable[FileWrite], here: PathContext) -> tuple[FileWrite, ...]:
    """The same writes at their absolute paths, links followed."""
    return tuple(replace(write, path=p) for write in writes for p in resolve(write.path, here))


def labels_of(
    paths: tuple[str, ...], case: Case, kinds: PathKinds
) -> tuple[frozenset[Label], bool]:
    """The labels of reading these paths, and whether a stranger's text is in one of them."""
    labels: set[Label] = set()
    tainted = False
    files = case.memory.files
    for path in paths:
        if not kinds.public.surely_has(path):
            labels.add(Label.PRIVATE)
        if kinds.secret.has(path):
            labels.add(Label.SECRET)
        if kinds.untrusted.has(path):
            labels.add(Label.UNTRUSTED)
        if files.taint_of(path) is not None or files.any_taint_below(path) is not None:
            tainted = True
            labels.add(Label.UNTRUSTED)
    return frozenset(labels), tainted


def written(
    writes: tuple[FileWrite, ...], case: Case, kinds: PathKinds
) -> tuple[frozenset[WriteClass], tuple[FileWrite, ...]]:
    """The classes of these writes, and those that change what runs next."""
    classes: set[WriteClass] = set()
    runs = []
    for write in writes:
        planted_here = kinds.build.has(write.path) and _planted(write, case.memory.tokens)
        if planted_here or kinds.exec.has(write.path):
            runs.append(write)
        if kinds.shared.has(write.path):
            classes.add(WriteClass.EXTERNAL)
    if runs:
        classes.add(WriteClass.EXEC)
    return frozenset(classes), tuple(runs)


def _planted(write: FileWrite, tokens: Tokens) -> bool:
    """Whether a stranger's address or download goes into the file."""
    if write.content is None:
        return write.downloaded
    return planted(write.content, tokens)


def planted(text: str, tokens: Tokens) -> bool:
    """Whether `text` holds a URL, host or address that only a stranger brought."""
    found = list(words.addresses((text,)))
    if len(found) > _MAX_PLANTED:
        found = list(dict.fromkeys(found))
    return any(tokens.seen(value).untrusted for value in found)


class OwnState:
    """Tripwire's state, keys and configuration of this policy."""

    def __init__(self, kinds: PathKinds, case: Case) -> None:
        policy = case.policy
        self._kinds = kinds
        named = (policy.state_dir, policy.keys_dir, policy.path)
        self._places = tuple(p.rstrip("/") for p in named if p.startswith("/"))

    def holds(self, path: str) -> bool:
        """Whether `path` is one of them."""
        if self._kinds.own_state.has(path):
            return True
        return any(path == p or path.startswith(f"{p}/") for p in self._places)
