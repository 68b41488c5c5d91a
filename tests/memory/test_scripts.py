"""The text of files the session wrote (flow.md SH-8)."""

from tripwire.memory.files import MAX_SCRIPT, MAX_SCRIPTS, Files


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
