"""Real git repositories for tests, made by one process each: `git fast-import`."""

import os
import subprocess

START = 1_780_000_000
"""When the first commit was made; each later one a day after."""

ENV = {
    "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C",
}  # fmt: skip


def git(root, *words, **more):
    done = subprocess.run(
        ["git", *words], cwd=root, env=ENV, capture_output=True, check=True, **more
    )
    return done.stdout.decode()


def commit(files=None, message="change", author="a@x.example", *, at=None, gone=(), parent=None):
    """What one commit does: path → text, or bytes."""
    return {
        "files": files or {},
        "message": message,
        "author": author,
        "at": at,
        "gone": gone,
        "parent": parent,
    }


def repository(root, *commits, checkout=True):
    """A repository at `root` with these commits on main, numbered from 1 for `parent`."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q", "-b", "main", ".")
    stream = bytearray()
    for number, each in enumerate(commits, 1):
        at = each["at"] or START + 86_400 * number
        stream += b"commit refs/heads/main\nmark :%d\n" % number
        stream += b"committer N <%s> %d +0000\n" % (each["author"].encode(), at)
        stream += _data(each["message"])
        if number > 1:
            stream += b"from :%d\n" % (each["parent"] or number - 1)
        for path in each["gone"]:
            stream += b"D %s\n" % _quoted(path)
        for path, text in each["files"].items():
            stream += b"M 100644 inline %s\n" % _quoted(path) + _data(text)
    git(root, "fast-import", "--quiet", "--force", input=bytes(stream))
    if checkout:
        git(root, "reset", "-q", "--hard")
    return root


def _data(text):
    raw = text if isinstance(text, bytes) else text.encode()
    return b"data %d\n" % len(raw) + raw + b"\n"


def _quoted(path):
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return b'"' + escaped.encode("utf-8", "surrogateescape") + b'"'
