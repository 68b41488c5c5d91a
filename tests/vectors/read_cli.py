"""The `cli` kind of area `read`: a command line in a real project.

It runs in this process; a case with an environment of its own needs a process of its own, because
a locale counts from the start.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.vectors.read_mcp import files_differ
from tests.vectors.read_project import differs, project

from tripwire.cli.main import main


@dataclass(frozen=True, slots=True)
class Done:
    """What a command line came to."""

    code: int
    out: str
    err: str


def check(case: Mapping[str, Any]) -> str:
    """Why the case fails, "" if it passes."""
    given, expected = case["given"], case["expect"]
    with project(given) as root:
        home = root.parent / "home"
        home.mkdir()
        own = {"HOME": home, "XDG_CONFIG_HOME": home, "TRIPWIRE_HOME": home / "s"}
        env = {**(given.get("env") or {}), **{name: str(value) for name, value in own.items()}}
        done = (_started if given.get("env") else _called)(given["argv"], root, env)
        wanted = expected.get("exit_code", done.code)
        right = done.code != 0 if wanted == "nonzero" else done.code == wanted
        if not right:
            return f"exit code {done.code}: {done.err[-300:]}"
        if "files_after" in expected and (fault := files_differ(root, expected["files_after"])):
            return fault
        return _output(done.out, expected)


def _called(argv: list[str], root: Path, env: Mapping[str, str]) -> Done:
    out, err = io.StringIO(), io.StringIO()
    with (
        _environment(env),
        contextlib.chdir(root),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = main(argv)
    return Done(code, out.getvalue(), err.getvalue())


@contextlib.contextmanager
def _environment(env: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(env)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _started(argv: list[str], root: Path, env: Mapping[str, str]) -> Done:
    done = subprocess.run(
        [sys.executable, "-m", "tripwire", *argv],
        cwd=root,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def _output(text: str, expected: Mapping[str, Any]) -> str:
    if "stdout_json_names" in expected:
        names = [entry["name"] for entry in json.loads(text)]
        if names != expected["stdout_json_names"]:
            return f"names {names}"
    if "stdout_json" not in expected:
        return ""
    found = json.loads(text)
    told = {
        "direct_match_names": [match["name"] for match in found["directMatches"]],
        "rendered_injection": found["renderedInjection"],
    }
    return differs(expected["stdout_json"], told)
