"""config/front_matter: rule files of other clients, as their own parsers take them."""

import pytest

from tripwire.config.front_matter import MAX_BYTES, parse_rule
from tripwire.read.foreign import Format, UnreadableRule


def rule(text, kind=Format.CURSOR, file="f"):
    return parse_rule(text.encode() if isinstance(text, str) else text, file, kind)


def texts(text, kind=Format.CURSOR):
    return [(p.text, p.line, p.quoted) for p in rule(text, kind).patterns]


@pytest.mark.parametrize(
    ("head", "patterns"),
    [
        ("globs: *.ts, src/**/*.{a,b}", [("*.ts", 2, True), ("src/**/*.{a,b}", 2, True)]),
        (
            "globs: **/*.py # not a comment to Cursor",
            [("**/*.py # not a comment to Cursor", 2, True)],
        ),
        ("globs: 'a',", None),
        ('globs: "a, b"', [("a", 2, True), ("b", 2, True)]),
        ('globs: ["a", b]', [("a", 2, True), ("b", 2, False)]),
        ("globs:\n  - a\n  - ' b '", [("a", 3, False), ("b", 4, True)]),
        ("globs:", []),
        ("globs: ,,", []),
        ("globs: !x, it's", [("!x", 2, True), ("it's", 2, True)]),
    ],
)
def test_globs_of_cursor(head, patterns):
    found = rule(f"---\n{head}\n---\nbody")
    if patterns is None:
        assert isinstance(found, UnreadableRule)
    else:
        assert [(p.text, p.line, p.quoted) for p in found.patterns] == patterns


def test_the_rest_of_a_rule():
    found = rule(
        "---\r\ndescription: Do: this\r\nalwaysApply: true\r\nmodel: x\r\n---\r\n\r\nbody\r\n"
    )
    assert (found.described, found.always, found.others) == (True, True, (("model", 4),))
    assert (found.body, found.body_line) == ("\nbody\n", 6)
    found = rule('---\napplyTo: "**/*.ts,lib/*"\nalwaysApply: true\n---\nx', Format.COPILOT)
    assert [p.text for p in found.patterns] == ["**/*.ts", "lib/*"]
    assert (found.is_list, found.written, found.scope_line) == (False, "**/*.ts,lib/*", 2)
    assert found.others == (("alwaysApply", 3),)
    assert texts("---\npaths: [a, 'b']\n---\n", Format.CLAUDE_RULES) == [
        ("a", 2, False),
        ("b", 2, True),
    ]


def test_without_front_matter_all_is_body():
    assert rule("a\n---\nb").body == "a\n---\nb"
    assert rule("---\nx: 1\n---\nb", Format.CLAUDE_MD).body.startswith("---")
    assert rule("---\n---\nb").body == "b"
    assert rule("\ufeff---\nglobs: a\n---\nb").body == "b"
    assert rule(b"").body == ""


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("---\nglobs: a\n", 1, "not closed"),
        ("---\nglobs: [a\n---\n", 3, "YAML"),
        ("---\nglobs: a\nglobs: b\n---\n", 3, "duplicate"),
        ("---\nglobs:\n  a: b\n---\n", 3, "must be text"),
        ("---\nglobs: [a, {b: c}]\n---\n", 2, "must be text"),
        ("---\n- a\n---\n", 2, "no mapping"),
        ("---\na: &a [x]\nb: [*a, *a]\nc: !!python/object:os.system x\n---\n", 4, "tag"),
        (b"ok\n\xff", 2, "UTF-8"),
        (b"x" * (MAX_BYTES + 1), 1, "larger"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_names_its_line(text, line, why):
    found = rule(text)
    assert isinstance(found, UnreadableRule)
    assert why in found.why
    assert found.line == line
