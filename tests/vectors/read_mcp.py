"""The `mcp` kind of area `read`: calls of the file server, in a real project with a real session."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from tests.vectors.read_project import moment, project

from tripwire.config.presets import builtin_policy
from tripwire.doors.mcp_server.file_server import Answer, Ask, FileServer
from tripwire.io.session import open_session
from tripwire.io.tripwires import TripwireFolder
from tripwire.model.event import SessionOpened

POLICY = builtin_policy()
DEFAULTS = {"severity": "warning", "tags": [], "depends_on": [], "active": True}


def check(case: Mapping[str, Any]) -> str:
    """Why the case fails, "" if it passes."""
    given, expected = case["given"], case["expect"]
    with project(given) as root, tempfile.TemporaryDirectory() as state:
        opened = SessionOpened("mcp_server", str(root))
        session = open_session(
            POLICY, root=Path(state), name="case", client="mcp_server", fresh=opened
        )
        server = FileServer(session, root, TripwireFolder(root), "c", clock=lambda: moment(given))
        try:
            for number, (call, wanted) in enumerate(
                zip(given["calls"], expected["results"], strict=True)
            ):
                found = server.call(call["tool"], call["arguments"])
                if isinstance(found, Ask):  # nobody is there to be asked
                    said = {found.text: False}
                    found = server.call(call["tool"], call["arguments"], said=said)
                assert isinstance(found, Answer)
                if fault := _differs(found, wanted):
                    return f"call {number}: {fault}"
        finally:
            session.close()
        return files_differ(root, expected["files_after"]) if "files_after" in expected else ""


def _differs(found: Answer, wanted: Mapping[str, Any]) -> str:
    if "is_error" in wanted and found.is_error != wanted["is_error"]:
        return f"is_error {found.is_error}: {found.blocks}"
    if "content" in wanted and list(found.blocks) != wanted["content"]:
        return f"content {found.blocks}"
    return ""


def files_differ(root: Path, wanted: Mapping[str, Any]) -> str:
    """How the tripwire files differ from those wanted, "" if they do not."""
    folders = {Path(name).parent for name in wanted} or {Path(".tripwires")}
    there = {
        str(path.relative_to(root)) for folder in folders for path in (root / folder).glob("*.yml")
    }
    if there != set(wanted):
        return f"files {sorted(there)}"
    for name, keys in wanted.items():
        text = (root / name).read_text("utf-8")
        data = yaml.load(text, yaml.BaseLoader) or {}
        for key, value in (keys or {}).items():
            if key == "$text":
                same = text == value
            else:
                found = data.get(key, DEFAULTS.get(key))
                same = _plain(found) == _plain(value)
            if not same:
                return f"{name}: {key} is {data.get(key)!r}"
    return ""


def _plain(value: Any) -> Any:
    """Scalars as their YAML text, so that `false` and False are one."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return str(value).lower() if isinstance(value, bool) else value
