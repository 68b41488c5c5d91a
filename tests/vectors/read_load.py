"""Cases of area `read` about loading: tripwire files, and the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.vectors.read_project import differs, moment, project

from tripwire.io.tripwires import load
from tripwire.model.tripwire import Tripwire

NOT_OF_A_FILE = ("TW005", "TW006")
"""Problems that the format of these cases does not list: which files are tripwires at all."""


def loaded(case: Mapping[str, Any]) -> str:
    """Which tripwires are in force, and what did not load."""
    given, expect = case["given"], case["expect"]
    with project(given) as root:
        rules = load(root)
    live = {t.name: t for t in rules.tripwires if t.alive(moment(given))}
    errors = {(Path(p.file).name, p.key) for p in rules.problems if p.code not in NOT_OF_A_FILE}
    if "loaded_names" in expect and sorted(expect["loaded_names"]) != sorted(live):
        return f"loaded: {sorted(live)}"
    for wanted in expect.get("loaded", ()):
        if wanted["name"] not in live:
            return f"not loaded: {wanted['name']}; {rules.problems}"
        if why := differs(wanted, _neutral(live[wanted["name"]])):
            return why
    if "loaded" in expect and len(expect["loaded"]) != len(live):
        return f"loaded: {sorted(live)}"
    wanted_errors = {(error["file"], error["path"]) for error in expect.get("errors", ())}
    return "" if "errors" not in expect or errors == wanted_errors else f"errors: {errors}"


def configured(case: Mapping[str, Any]) -> str:
    """The configuration in force, and what in it was refused."""
    expect = case["expect"]
    with project(case["given"]) as root:
        rules = load(root)
    if why := differs(expect["config"], _plain(rules.config)):
        return why
    unknown = {problem.key for problem in rules.problems if problem.code == "TW042"}
    refused = {problem.key for problem in rules.problems if problem.code != "TW042"}
    for key, found in (("warnings", unknown), ("problems", refused)):
        if key in expect and {each["path"] for each in expect[key]} != found:
            return f"{key}: {found}"
    return "" if "problems" in expect or not refused else f"problems: {refused}"


def _neutral(tripwire: Tripwire) -> dict[str, Any]:
    """Only what the cases compare, as plain data."""
    return _plain(tripwire)


def _plain(value: object) -> dict[str, Any]:
    names = getattr(value, "__slots__", ())
    fields = {name: getattr(value, name) for name in names}
    return {k: list(v) if isinstance(v, tuple) else v for k, v in fields.items()}


CHECKS = {"load": loaded, "config": configured}
