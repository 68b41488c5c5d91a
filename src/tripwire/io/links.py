"""Where the paths of a call really lead: symbolic links followed, for the core that cannot look.

`links_of` answers for every path-like argument and every word of a shell command. Paths that are
not links are left out, so the answer is mostly empty. Does not judge a path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from tripwire.text.content import strings

MAX_WORDS = 400
"""Words of one call that are looked up; a call with more is all the more judged by its text."""

_SPLIT = re.compile(r"[\s'\"`;|&<>()=,:{}\[\]$\\]+")


def links_of(args: Mapping[str, object], *, cwd: str, home: str = "") -> dict[str, str]:
    """Path as the call has it (and as an absolute path) → the resolved path, where they differ."""
    found: dict[str, str] = {}
    folders = [cwd] if os.path.isabs(cwd) else []
    for count, word in enumerate(_words(args)):
        if count >= MAX_WORDS:
            break
        for folder in folders[:8] or [""]:
            absolute = _absolute(word, folder, home)
            if not absolute:
                continue
            real = _real(absolute)
            if real and real != absolute:
                found[word] = found[absolute] = real
            if real and absolute not in folders and os.path.isdir(real):
                folders.append(absolute)  # a `cd` may make later words relative to it
    return found


def _words(args: Mapping[str, object]) -> Iterator[str]:
    seen: set[str] = set()
    for text in strings(dict(args)):
        whole = [text] if len(text) < 4096 and "\n" not in text else []
        for word in (*whole, *(_SPLIT.split(text[:65536]) if len(text) < 1 << 20 else ())):
            if word and word not in seen and len(word) < 4096 and "\0" not in word:
                seen.add(word)
                yield word


def _absolute(word: str, folder: str, home: str) -> str:
    if word.startswith("~/") or word == "~":
        return os.path.normpath(home + word[1:]) if home else ""
    if os.path.isabs(word):
        return os.path.normpath(word)
    return os.path.normpath(os.path.join(folder, word)) if folder else ""


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return ""


def existing(path: str, *, cwd: str, home: str = "") -> str:
    """The absolute path of `path` if something is there, else ""."""
    absolute = _absolute(path, cwd, home)
    try:
        return absolute if absolute and os.path.lexists(absolute) else ""
    except ValueError:
        return ""
