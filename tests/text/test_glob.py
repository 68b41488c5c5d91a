"""Globs: names, paths, braces, broken patterns."""

import pytest

from tripwire.errors import PolicyError
from tripwire.text.glob import GlobSet, compile_globs, expand_braces, match

NAMES = [
    ("*", "anything", True),
    ("get_*", "get_file", True),
    ("get_*", "forget_file", False),
    ("mcp__*__{read,get}_*", "mcp__x__get_file", True),
    ("*.example", "a.b.example", True),
    ("a?c", "abc", True),
    ("a.c", "abc", False),
    ("[a-c]x", "bx", True),
    ("[!a-c]x", "bx", False),
    ("[^a-c]x", "dx", True),
    ("@(a|b)c", "bc", True),
    ("?(a)b", "b", True),
    ("+(ab)", "abab", True),
    ("*(ab)", "", True),
    ("a[", "a[", True),
    ("a\\*", "a*", True),
    ("a\\*", "ab", False),
    ("v{1..3}", "v2", True),
    ("v{01..10}", "v07", True),
    ("v{a..c}", "vb", True),
    ("{x", "{x", True),
    ("{only}", "{only}", True),
]
PATHS = [
    ("*.py", "a.py", True),
    ("*.py", "a/b.py", False),
    ("**/*.py", "a/b.py", True),
    ("**/*.py", "b.py", True),
    ("src/**", "src", True),
    ("src/**", "src/a/b", True),
    ("src/**", "srcs/a", False),
    ("src/*", "src/a/b", False),
    ("a/**/b", "a/b", True),
    ("a/**/b", "a/x/y/b", True),
    ("**", "a/.b/c", True),
    ("*", ".env", True),
    ("**/.env*", "/r/.env.local", True),
    ("a?b", "a/b", False),
    ("[!x]", "/", False),
    ("/etc/*", "/etc/passwd", True),
]


@pytest.mark.parametrize(("pattern", "name", "expected"), NAMES)
def test_names(pattern, name, expected):
    assert match(pattern, name) is expected


@pytest.mark.parametrize(("pattern", "path", "expected"), PATHS)
def test_paths(pattern, path, expected):
    assert match(pattern, path, path=True) is expected


@pytest.mark.parametrize(
    "pattern", ["", "!(a)", "@(a", "{1..5000}", "{a,b}{a,b}" * 6 + "{a,b}{a,b}"]
)
def test_broken_patterns_are_errors(pattern):
    with pytest.raises(PolicyError):
        match(pattern, "x")


def test_a_set_names_every_pattern_that_matches():
    globs = compile_globs(["a*", "*b", "c"])
    assert globs.matches("ab") == (0, 1)
    assert globs.matches("zz") == ()
    assert not GlobSet(()).any("a")


def test_a_hostile_pattern_is_linear():
    assert not match("*a" * 30, "a" * 2000 + "b")


def test_braces_nest():
    assert expand_braces("a{b,c{d,e}}") == ("ab", "acd", "ace")
