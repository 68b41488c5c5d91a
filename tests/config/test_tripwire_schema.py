"""A tripwire file → Tripwire, or every reason why not (read.md §2.1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.config.tripwire_schema import parse_tripwire
from tripwire.model.tripwire import ContentCondition, Repeat, Severity, Tripwire

BASE = 'triggers: ["src/**"]\ncontext: c\n'


def loaded(text, file=".tripwires/a.yml"):
    tripwire, problems = parse_tripwire(text.encode(), file)
    assert tripwire is not None, problems
    return tripwire


def refused(text, file=".tripwires/a.yml"):
    tripwire, problems = parse_tripwire(text.encode(), file)
    assert tripwire is None
    assert problems
    return problems


def test_every_key_arrives():
    text = """# c
triggers:
  - src/**
  - "!src/gen/**"
context: |
  Keys come from the vault.
created_by: agent:x
severity: critical
learned_from: a review
tags: [security, Bad Tag]
expires: 2026-12-31
depends_on: [Vault_Only]
active: false
repeat: changed
match_content: {regex: ['^a'], keywords: [b], semantic: s, mode: all}
source: CLAUDE.md
"""
    found = loaded(text, ".tripwires/No_Keys.yml")
    assert found.name == "no-keys"
    assert found.triggers == ("src/**", "!src/gen/**")
    assert found.context == "Keys come from the vault.\n"
    assert (found.severity, found.created_by) == (Severity.CRITICAL, "agent:x")
    assert (found.learned_from, found.tags) == ("a review", ("security", "Bad Tag"))
    assert (found.expires, found.depends_on) == ("2026-12-31", ("vault-only",))
    assert (found.active, found.repeat) == (False, Repeat.CHANGED)
    assert found.match_content == ContentCondition(("^a",), ("b",), "s", "all")
    assert found.source == "CLAUDE.md"
    assert found.lines["triggers.1"] == 4
    assert found.lines["tags"] == 10
    assert found.lines["match_content.mode"] == 15
    assert len(found.digest) == 64


def test_defaults():
    found = loaded(BASE)
    assert found == Tripwire(
        "a", ".tripwires/a.yml", ("src/**",), "c", digest=found.digest, lines=found.lines
    )


def test_an_unknown_key_loads_and_is_named():
    found = loaded(BASE + "severty: high\nmatch_content: {keywords: [a], modus: all}\n")
    assert found.unknown_keys == ("severty", "match_content.modus")
    assert found.severity is Severity.WARNING


KEYS = [
    "triggers", "context", "created_by", "severity", "learned_from", "tags", "expires",
    "depends_on", "active", "repeat", "match_content", "source",
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_an_explicit_null_is_an_error_for_every_key(key):
    text = "".join(f"{line}\n" for line in BASE.splitlines() if not line.startswith(key))
    (problem,) = refused(f"{text}{key}: ~\n")
    assert problem.key == key
    assert problem.line == 2 if key in ("triggers", "context") else 3


def test_ctx_6_all_violations_in_table_order_with_their_places():
    text = """source: 1
match_content: {regex: ["(?=a)"], mode: some}
repeat: often
active: yes
depends_on: ["!!"]
expires: 2026-02-30
tags: [1]
learned_from: [a]
severity: low
created_by: 7
context: " \t\u00a0"
triggers: ["", "!", "{1..2000}", 5]
"""
    found = refused(text)
    assert [(p.key, p.code, p.line) for p in found] == [
        ("triggers.3", "TW003", 12),
        ("triggers.0", "TW008", 12),
        ("triggers.1", "TW008", 12),
        ("triggers.2", "TW035", 12),
        ("context", "TW003", 11),
        ("created_by", "TW003", 10),
        ("severity", "TW003", 9),
        ("learned_from", "TW003", 8),
        ("tags.0", "TW003", 7),
        ("expires", "TW009", 6),
        ("depends_on.0", "TW003", 5),
        ("active", "TW003", 4),
        ("repeat", "TW003", 3),
        ("match_content.regex.0", "TW033", 2),
        ("match_content.mode", "TW003", 2),
        ("source", "TW003", 1),
    ]
    assert all(problem.column and problem.message for problem in found)


@pytest.mark.parametrize(
    ("extra", "key"),
    [
        ("severity: High\n", "severity"),
        ("expires: 20270101\n", "expires"),
        ("expires: true\n", "expires"),
        ("match_content: {}\n", "match_content"),
        ("match_content: {mode: all}\n", "match_content"),
        ("match_content: {semantic: ''}\n", "match_content"),
        ("match_content: {regex: a}\n", "match_content.regex"),
        ("match_content: [a]\n", "match_content"),
        ("match_content: {keywords: [~]}\n", "match_content.keywords.0"),
    ],
)
def test_other_violations(extra, key):
    assert key in [problem.key for problem in refused(BASE + extra)]


@pytest.mark.parametrize("text", ["", "# c\n", "a\n", "- a\n", "5\n", "~\n"])
def test_what_is_no_mapping_is_a_problem_of_the_file(text):
    (problem,) = refused(text)
    assert (problem.code, problem.key, problem.triggers) == ("TW003", "", None)


def test_tw004_a_name_of_nothing():
    (problem,) = refused(BASE, ".tripwires/___.yml")
    assert (problem.code, problem.triggers) == ("TW004", ("src/**",))


@pytest.mark.parametrize(
    ("text", "triggers"),
    [
        (BASE + "severity: low\n", ("src/**",)),
        (BASE + "tags: [a]\ntags: [b]\n", ("src/**",)),
        ('triggers: ["src/**", ""]\ncontext: c\n', None),
        ('triggers: ["src/**", 1]\ncontext: c\n', None),
        ("triggers: []\ncontext: c\n", None),
        ("context: c\n", None),
        (BASE + "triggers: [a]\n", None),
        (BASE + "<<<<<<< HEAD\n", None),
        (BASE + "tags: [a\n", None),
    ],
)
def test_ctx_8_a_broken_file_affects_its_paths_only_if_all_triggers_are_sure(text, triggers):
    assert {problem.triggers for problem in refused(text)} == {triggers}


def test_the_notice_of_the_specification():
    problem = refused(BASE + "severity: high\nseverity: high\n")[0]
    assert (problem.code, problem.where) == ("TW002", ".tripwires/a.yml:4")
    assert problem.message == 'duplicate key "severity"'


def test_what_a_problem_quotes_cannot_break_a_line():
    for problem in refused(BASE + 'severity: "low\\n<<<TRIPWIRE"\nexpires: "x\\ny"\n"a\\nb": 1\n'):
        assert "\n" not in problem.message + problem.fix + problem.key
    assert loaded(BASE + '"a\\nb": 1\n').unknown_keys == ("a\\u000ab",)


@given(st.binary(max_size=60) | st.sampled_from(KEYS).map(lambda key: f"{key}: [".encode()))
def test_whatever_comes_is_a_tripwire_or_a_problem(raw):
    tripwire, problems = parse_tripwire(raw, ".tripwires/a.yml")
    assert (tripwire is None) == bool(problems)
