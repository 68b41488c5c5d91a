"""`.tripwirerc.yml` and `read:` (read.md §2.2)."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.config.read_keys import READ
from tripwire.config.read_schema import parse_read_config
from tripwire.model.tripwire import Enforcement, ReadConfig, Repeat, Severity

FILE = ".tripwirerc.yml"


def parsed(text):
    return parse_read_config(text.encode(), FILE)


@pytest.mark.parametrize("text", [None, "", "# only a comment\n", "---\n", "\ufeff", "{}\n"])
def test_nothing_means_all_defaults(text):
    raw = None if text is None else text.encode()
    assert parse_read_config(raw, FILE) == (ReadConfig(), ())


def test_every_key_is_read_and_documented():
    assert {field.name for field in fields(ReadConfig)} == set(READ)
    text = """inject_mode: metadata
separator: "--"
max_context_length: 9
allow_agent_create: false
require_learned_from: false
auto_expire_days: 0
enforcement_mode: strict
exclude_paths: [a/**, "!a/b"]
tripwires_dir: ./rules//x/
max_dependency_depth: 010
match_case: false
on_broken: block
agent_max_severity: info
protect_tripwires: false
repeat: changed
max_file_bytes: 1
stale_commits: 1
stale_ratio: 1
"""
    config, problems = parsed(text)
    assert problems == ()
    assert config == ReadConfig(
        "metadata", "--", 9, False, False, 0, Enforcement.STRICT, ("a/**", "!a/b"), "rules/x", 10,
        False, "block", Severity.INFO, False, Repeat.CHANGED, 1, 1, 1.0,
    )  # fmt: skip


@pytest.mark.parametrize("key", sorted(READ))
@pytest.mark.parametrize("bad", ["~", "{a: b}", "[[a]]"])
def test_a_bad_value_takes_its_default_and_is_a_problem(key, bad):
    config, (problem,) = parsed(f"# c\n{key}: {bad}\n")
    assert config == ReadConfig()
    assert (problem.code, problem.line) == ("TW041", 2)
    assert problem.key.startswith(key)
    assert problem.message


@pytest.mark.parametrize(
    "text",
    [
        "max_context_length: -1", "max_context_length: 1.0", "max_context_length: true",
        "max_dependency_depth: 0", "max_dependency_depth: 11", "match_case: no",
        "enforcement_mode: off", "enforcement_mode: Strict", "exclude_paths: a",
        'exclude_paths: [""]', 'exclude_paths: ["{1..2000}"]', "agent_max_severity: severe",
        "stale_ratio: 1.01", "stale_ratio: .nan", "stale_ratio: true", "max_file_bytes: 0",
        "separator: 5", 'tripwires_dir: ""', "tripwires_dir: .", 'tripwires_dir: "a\\0b"',
    ],
)  # fmt: skip
def test_bounds(text):
    config, (problem,) = parsed(text)
    assert config == ReadConfig()
    assert problem.code == "TW041"


@pytest.mark.parametrize("place", ["/abs", "..", "../x", "a/../../x", "//x"])
def test_tw043_the_directory_stays_inside(place):
    config, (problem,) = parsed(f"tripwires_dir: {place}\n")
    assert config.tripwires_dir == ".tripwires"
    assert (problem.code, problem.key) == ("TW043", "tripwires_dir")


def test_tw042_an_unknown_key_with_the_nearest_known_one():
    config, (near, far) = parsed("max_contextlength: 5\nzzz: 1\nmatch_case: false\n")
    assert config == ReadConfig(match_case=False)
    assert (near.code, near.key, near.line) == ("TW042", "max_contextlength", 1)
    assert near.fix == 'did you mean "max_context_length"?'
    assert "known keys" in far.fix


@pytest.mark.parametrize("text", ["- a\n", "{{bad", "a: 1\na: 2\n", "a: 1\n---\n", "x"])
def test_tw040_what_is_no_mapping(text):
    config, problems = parsed(text)
    assert config == ReadConfig()
    assert {problem.code for problem in problems} == {"TW040"}


@given(st.binary(max_size=60))
def test_whatever_comes_gives_a_configuration(raw):
    config, problems = parse_read_config(raw, FILE)
    codes = {problem.code for problem in problems}
    assert config == ReadConfig() or "TW040" not in codes
    assert codes <= {"TW040", "TW041", "TW042", "TW043"}
