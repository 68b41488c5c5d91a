"""The `cli` kind of area `read`: a command line in a real project, run as users run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from tests.vectors.read_mcp import files_differ
from tests.vectors.read_project import differs, project


def check(case: Mapping[str, Any]) -> str:
    """Why the case fails, "" if it passes."""
    given, expected = case["given"], case["expect"]
    with project(given) as root:
        home = root.parent / "home"
        home.mkdir()
        env = {**os.environ, **(given.get("env") or {})}
        env |= {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "TRIPWIRE_HOME": str(home / "s")}
        done = subprocess.run(
            [sys.executable, "-m", "tripwire", *given["argv"]],
            cwd=root,
            env=env,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        wanted = expected.get("exit_code", done.returncode)
        right = done.returncode != 0 if wanted == "nonzero" else done.returncode == wanted
        if not right:
            return f"exit code {done.returncode}: {done.stderr[-300:]}"
        if "files_after" in expected and (fault := files_differ(root, expected["files_after"])):
            return fault
        return _output(done.stdout, expected)


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
