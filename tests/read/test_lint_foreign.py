"""read/lint_foreign and lint_hooks: a failing and a passing file for each code (TW301 to TW311)."""

import pytest
from tests.read.making import NOW, rules, tripwire

from tripwire.config.front_matter import parse_rule
from tripwire.read.foreign import format_of
from tripwire.read.lint_foreign import of_rule_files
from tripwire.read.lint_hooks import HookSettings, matches, of_hook_settings

CLAUDE, CURSOR, COPILOT = (
    ".claude/rules/a.md",
    ".cursor/rules/a.mdc",
    ".github/instructions/a.instructions.md",
)


def found(file, head=None, *, project=None):
    text = "body\n" if head is None else f"---\n{head}\n---\nbody\n"
    rule = parse_rule(text.encode(), file, format_of(file))
    return list(of_rule_files([rule], project or rules(), NOW))


def codes(*args, **more):
    return [(finding.code, finding.line) for finding in found(*args, **more)]


@pytest.mark.parametrize(
    ("file", "head", "expected"),
    [
        ("src/CLAUDE.md", None, [("TW301", 1)]),
        ("src/AGENTS.md", None, [("TW301", 1)]),
        ("CLAUDE.md", None, []),
        ("AGENTS.md", None, []),
        (CLAUDE, 'paths:\n  - "a/**"', [("TW302", 2)]),
        (CLAUDE, 'paths: "a/**, b"', [("TW303", 2)]),
        (CLAUDE, "paths: a/**", [("TW303", 2)]),
        (CLAUDE, 'paths: ["a", b]', [("TW303", 2)]),
        (CLAUDE, "paths: [a", [("TW303", 3)]),
        (CLAUDE, None, [("TW304", 1)]),
        (CLAUDE, "paths: []", [("TW304", 2)]),
        (CLAUDE, 'paths: ["!a"]', [("TW302", 2), ("TW306", 2)]),
        (CURSOR, "alwaysApply: true", []),
        (CURSOR, "globs:", [("TW304", 2)]),
        (CURSOR, "globs: [a", [("TW304", 3)]),
        (CURSOR, "description: x", [("TW307", 1)]),
        (CURSOR, "globs: **/*.ts", [("TW307", 2)]),
        (CURSOR, "globs: **/*.ts,b", [("TW307", 2)]),
        (CURSOR, "globs: **/*.ts, b", [("TW307", 2), ("TW309", 2)]),
        (CURSOR, "globs: **/*.{ts,js}", [("TW307", 2), ("TW309", 2)]),
        (CURSOR, 'globs: ["**/*.{ts,js}"]', [("TW307", 2)]),
        (CURSOR, "globs: ./a", [("TW307", 2), ("TW306", 2)]),
        (COPILOT, 'applyTo: "**/*.py"', [("TW305", 2)]),
        (COPILOT, "description: x", [("TW304", 1)]),
        (COPILOT, 'applyTo: ["**/*.py"]', [("TW308", 2)]),
        (COPILOT, 'applyTo: "/src/**"', [("TW305", 2), ("TW306", 2)]),
        (COPILOT, 'applyTo: "@(a|b)/**"', [("TW305", 2), ("TW306", 2)]),
        (COPILOT, 'applyTo: "src/**"\nexcludeAgent: code-review', [("TW305", 2), ("TW307", 3)]),
    ],
)
def test_rule_files(file, head, expected):
    assert codes(file, head) == expected


def test_what_was_imported_is_not_minded():
    there = tripwire("x", source=CURSOR)
    assert codes(CURSOR, "globs: a, b", project=rules(there)) == []
    off = tripwire("x", source=CURSOR, active=False)
    assert codes(CURSOR, "globs: a,b", project=rules(off)) == [("TW307", 2)]


def test_each_says_how_to_mend_it():
    (finding,) = found("src/CLAUDE.md")
    assert finding.level == "warning"
    assert finding.fix == "tripwire import --from src/CLAUDE.md --write"
    assert "Claude Code" in finding.message


def test_a_name_that_a_shell_would_obey_is_quoted():
    (finding,) = found("$(id) x/CLAUDE.md")
    assert finding.fix == "tripwire import --from '$(id) x/CLAUDE.md' --write"


def hooks(client, **events):
    return [f.code for f in of_hook_settings(HookSettings(client, "f", {"hooks": events}))]


def test_a_guard_of_reads_must_see_the_shell():
    assert hooks("claude-code", PreToolUse=[{"matcher": "Read|Edit"}]) == ["TW310"]
    assert hooks("claude-code", PreToolUse=[{"matcher": "Read"}, {"matcher": "Bash"}]) == []
    assert hooks("claude-code", PreToolUse=[{"matcher": "Edit"}]) == []
    assert hooks("claude-code", PreToolUse=[{}]) == []
    assert hooks("gemini", BeforeTool=[{"matcher": "read_.*"}]) == ["TW310"]
    assert hooks("gemini", BeforeTool=[{"matcher": ".*"}]) == []
    assert hooks("codex", PreToolUse=[{"matcher": "Read"}]) == []


def test_a_guard_of_cursor_must_not_fail_open():
    closed = {"failClosed": True}
    assert hooks("cursor", preToolUse=[closed], beforeReadFile=[closed]) == []
    assert hooks("cursor", preToolUse=[closed]) == ["TW311"]
    assert hooks("cursor", preToolUse=[closed], beforeReadFile=[{}]) == ["TW311"]
    assert hooks("cursor", preToolUse=[{}]) == ["TW311", "TW311"]
    assert hooks("cursor", preToolUse=[{"matcher": "Shell"}]) == []
    assert hooks("cursor", preToolUse=[{"matcher": "Read", **closed}], beforeReadFile=[closed]) == [
        "TW310"
    ]


@pytest.mark.parametrize(
    "hooks", [None, [], {"PreToolUse": 3}, {"PreToolUse": [1, {"matcher": 7}]}]
)
def test_odd_settings_are_no_guard(hooks):
    assert list(of_hook_settings(HookSettings("claude-code", "f", {"hooks": hooks}))) == []


def test_matchers():
    assert matches("", "Read")
    assert matches("*", "Read")
    assert matches("Edit, Read", "Read")
    assert not matches("Rea", "Read")
    assert matches("Rea.", "Read")
    assert not matches("(?<=x)Read", "Read")
    assert not matches("(" * 50, "Read")
