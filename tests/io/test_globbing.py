"""Words as files on disk: globs as a shell expands them, inside the project only (CTX-33)."""

import glob
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tripwire.io import globbing

FILES = ("a.ts", "b.js", "src/a.ts", "src/b.ts", "src/deep/c.ts", ".dot", "src/.dot", "we[i]rd.ts")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    made = tmp_path_factory.mktemp("glob") / "project"
    for name in FILES:
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(name)
    (made.parent / "outside.ts").write_text("")
    return made


def found(root, pattern, limit=200):
    return [
        os.path.relpath(p, root) for p in globbing.matches(f"{root}/{pattern}", root, limit=limit)
    ]


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None
)
@given(
    st.lists(
        st.sampled_from(["*", "?", "src", "a.ts", "*.ts", ".*", "[ab].??", "deep", "[!a]*", "**"]),
        min_size=1,
        max_size=3,
    )
)
def test_it_finds_what_the_standard_library_finds(root, parts):
    pattern = "/".join(parts)
    expected = sorted(os.path.relpath(p, root) for p in glob.glob(f"{root}/{pattern}"))
    assert found(root, pattern) == expected


def test_what_lies_outside_is_not_looked_for(root):
    assert globbing.matches(f"{root.parent}/*.ts", root, limit=9) == []
    assert globbing.matches("/etc/*", root, limit=9) == []
    assert globbing.matches(f"{root.parent}/*/a.ts", root, limit=9) == [f"{root}/a.ts"]


def test_limit_and_budget(root, tmp_path, monkeypatch):
    assert len(found(root, "*/*", limit=1)) == 1
    for number in range(50):
        (tmp_path / f"f{number:02}").write_text("")
    monkeypatch.setattr(globbing, "MAX_LOOKED_AT", 10)
    assert len(globbing.matches(f"{tmp_path}/*", tmp_path, limit=99)) == 10


@pytest.mark.parametrize(
    "path", ["", "\0", "a\0b", "x" * 5000, "/" * 300, "\udcff", "[", "[a", "*" * 500]
)
def test_no_text_breaks_it(root, path):
    globbing.exists(path)
    globbing.is_folder(path)
    globbing.matches(f"{root}/{path}", root, limit=9)
    globbing.joined(str(root), path, home="/h")


def test_joined():
    assert globbing.joined("/p", "a/../b") == "/p/b"
    assert globbing.joined("/p", "/x/./y") == "/x/y"
    assert globbing.joined("/p", "~/y", home="/h") == "/h/y"
    assert globbing.joined("/p", "~y", home="/h") == "/p/~y"
