"""Words: quotes, braces, escapes, paths."""

import pytest

from tripwire.act.shell.text import HOLE, ansi, braces, literal, quoted, resolve, unescaped


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("a", ["a"]),
        ("{a,b}c", ["ac", "bc"]),
        ("a{b,c{d,e}}", ["ab", "acd", "ace"]),
        ("{1..3}", ["1", "2", "3"]),
        ("{a}", ["{a}"]),
        ("{a,b", ["{a,b"]),
        ("${a,b}", ["${a,b}"]),
        (quoted("{a,b}"), [quoted("{a,b}")]),
    ],
)
def test_braces(word, words):
    assert braces(word) == words


def test_too_many_braces_end_in_a_hole():
    found = braces("{a,b}" * 30)
    assert len(found) < 200
    assert any(HOLE in word for word in found)


def test_escapes():
    assert ansi(r"\x63\165\u0072l") == "curl"
    assert literal(unescaped(r"c\url\*")) == "curl*"
    assert unescaped("cu\\\nrl") == "curl"


@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("a/../b", "/r/b"),
        ("~/x", "/h/u/x"),
        ("~v/x", "/h/v/x"),
        ("/a//b", "/a/b"),
        ("//a", "/a"),
        (f"{HOLE}/x", "*/x"),
        (f"a{HOLE}/../x", "/r/a*/../x"),
    ],
)
def test_resolve(word, path):
    assert resolve(word, "/r", "/h/u") == path


def test_an_unknown_directory_is_a_star():
    assert resolve("x", "", "/h") == "*/x"
