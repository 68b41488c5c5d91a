from tripwire.memory.files import MAX_SCRIPT, MAX_SCRIPTS, Files
from tripwire.model.label import Origin, Trust

PAGE = Origin(1, "web", "fetch", Trust.WORLD)


def test_taint_follows_a_rename():
    files = Files()
    files.taint("/r/a.txt", PAGE)
    files.rename("/r/a.txt", "/r/b.txt")
    assert files.taint_of("/r/b.txt") == PAGE
    assert files.taint_of("/r/a.txt") == PAGE


def test_taint_follows_the_rename_of_a_directory():
    files = Files()
    files.taint("/r/in/a.txt", PAGE)
    files.rename("/r/in", "/r/out")
    assert files.taint_of("/r/out/a.txt") == PAGE


def test_a_cloned_tree_is_tainted_below():
    files = Files()
    files.taint("/r/lib", PAGE, tree=True)
    assert files.taint_of("/r/lib/deep/README.md") == PAGE
    assert files.taint_of("/r/library") is None


def test_reading_a_directory_with_a_tainted_file():
    files = Files()
    files.taint("/r/in/a.txt", PAGE)
    assert files.any_taint_below("/r") == PAGE
    assert files.any_taint_below("/q") is None


def test_made_here():
    files = Files()
    files.create("/r/new")
    assert files.made_here("/r/new/x/y")
    files.forget("/r/new")
    assert not files.made_here("/r/new")


def test_a_remote_changed_later_is_not_what_it_was():
    files = Files()
    files.remember_remotes(["origin"], trusted=True)
    files.change_remote("origin")
    assert "origin" not in files.remotes
    files.remember_remotes(["evil"], trusted=False)
    assert "evil" in files.later_remotes


def test_a_rename_carries_the_text_along_and_a_deletion_drops_it():
    files = Files()
    files.keep_text("/r/a/x.sh", "ls")
    files.rename("/r/a", "/r/b")
    assert files.scripts["/r/b/x.sh"] == "ls"
    files.forget("/r/b/x.sh")
    assert "/r/b/x.sh" not in files.scripts


def test_a_text_that_is_unknown_or_too_long_replaces_the_known_one():
    files = Files()
    for text in (None, "x" * (MAX_SCRIPT + 1)):
        files.keep_text("/r/x.sh", "ls")
        files.keep_text("/r/x.sh", text)
        assert "/r/x.sh" not in files.scripts


def test_all_texts_together_are_bounded():
    files = Files()
    for number in range(2 * MAX_SCRIPTS // MAX_SCRIPT):
        files.keep_text(f"/r/{number}.sh", "x" * MAX_SCRIPT)
    assert sum(map(len, files.scripts.values())) <= MAX_SCRIPTS
    assert f"/r/{number}.sh" in files.scripts
