"""Each fix mends what it says; where a machine cannot know, there is none."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types
from tests.doors.lsp.editor import applied

from tripwire.doors.lsp.findings import Document, actions, diagnostics
from tripwire.doors.lsp.fixes import fixes
from tripwire.doors.lsp.project import Project

FILE = ".tripwires/t.yml"
BY = "created_by: human\n"
HEAD = "triggers: [a]\ncontext: x\n"


def looked(tmp_path, text, config=None):
    (tmp_path / ".tripwires").mkdir(exist_ok=True)
    (tmp_path / ".tripwires" / "other.yml").write_text(HEAD + BY)
    (tmp_path / ".tripwires" / "off.yml").write_text(HEAD + BY + "active: false\n")
    project = Project(tmp_path)
    rules = project.rules({FILE: text} | ({".tripwirerc.yml": config} if config else {}))
    return project, rules, project.findings(rules)


def titles(tmp_path, text, config=None):
    _, rules, found = looked(tmp_path, text, config)
    file = ".tripwirerc.yml" if config else FILE
    return [
        (finding.code, fix.title)
        for finding in found.get(file, ())
        for fix in fixes(finding, config or text, rules)
    ]


CASES = [
    (HEAD, "TW010", "Add created_by: human"),
    ("{triggers: [a], context: x}", "TW010", "Add created_by: human"),
    ("\ufeff" + HEAD, "TW010", "Add created_by: human"),
    (HEAD.replace("\n", "\r\n"), "TW010", "Add created_by: human"),
    (HEAD + "created_by: agent:x\nlearned_from: y\n", "TW012", "Let it expire on"),
    (HEAD + "created_by: agent:x\nlearned_from: y\nexpires: 2999-01-01\nseverity: critical\n", "TW015", "Adopt it"),
    (HEAD + BY + "expires: 2001-01-01\n", "TW020", "Switch it off"),
    (HEAD + BY + "tags: [ok, Not OK]\n", "TW013", 'Write the tag as "not-ok"'),
    (HEAD + BY + "tags: ['']\n", "TW013", 'Drop the tag ""'),
    (HEAD + BY + "depends_on: [othr]\n", "TW016", 'Depend on "other" instead'),
    (HEAD + BY + "depends_on: [off]\n", "TW018", 'Drop "off" from depends_on'),
    (HEAD + BY + "lerned_from: y\n", "TW007", "Rename the key to learned_from"),
    (HEAD + BY + '"lerned_from" : y\n', "TW007", "Rename the key to learned_from"),
    (HEAD + BY + "match_content:\n  keywords: [a]\n  mod: all\n", "TW007", "Rename the key to mode"),
    ("triggers:\n- !src/{a,b}/** # not these\n- src/**\ncontext: x\n" + BY, "TW032", "Put the pattern in quotes"),
    ("triggers: [src/**, !a, *b]\ncontext: x\n" + BY, "TW032", "Put the pattern in quotes"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "title"), CASES)
def test_a_fix_mends_what_it_is_for(tmp_path, text, code, title):
    project, rules, found = looked(tmp_path, text)
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    document = Document("file:///t.yml", text)
    made = actions(found[FILE], document, rules, within=whole, encoding="utf-16")
    action = next(a for a in made if a.title.startswith(title) and a.diagnostics[0].code == code)
    (edit,) = action.edit.changes[document.uri]
    new = applied(text, edit)
    again = project.findings(project.rules({FILE: new})).get(FILE, [])
    assert [f.code for f in again] == [f.code for f in found[FILE] if f.code != code]


@pytest.mark.parametrize(
    "text",
    [
        HEAD + BY + "zzzzzz: y\n",
        HEAD + BY + "active: maybe\n",
        "triggers: [a]\ncontext: ''\n" + BY,
        "triggers: [a]\ntriggers: [b]\ncontext: x\n",
        "triggers:\n- !<tag> a\ncontext: x\n",
        "- a",
        "",
    ],
)
def test_what_asks_for_thought_has_no_fix(tmp_path, text):
    assert titles(tmp_path, text) == []


def test_settings(tmp_path):
    text = HEAD + BY
    assert titles(tmp_path, text, "exclude_path: [a]\n") == [
        ("TW042", "Rename the key to exclude_paths")
    ]
    assert titles(tmp_path, text, "exclude_paths: [a]\nexclude_path: [a]\n") == []
    assert titles(tmp_path, text, "zzzzzz: 1\n") == []


def test_the_date_of_a_fix_is_the_projects(tmp_path):
    text = HEAD + "created_by: agent:x\nlearned_from: y\n"
    (tmp_path / ".tripwirerc.yml").write_text("auto_expire_days: 1\n")
    date = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 86_400))
    (_, title), *_ = [t for t in titles(tmp_path, text) if t[0] == "TW012"]
    assert title in (f"Let it expire on {date}", f"Let it expire on {date[:8]}{int(date[8:]):02}")


def test_an_edit_keeps_line_ends_whole_and_everything_else(tmp_path):
    text = "triggers: [a] # é𝄞\r\ncontext: x\r\n"
    _, rules, found = looked(tmp_path, text)
    whole = types.Range(types.Position(0, 0), types.Position(9, 0))
    (action,) = actions(
        found[FILE], Document("file:///t", text), rules, within=whole, encoding="utf-16"
    )
    (edit,) = action.edit.changes["file:///t"]
    assert edit.new_text == "created_by: human\r\n"
    assert edit.range.start == edit.range.end == types.Position(2, 0)


def test_a_broken_link_out_of_the_project_is_told_and_not_read(tmp_path):
    outside = tmp_path / "secret.yml"
    outside.write_text("key: hunter2\n")
    root = tmp_path / "p"
    (root / ".tripwires" / "sub").mkdir(parents=True)
    (root / ".tripwires" / "sub" / "deep.yml").write_text(HEAD)
    (root / ".tripwires" / "t.yml").symlink_to(outside)
    project = Project(root)
    found = project.findings(project.rules({}))
    assert [f.code for f in found[FILE]] == ["TW001"]
    assert [f.code for f in found[".tripwires/sub/deep.yml"]] == ["TW006"]
    document = project.document(FILE)
    assert document.text == ""
    assert "hunter2" not in repr(diagnostics(found[FILE], document.text, "utf-16"))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("project")


PIECES = st.lists(
    st.sampled_from(
        (HEAD, BY, "triggers: [!a, *b]\n", "- !x\n", "lerned_from: y\n", "tags: [A b, '']\n", "\r", "\u2028", "𝄞",
         "expires: 2001-01-01\n", "depends_on: [othr, off]\n", "{", "}", "\t", "é: &a [*a]\n", "created_by: agent:x\n",
         "match_content: {mod: x, keywords: [a]}\n", "---\n", "\ufeff", "\ud800", "severity: critical\n", "#")
    ),
    max_size=8,
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(PIECES, st.sampled_from((FILE, ".tripwirerc.yml")))
def test_no_text_is_too_odd_to_be_looked_at(place, pieces, file):
    text = "".join(pieces)
    project, _, _ = looked(place, HEAD + BY)
    rules = project.rules({file: text})
    found = project.findings(rules).get(file, [])
    assert len(diagnostics(found, text, "utf-16")) == len(found)
    for finding in found:
        for fix in fixes(finding, text, rules):
            assert fix.text != text
