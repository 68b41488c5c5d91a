"""The kinds of read.json. `match` is here; the others are in read_*.py, by what they exercise.

`match`: `given.path` (any spelling, made relative and slashed as a path that is read is),
`given.triggers`, `given.match_case` → `expect.matches`, `expect.matched_triggers`.
"""

from __future__ import annotations

import importlib
import posixpath
from collections.abc import Mapping
from typing import Any

from tripwire.text.path_index import PathIndex

MODULES = {
    **dict.fromkeys(("load", "config"), "read_load"),
    **dict.fromkeys(("inject", "check", "explain", "list", "stats", "lint"), "read_plans"),
    "hook": "read_hooks",
    "mcp": "read_mcp",
    "cli": "read_cli",
}
"""Kind → module with `CHECKS[kind]`, or `check` for a module of one kind."""


def check(case: Mapping[str, Any]) -> str:
    """Why the case fails, or nothing."""
    kind = case["kind"]
    if kind == "match":
        return match(case)
    module = importlib.import_module(f"tests.vectors.{MODULES[kind]}")
    run = module.CHECKS[kind] if hasattr(module, "CHECKS") else module.check
    return str(run(case))


def match(case: Mapping[str, Any]) -> str:
    """One list of triggers against one path."""
    given, expect = case["given"], case["expect"]
    path = posixpath.normpath(given["path"].replace("\\", "/"))
    index = PathIndex([given["triggers"]], match_case=given["match_case"])
    found = index.match(path)
    globs = list(found[0][1]) if found else []
    if bool(found) != expect["matches"]:
        return f"matches: {bool(found)}"
    if globs != expect.get("matched_triggers", globs):
        return f"matched_triggers: {globs}"
    return ""
