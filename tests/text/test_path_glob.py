"""Path globs: the table of read.md CTX-16, row by row, and what a hostile pattern may cost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.errors import PolicyError
from tripwire.text.path_glob import compile_pattern, pattern_faults

MATCH = [
    ("a/**", "a"),
    ("a/**", "a/b/c"),
    ("a/**/c", "a/c"),
    ("a/**/c", "a/x/y/c"),
    ("**/b", "b"),
    ("**", ".git/config"),
    ("a/**/**", "a"),
    ("a**.ts", "abc.ts"),
    ("**.ts", "x/y.ts"),
    ("***", "a"),
    ("*", "..."),
    ("*.ts", ".ts"),
    ("?", "é"),
    ("a?b", "a😀b"),
    ("a*b", "a\nb"),
    ("{a,b}/c", "b/c"),
    ("{a,{b,c}}", "c"),
    ("a{,b}", "a"),
    ("{a/b,c}/d", "a/b/d"),
    ("{src/**,lib}/x", "src/a/b/x"),
    ("{src/**,lib}/x", "lib/x"),
    ("{a}", "{a}"),
    ("a{}", "a{}"),
    ("a{b,c", "a{b,c"),
    ("a{1..10}", "a10"),
    ("a{01..10}", "a05"),
    ("a{-1..1}", "a-1"),
    ("a{1..9..2}", "a3"),
    ("{c..a}", "b"),
    ("{[,],x}", ","),
    ("[abc]", "b"),
    ("[a-c]x", "cx"),
    ("[^a]", "b"),
    ("[[:alpha:]_]", "_"),
    ("[!a]", "!"),
    ("[!a]", "a"),
    ("a[/]b", "a/b"),
    ("a[]]", "a]"),
    (r"a[\]]", "a]"),
    ("[a-]", "-"),
    ("[z-a]", "[z-a]"),
    ("a[", "a["),
    ("[]", "[]"),
    ("pages/[id].tsx", "pages/[id].tsx"),
    ("pages/[id].tsx", "pages/i.tsx"),
    ("pages/[...slug]/**", "pages/[...slug]/page.tsx"),
    ("a?(b)", "a"),
    ("a*(b)", "abb"),
    ("a+(b|c)", "abcb"),
    ("a@(b|c)", "ac"),
    ("src/@(a/b|c)/x", "src/a/b/x"),
    ("a!(b)", "a"),
    ("a!(b)", "abc"),
    ("src/!(a)/**", "src/ab/x"),
    ("src/@(a|b|!(c)).ts", "src/x.ts"),
    ("!(a)!(b)", "ab"),
    ("*(!(a))b", "xyb"),
    ("a(b)", "a(b)"),
    ("a(b)", "ab"),
    ("app/(auth)/**", "app/(auth)/page.tsx"),
    ("app/(auth)/**", "app/auth/page.tsx"),
    ("a(b", "a(b"),
    ("a)b", "a)b"),
    ("x/a|b", "x/a|b"),
    (r"a\*", "a*"),
    (r"a\d", "ad"),
    ('"a"b', "ab"),
    ('"*"', "*"),
    (" a", " a"),
    ("./src/*", "src/a"),
    ("@scope/**", "@scope/x"),
    ("src/+page.svelte", "src/+page.svelte"),
    ("a/..b", "a/..b"),
]

NO_MATCH = [
    ("src", "src/x"),
    ("src/", "src/x"),
    ("src/", "src"),
    ("/a/b", "a/b"),
    ("*", "a/b"),
    ("***", "a/b"),
    ("src/**.ts", "src/a/b.ts"),
    ("a**b", "a/b"),
    ("*/**", "a"),
    ("a/*/c", "a/b/b/c"),
    ("{a}", "a"),
    ("a{}", "a"),
    ("a{b,c", "ab"),
    ("a{01..10}", "a5"),
    ("a{1..9..2}", "a2"),
    ("[^a]", "a"),
    ("[^a]b", "/b"),
    ("[!a]", "b"),
    ("[z-a]", "m"),
    ("x[z-a]", "x[z-a]y"),
    ("a!(b)", "ab"),
    ("src/!(a)/**", "src/a/x"),
    ("*.!(test).ts", "foo.test.ts"),
    ("src/!(*.test).ts", "src/foo.test.ts"),
    ("src/!(a)", "src/x/y"),
    ("a(b)", "a(c)"),
    ("x/a|b", "b"),
    (r"a\*", "ab"),
    (r"a\d", "a1"),
    ('"*"', "a"),
    (" a", "a"),
    ("@(scope)/**", "@scope/x"),
    ("**", ""),
    ("a.b", "axb"),
]


@pytest.mark.parametrize(("pattern", "path"), MATCH)
def test_ctx_16_matches(pattern, path):
    assert compile_pattern(pattern).matches(path)


@pytest.mark.parametrize(("pattern", "path"), NO_MATCH)
def test_ctx_16_does_not_match(pattern, path):
    assert not compile_pattern(pattern).matches(path)


@pytest.mark.parametrize(
    ("pattern", "path", "same"),
    [
        ("é.md", "É.md", True),
        ("ß", "SS", False),
        ("ß", "ẞ", True),
        ("i", "İ", False),
        ("k", "\u212a", True),
        ("s", "ſ", True),
        ("ς", "Σ", True),
        ("[A-Z]x", "ax", True),
        ("[[:upper:]]", "a", True),
        ("SRC/!(A)/**", "src/a/x", False),
        ("SRC/!(A)/**", "src/b/x", True),
        ("X[Z-A]", "x[z-a]", True),
    ],
)
def test_ctx_16_simple_case_folding(pattern, path, same):
    assert compile_pattern(pattern, match_case=False).matches(path) is same


@pytest.mark.parametrize(
    "pattern",
    [
        "{1..1001}",
        "{1..999999999999}",
        "{1..40}{1..40}",
        "{a,b}" * 10,
        "@({1..1000})@({a,b})" + "{a,b,c}",
        "{" + "a" * 7000 + ",b}" + "{1..20}",
        "(" * 60 + ")" * 60,
        "{a," * 60 + "}" * 60,
        "!(a)" * 1100,
        "!(" + "a" * 1100 + ")",
        "a" * 9000,
    ],
)
def test_a_bomb_is_refused_when_it_is_loaded(pattern):
    with pytest.raises(PolicyError):
        compile_pattern(pattern)
    assert pattern_faults(pattern)[0][0] == "TW035"


@pytest.mark.parametrize(
    "pattern",
    ["(" * 4000, "{a," * 2500, "[" * 8000, "*(" * 4000, "@(a|" * 2000, "[" * 4000 + r"\]"],
)
def test_brackets_that_never_close_are_cheap_and_literal(pattern):
    assert not compile_pattern(pattern).matches("a")
    assert compile_pattern(pattern).matches(pattern)


def test_a_thousand_alternatives_are_allowed():
    assert compile_pattern("a{1..1000}").matches("a1000")
    assert compile_pattern("{1..10}" * 3).matches("1010" + "10")


def test_alternatives_share_what_they_negate():
    pattern = compile_pattern("{a,b,c,d}{1..200}/!(x|y|z*)/**")
    assert pattern.matches("c200/w/f")
    assert not pattern.matches("c200/zz/f")


def test_nested_repeats_do_not_backtrack():
    assert not compile_pattern("+(+(+(a)))b").matches("a" * 4000)
    assert not compile_pattern("*(*(a)|!(b))c").matches("a" * 400)


def test_a_path_too_long_for_a_complement_counts_as_asked():
    pattern = compile_pattern("x/!(a)")
    assert pattern.matches("x/" + "b" * 600)
    assert not pattern.matches("x/" + "b" * 600, unexamined=False)


def test_names_that_are_not_utf_8_match():
    assert compile_pattern("src/*.md").matches("src/\udce9.md")
    assert compile_pattern("src/!(a).md").matches("src/\udce9.md")
    assert compile_pattern("src/\udce9.md").matches("src/\udce9.md")


def test_a_second_mark_negates_again():
    assert not compile_pattern("!a").matches("a")
    assert compile_pattern("!a").matches("b")
    assert compile_pattern("!!a").matches("a")
    assert not compile_pattern("!!(a)").matches("b")


@pytest.mark.parametrize(
    ("pattern", "negation", "codes"),
    [
        ("", False, ["TW008"]),
        ("[!a].ts", False, ["TW028"]),
        ("[^a].ts", False, []),
        ("/src/**", False, ["TW029"]),
        ("src/", False, ["TW029"]),
        ("src//a", False, ["TW029"]),
        ("../x", False, ["TW029"]),
        ("a/./b", False, ["TW029"]),
        ("[z-a]", False, ["TW029"]),
        (r"a\\b", False, ["TW029"]),
        ("./", False, ["TW029"]),
        ("{a/,b}", False, []),
        ("./src/**", False, []),
        (".", False, ["TW029"]),
        ("(x)/b", True, ["TW031"]),
        ("@(x)/b", True, []),
        ("(x)/b", False, []),
        (r"\(x\)/b", True, []),
        ("{1..2000}", False, ["TW035"]),
        ("src/**/*.ts", True, []),
    ],
)
def test_faults_of_a_pattern(pattern, negation, codes):
    assert [code for code, _ in pattern_faults(pattern, in_negation=negation)] == codes


TEXT = st.text(alphabet='ab/.*?[]{}()|!@+,\\"-^é1', max_size=12)


@given(pattern=TEXT.filter(lambda text: not text.startswith("!")), path=TEXT, fold=st.booleans())
def test_any_pattern_compiles_and_matches_its_own_text(pattern, path, fold):
    compiled = compile_pattern(pattern, match_case=fold)
    compiled.matches(path)
    assert not pattern or compiled.matches(pattern)


@given(
    path=TEXT.filter(bool),
    parts=st.lists(st.sampled_from(["a", "*", "?", "/", "[ab]"]), max_size=6),
)
def test_the_capped_matcher_agrees_with_the_linear_one(path, parts):
    pattern = "".join(parts)
    linear = compile_pattern(f"@({pattern})").matches(path)
    capped = compile_pattern(f"@({pattern}|!(**))").matches(path)  # `!(**)` adds nothing
    assert linear is capped
