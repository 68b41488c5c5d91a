"""Where the paths of a call really lead: symbolic links followed, for the core that cannot look.

`links_of` answers for every short argument and every word of a shell command. Paths that are not
links are left out, so the answer is mostly empty. Does not judge a path.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping

from tripwire.text.content import strings

MAX_WORDS = 400
"""Words of one call that are looked up; a call with more is all the more judged by its text."""
MAX_FOLDERS = 8
"""Directories that words of a command may be relative to, after a `cd`."""
MAX_TEXT = 65_536
"""Characters of a command whose words are looked up."""

_PATH_ONLY = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_DIRECTORY | os.O_CLOEXEC
"""Opens a directory without reading it, where that can be said."""
_SHELL = re.compile(r"command|cmd|script|shell", re.IGNORECASE)
_SPLIT = re.compile(r"[\s'\"`;|&<>()=,:{}\[\]$\\@]+")


def links_of(args: Mapping[str, object], *, cwd: str, home: str = "") -> dict[str, str]:
    """Path as the call has it (and as an absolute path) → the resolved path, where they differ."""
    found: dict[str, str] = {}
    parents: dict[str, str] = {}
    normal = os.path.normpath(cwd) == cwd != "/"
    folders = [cwd] if os.path.isabs(cwd) else []
    for count, word in enumerate(_words(args)):
        if count >= MAX_WORDS:
            break
        for folder in folders[:MAX_FOLDERS] or [""]:
            plain = normal and folder is cwd and _is_name(word)
            absolute = f"{folder}/{word}" if plain else _absolute(word, folder, home)
            if not absolute:
                continue
            real, is_folder = _real(absolute, parents)
            if real != absolute:
                found[word] = found[absolute] = real
            if is_folder and absolute not in folders:
                folders.append(absolute)  # a `cd` may make later words relative to it
            if word[:1] in ("/", "~"):
                break
    return found


def _words(args: Mapping[str, object]) -> Iterator[str]:
    """Every string that could be one path, and the words of what looks like a command."""
    seen: set[str] = set()
    for key, value in args.items():
        for text in strings(value):
            whole = [text] if "\n" not in text else []
            split = _SPLIT.split(text[:MAX_TEXT]) if _SHELL.search(key) else ()
            for word in (*whole, *split):
                if word and word not in seen and len(word) < 4096 and "\0" not in word:
                    seen.add(word)
                    yield word


def _is_name(word: str) -> bool:
    """Whether a word can only name something in the directory that it is relative to."""
    return "/" not in word and word not in (".", "..", "~")


def _absolute(word: str, folder: str, home: str) -> str:
    if word.startswith("~/") or word == "~":
        return os.path.normpath(home + word[1:]) if home else ""
    if os.path.isabs(word):
        return os.path.normpath(word)
    return os.path.normpath(os.path.join(folder, word)) if folder else ""


def _real(path: str, parents: dict[str, str]) -> tuple[str, bool]:
    """The resolved path, and whether it is a directory; each parent is resolved once."""
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            return os.path.realpath(path), os.path.isdir(path)
    except OSError:
        mode = 0
    except ValueError:
        return path, False
    folder, name = os.path.split(path)
    real = parents.get(folder)
    if real is None:
        real = parents[folder] = _real_folder(folder)
    # The very same text where nothing is a link: then nothing has to be joined.
    return path if real == folder else os.path.join(real, name), stat.S_ISDIR(mode)


def _real_folder(path: str) -> str:
    """As `os.path.realpath`; in one step where the kernel tells (Linux)."""
    try:
        descriptor = os.open(path, _PATH_ONLY)
    except (OSError, ValueError):  # not there, or in part: the parts that are may be links
        return os.path.realpath(path)
    try:
        told = os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        told = ""
    finally:
        os.close(descriptor)
    known = told.startswith("/") and not told.endswith(" (deleted)")
    return told if known else os.path.realpath(path)


def existing(path: str, *, cwd: str, home: str = "") -> str:
    """The absolute path of `path` if something is there, else ""."""
    absolute = _absolute(path, cwd, home)
    try:
        return absolute if absolute and os.path.lexists(absolute) else ""
    except ValueError:
        return ""
