"""What lint looks at of other clients: their rule files, and their hook settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from tripwire.doors.hooks.settings import read
from tripwire.errors import SettingsUnreadable
from tripwire.io.foreign_rules import rule_files
from tripwire.io.read_rules import bytes_inside
from tripwire.read.lint_codes import LintFinding
from tripwire.read.lint_foreign import of_rule_files
from tripwire.read.lint_hooks import HookSettings, of_hook_settings
from tripwire.read.tripwire_set import TripwireSet

SETTINGS = (
    ("claude-code", ".claude/settings.json"),
    ("claude-code", ".claude/settings.local.json"),
    ("gemini", ".gemini/settings.json"),
    ("cursor", ".cursor/hooks.json"),
)
"""Client → a settings file of the project that may hold hooks."""
_MOST = 1 << 20


def foreign(
    root: Path, rules: TripwireSet, files: Iterable[str], now: float
) -> Iterator[LintFinding]:
    """TW301 to TW311 of a project; a settings file that cannot be read says nothing."""
    yield from of_rule_files(rule_files(root, files), rules, now)
    for client, file in SETTINGS:
        if not (root / file).is_file():
            continue
        raw, _ = bytes_inside(root, root / file, _MOST)
        try:
            data = read((raw or b"").decode("utf-8", "replace"))
        except SettingsUnreadable:
            continue
        yield from of_hook_settings(HookSettings(client, file, data))
