"""Which project a file belongs to, whatever folders are open."""

import pytest

from tripwire.doors.lsp.findings import Document
from tripwire.doors.lsp.places import uri_of
from tripwire.doors.lsp.workspace import OpenWorkspace

TRIPWIRE = 'triggers: ["**"]\ncontext: x\ncreated_by: human\n'


def project(root):
    (root / ".tripwires").mkdir(parents=True)
    (root / ".tripwires" / "t.yml").write_text(TRIPWIRE)
    (root / "src").mkdir()
    (root / "src" / "a.py").write_text("x")
    return root


def root_of(window, path):
    looked = window.look(uri_of(path))
    return looked and (looked.project.root, looked.file)


def test_the_innermost_project_holds_a_file(tmp_path):
    outer = project(tmp_path / "outer")
    inner = project(outer / "packages" / "inner")
    window = OpenWorkspace()
    window.set_folders(
        [uri_of(outer), uri_of(inner / "src"), "untitled:x", uri_of(tmp_path / "no")]
    )
    assert root_of(window, inner / "src" / "a.py") == (inner, "src/a.py")
    assert root_of(window, outer / "src" / "a.py") == (outer, "src/a.py")
    assert root_of(window, inner / "new.py") == (inner, "new.py")
    assert root_of(window, tmp_path / "a.py") is None
    assert root_of(window, outer / ".." / "a.py") is None
    assert root_of(window, outer) is None
    assert {each.root for each in window.projects()} == {outer, inner}


def test_without_folders_the_project_around_a_file_counts(tmp_path):
    root = project(tmp_path / "p")
    window = OpenWorkspace()
    window.set_folders([])
    window.put(Document(uri_of(root / "src" / "a.py"), "x", 1))
    assert root_of(window, root / "src" / "a.py") == (root, "src/a.py")
    assert [each.root for each in window.projects()] == [root]
    window.drop(uri_of(root / "src" / "a.py"))
    assert window.projects() == ()


def test_a_named_project_is_the_only_one(tmp_path):
    one, two = project(tmp_path / "one"), project(tmp_path / "two")
    window = OpenWorkspace(one)
    window.set_folders([uri_of(two)])
    assert root_of(window, one / "src" / "a.py") == (one, "src/a.py")
    assert root_of(window, two / "src" / "a.py") is None


@pytest.mark.parametrize("spelling", ["link/src/a.py", "real/./src//a.py", "real/x/../src/a.py"])
def test_every_spelling_of_a_file_is_the_file(tmp_path, spelling):
    root = project(tmp_path / "real")
    (tmp_path / "link").symlink_to(root)
    window = OpenWorkspace()
    window.set_folders([uri_of(root)])
    looked = window.look("file://" + str(tmp_path / "@").replace("@", spelling))
    assert len(looked.plan().groups) == 1


def test_what_is_open_counts_and_what_is_closed_does_not(tmp_path):
    root = project(tmp_path / "p")
    window = OpenWorkspace()
    window.set_folders([uri_of(root)])
    (held,) = window.projects()
    saved = window.rules(held)
    uri = uri_of(root / ".tripwires" / "t.yml")
    window.put(Document(uri, TRIPWIRE, 1))
    assert window.rules(held) is saved  # says what the disk says
    window.put(Document(uri, TRIPWIRE.replace("context: x", "context: y"), 2))
    edited = window.rules(held)
    assert [t.context for t in edited.tripwires] == ["y"]
    assert window.rules(held) is edited
    window.put(Document(uri_of(root / ".tripwires" / "new.yml"), TRIPWIRE, 1))
    assert [t.name for t in window.rules(held).tripwires] == ["new", "t"]
    window.put(Document(uri_of(root / ".tripwirerc.yml"), "tripwires_dir: nowhere\n", 1))
    assert window.rules(held).tripwires == ()
    for name in (".tripwirerc.yml", ".tripwires/t.yml", ".tripwires/new.yml"):
        window.drop(uri_of(root / name))
    assert [t.context for t in window.rules(held).tripwires] == ["x"]
