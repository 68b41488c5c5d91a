"""read/importing: which triggers a rule file gives, what is lost, what is left out (§4.4)."""

from hypothesis import given
from hypothesis import strategies as st

from tripwire.read.foreign import ForeignPattern, ForeignRule, Format, UnreadableRule, format_of
from tripwire.read.importing import Loss, drafts, escaped
from tripwire.text.path_glob import compile_pattern


def rule(file, body="text", patterns=(), **fields):
    kind = format_of(file)
    return ForeignRule(
        file, kind, body, patterns=tuple(ForeignPattern(p, 2) for p in patterns), **fields
    )


def one(*args, root=False, **fields):
    made, skipped = drafts([rule(*args, **fields)], include_root=root)
    return made[0] if made else skipped[0]


def test_formats():
    assert [format_of(f) for f in (
        "CLAUDE.md", "a/AGENTS.md", ".claude/rules/x/y.md", ".cursor/rules/x.mdc",
        ".github/instructions/a/b.instructions.md", ".github/instructions/.instructions.md",
        ".claude/rules/.md", "a/.cursor/rules/x.mdc", "claude.md", "README.md", ".cursor/rules/x.md",
    )] == [Format.CLAUDE_MD, Format.AGENTS_MD, Format.CLAUDE_RULES, Format.CURSOR, Format.COPILOT,
           None, None, None, None, None, None]  # fmt: skip


def test_directory_files_speak_of_their_directory():
    found = one("src/api/CLAUDE.md")
    assert (found.triggers, found.name, found.source) == (
        ("src/api/**",),
        "claude-md-src-api",
        "src/api/CLAUDE.md",
    )
    assert one("app/(auth)/[id]/AGENTS.md").triggers == ("app/\\(auth\\)/\\[id\\]/**",)
    for root in ("CLAUDE.md", "AGENTS.md", ".claude/CLAUDE.md"):
        assert "always loaded" in one(root).why
        assert not one(root).failed
        assert one(root, root=True).triggers == ("**",)


def test_path_rules():
    assert one(".claude/rules/api/tests.md", patterns=["a/**", "b"]).triggers == ("a/**", "b")
    assert one(".claude/rules/api/tests.md", patterns=["a"]).name == "claude-api-tests"
    assert "always loaded" in one(".claude/rules/x.md").why
    assert one(".claude/rules/x.md", root=True).triggers == ("**",)
    assert one(".cursor/rules/x.mdc", patterns=["a"], always=True, root=True).triggers == ("**",)
    assert "only its description" in one(".cursor/rules/x.mdc", described=True).why
    assert "has no globs" in one(".cursor/rules/x.mdc").why
    assert "has no applyTo" in one(".github/instructions/x.instructions.md", root=True).why
    assert one(".github/instructions/ts.instructions.md", patterns=["*.ts"]).name == "copilot-ts"


def test_losses():
    body = "see @docs/x.md and a@b.example\n@~/notes.md, `code`\n@param"
    found = one("a/CLAUDE.md", body, body_line=5)
    assert [loss.line for loss in found.losses] == [5, 6]
    assert "@docs/x.md" in found.losses[0].what
    assert one("a/AGENTS.md", body).losses == ()
    found = one(".cursor/rules/x.mdc", patterns=["a", "/b", "{" + "1..2000" + "}"],
                others=(("model", 3),), described=True)  # fmt: skip
    assert found.triggers == ("a", "/b")
    assert Loss(3, 'the key "model" is not carried over') in found.losses
    assert sum(loss.line == 2 for loss in found.losses) == 2


def test_nothing_to_import():
    assert one("a/CLAUDE.md", " \n").why == "holds no text"
    left = one(".cursor/rules/x.mdc", patterns=["{1..2000}"])
    assert (left.failed, left.why) == (True, "none of its patterns can be used")
    _, (left,) = drafts([UnreadableRule("x", Format.CURSOR, "bad", 7)])
    assert (left.line, left.failed) == (7, True)


def test_names_are_given_once():
    made, _ = drafts(
        [rule("a/b/CLAUDE.md"), rule("a-b/CLAUDE.md"), rule("é/CLAUDE.md"), rule("ü/CLAUDE.md")]
    )
    assert len({draft.name for draft in made}) == 4
    assert made[0].name == "claude-md-a-b"
    assert len(one("x" * 300 + "/CLAUDE.md").name) <= 100


@given(
    st.text(
        st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=12
    )
)
def test_an_escaped_path_matches_itself_alone(name):
    path = f"d/{name}"
    pattern = compile_pattern(escaped(path))
    assert pattern.matches(path)
    assert not pattern.matches(f"{path}x")
    assert not pattern.matches("d/")
