"""Git remotes of a project, without git."""

from tripwire.io.remotes import remotes_of

CONFIG = """[core]
\tbare = false
[remote "origin"]
\turl = git@example.org:a/b.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[remote "fork"]
\tURL = https://example.net/b.git
\tpushurl = "ssh://example.net/b.git"
[branch "main"]
\turl = https://not-a-remote.example
"""


def test_names_and_urls_from_a_directory_below(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text(CONFIG)
    (tmp_path / "src" / "deep").mkdir(parents=True)
    assert remotes_of(str(tmp_path / "src" / "deep")) == (
        "origin",
        "git@example.org:a/b.git",
        "fork",
        "https://example.net/b.git",
        "ssh://example.net/b.git",
    )


def test_a_worktree(tmp_path):
    main = tmp_path / "main" / ".git"
    tree = main / "worktrees" / "w"
    tree.mkdir(parents=True)
    (main / "config").write_text('[remote "origin"]\nurl = https://example.org/x\n')
    (tree / "commondir").write_text("../..\n")
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / ".git").write_text(f"gitdir: {tree}\n")
    assert remotes_of(str(tmp_path / "w")) == ("origin", "https://example.org/x")


def test_nothing_there(tmp_path):
    assert remotes_of(str(tmp_path)) == ()
    assert remotes_of("") == ()
    (tmp_path / ".git").mkdir()
    assert remotes_of(str(tmp_path)) == ()
    (tmp_path / ".git" / "config").write_bytes(b"\xff\x00[remote")
    assert remotes_of(str(tmp_path)) == ()
