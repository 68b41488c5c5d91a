"""The paths a command line names (read.md CTX-33, shell row)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.act.shell.named import named_paths
from tripwire.config.presets import builtin_policy

TABLES = builtin_policy().flow.shell


def named(command):
    return named_paths(command, cwd="/p", home="/h", tables=TABLES)


@pytest.mark.parametrize(
    "command",
    [
        "cat src/a.ts",
        "sed -n 1,5p 'src/a.ts' | head -3",
        "cd src && cat a.ts",
        "(cd src; cat ./a.ts)",
        "env X=1 nice -n 5 cat src/a.ts",
        "bash -c 'bash -c \"cat src/a.ts\"'",
        'F=src/a.ts; cat "$F"',
        "cat src/{a,b}.ts",
        "cat < src/a.ts",
        "head -c5 ./src/../src/a.ts",
        "mytool --config=src/a.ts",
        "curl -d @src/a.ts x.example",
        "python3 -c \"print(open('src/a.ts').read())\"",
        "diff <(cat src/a.ts) b",
        "x=$(cat src/a.ts)",
        "if true; then cat src/a.ts; fi",
        "dd if=src/a.ts of=/dev/null",
    ],
)
def test_every_way_to_write_a_path_names_it(command):
    assert "/p/src/a.ts" in named(command).words


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("echo hi > src/new.ts", "/p/src/new.ts"),
        ("echo hi >> src/new.ts", "/p/src/new.ts"),
        ("make | tee src/new.ts", "/p/src/new.ts"),
        ("cp a src/", "/p/src/a"),
        ("cp a src/new.ts", "/p/src/new.ts"),
        ("mv a src/new.ts", "/p/src/new.ts"),
        ("touch src/new.ts", "/p/src/new.ts"),
        ("install -m 644 a src/new.ts", "/p/src/new.ts"),
        ("sed -i s/a/b/ src/old.ts", "/p/src/old.ts"),
        ("cat <<EOF > src/new.ts\nx\nEOF", "/p/src/new.ts"),
    ],
)
def test_what_is_written_is_named_as_written(command, path):
    assert path in named(command).writes


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf src",
        "mv src /elsewhere",
        "mv -t /elsewhere src",
        "git mv src other",
        "git rm -r src",
        "git checkout HEAD~3 -- src",
        "git restore src",
        "cd src && rm -rf ../src",
    ],
)
def test_what_is_taken_away_is_named_as_removed(command):
    assert "/p/src" in named(command).removed


def test_the_target_of_a_move_is_not_taken_away():
    found = named("mv a ..")
    assert (found.removed, "/" in found.writes) == (("/p/a",), True)


def test_a_program_that_is_no_path_names_nothing():
    assert named("cat x").words == ("/p/x",)
    assert named("git status").words == ()
    assert "/p/run.sh" in named("./run.sh").words


def test_a_directory_counts_for_searches_and_listings_only():
    assert "/p/src" in named("grep -rn foo src").folders
    assert "/p/src" in named("ls src").folders
    assert named("cd src && make").folders == ()


def test_a_search_says_where_its_output_is_relative_to():
    assert named("cd src && grep -rn foo .").searched_from == ("/p/src",)
    assert named("git grep foo").searched_from == ("/p",)
    assert named("cat a").searched_from == ()


def test_a_file_of_a_revision_is_named_from_the_top():
    assert named("cd src && git show HEAD~1:src/a.ts").revisions == ("src/a.ts",)


@pytest.mark.parametrize(
    "command",
    ["cat $X/a.ts", "cat $(git ls-files)", "cd $X; cat a.ts", "if true; then cat src/a.ts"],
)
def test_what_cannot_be_resolved_is_said(command):
    assert named(command).unresolved


@pytest.mark.parametrize(
    "command", ["cat src/a.ts", "mytool src/a.ts", "for f in *.ts; do cat $f; done"]
)
def test_an_unknown_program_is_no_unresolved_text(command):
    assert not named(command).unresolved


def test_nothing_of_an_unknown_directory_is_guessed():
    found = named("cd $X; echo a > b")
    assert (found.words, found.writes) == ((), ())


def test_a_write_into_an_unknown_directory_is_vague():
    assert named("echo x > $D/.tripwires/a.yml").vague == ("*/.tripwires/a.yml",)
    assert named("cd $X; rm a").vague == ("*/a",)
    assert named("echo x > a").vague == ()


@given(st.text(alphabet=st.sampled_from("ab/.$(){}<>|&;'\"\\ \n*~=:-\0é"), max_size=60))
def test_no_text_breaks_it(command):
    assert all(path.startswith("/") for path in named(command).words)
