"""The jail: step by step, no link followed, nothing but regular files opened."""

import os
import stat

import pytest

from tripwire.io import jail


@pytest.fixture
def root(tmp_path):
    root = tmp_path.resolve() / "root"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "f").write_bytes(b"inside")
    (tmp_path / "f").write_bytes(b"outside")
    (root / "link").symlink_to("a")
    (root / "out").symlink_to("..")
    (root / "a" / "to-f").symlink_to("b/f")
    return root


@pytest.mark.parametrize("path", ["a/b/f", "./a/b/f", "a//b/f"])
def test_a_file_is_reached(root, path):
    assert jail.beginning(root, path, 100) == b"inside"
    assert jail.beginning(root, path, 2) == b"in"


@pytest.mark.parametrize(
    "path", ["../f", "a/../../f", "out/f", "link/b/f", "a/to-f", "a/b/f/x", "x"]
)
def test_nothing_is_reached_by_a_link_or_upwards(root, path):
    with pytest.raises(OSError):
        jail.beginning(root, path, 100)


@pytest.mark.parametrize("path", ["", ".", "a", "a/b"])
def test_a_directory_is_no_file(root, path):
    with pytest.raises(jail.NotRegular) as refused:
        jail.opened(root, path)
    assert refused.value.is_directory
    assert not refused.value.is_link


def test_a_link_is_told_from_other_things(root):
    with pytest.raises(jail.NotRegular) as refused:
        jail.opened(root, "a/to-f")
    assert refused.value.is_link
    assert stat.S_ISLNK(jail.status(root, "a/to-f").st_mode)


@pytest.mark.parametrize("path", ["out", "link", "../root", "a/b/f"])
def test_a_link_or_a_file_is_no_directory(root, path):
    with pytest.raises(OSError), jail.directory(root, path, listed=True):
        pytest.fail("entered")


def test_the_root_and_what_is_below_are_listed(root):
    for path, names in ((".", {"a", "link", "out"}), ("", {"a", "link", "out"}), ("a/b", {"f"})):
        with jail.directory(root, path, listed=True) as handle:
            assert set(os.listdir(handle)) == names
    assert stat.S_ISDIR(jail.status(root, ".").st_mode)


def test_a_directory_that_may_only_be_passed_is_passed(root):
    (root / "a").chmod(0o311)
    try:
        assert jail.beginning(root, "a/b/f", 100) == b"inside"
    finally:
        (root / "a").chmod(0o755)


@pytest.mark.parametrize(
    ("size", "most"), [(0, 10), (1, 10), (9, 10), (10, 10), (11, 10), (99, 10)]
)
def test_a_small_file_is_read_whole(root, size, most):
    (root / "g").write_bytes(b"x" * size)
    with jail.directory(root, ".", listed=True) as handle:
        assert jail.whole_at(handle, "g", most) == b"x" * min(size, most)


@pytest.mark.parametrize("name", ["a", "link", "pipe"])
def test_what_became_something_else_is_not_read(root, name):
    os.mkfifo(root / "pipe")
    with jail.directory(root, ".", listed=True) as handle, pytest.raises(OSError):
        jail.whole_at(handle, name, 10)


def test_no_descriptor_is_left_open(root):
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for path in ("a/b/f", "a/b/x", "a/to-f", "link/b/f", "../f", ".", "a"):
        try:
            jail.beginning(root, path, 10)
        except OSError:
            continue
    assert (len(os.listdir("/proc/self/fd")) if before else 0) == before
