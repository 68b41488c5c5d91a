"""A project's root, and every spelling of a path as its forms inside it (CTX-11 to CTX-14)."""

import os
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tripwire.errors import UsageError
from tripwire.io import project
from tripwire.io.project import file_access, find_root, path_forms
from tripwire.model.tripwire import Enforcement, ReadConfig


class Rules:
    """Rules that want every text, or none."""

    def __init__(self, wants=True, **config):
        self.config = ReadConfig(**config)
        self.wants = wants

    def wants_content(self, forms):
        return self.wants


@pytest.fixture
def root(tmp_path):
    made = tmp_path / "project"
    (made / "src" / "deep").mkdir(parents=True)
    (made / "src" / "a.ts").write_text("old\n")
    (made / "link.ts").symlink_to("src/a.ts")
    (made / "folder").symlink_to("src")
    (made / "out").symlink_to("/etc")
    (tmp_path / "alias").symlink_to("project")
    return made


@pytest.mark.parametrize(
    "path",
    [
        "src/a.ts",
        "./src//a.ts",
        "src/../src/a.ts",
        "src/deep/../a.ts",
        "src\\a.ts",
        "{root}/src/a.ts",
        "//{root}/src/a.ts",
        "{root}/../project/src/a.ts",
        "file://{root}/src/a.ts",
        "file:///{root}/src/a%2Ets",
        "FILE://localhost{root}/src/a.ts#L3",
        "src/a.ts/",
    ],
)
def test_every_spelling_has_one_form(root, path):
    assert path_forms(root, path.replace("{root}", str(root))).forms == ("src/a.ts",)


def test_a_link_has_the_form_of_both_names(root):
    assert path_forms(root, "link.ts").forms == ("link.ts", "src/a.ts")
    assert path_forms(root, "folder/a.ts").forms == ("folder/a.ts", "src/a.ts")
    assert path_forms(root, "folder/new/x.ts").forms == ("folder/new/x.ts", "src/new/x.ts")


def test_a_link_out_of_the_project_is_inside_by_its_name_only(root):
    found = path_forms(root, "out/hostname")
    assert (found.forms, found.real, found.inside_real) == (("out/hostname",), "", False)


def test_a_link_into_the_project_is_inside_by_what_it_is(root):
    found = path_forms(root, str(root.parent / "alias" / "src" / "a.ts"))
    assert (found.spelled, found.forms, found.inside_real) == ("", ("src/a.ts",), True)


def test_a_root_that_is_itself_behind_a_link(root):
    alias = root.parent / "alias"
    assert path_forms(alias, "src/a.ts").forms == ("src/a.ts",)
    assert path_forms(alias, str(root / "src/a.ts")).forms == ("src/a.ts",)


def test_relative_to_a_directory(root):
    assert path_forms(root, "a.ts", cwd=str(root / "src")).forms == ("src/a.ts",)
    assert path_forms(root, "../x", cwd=str(root)).forms == ()


def test_a_file_whose_name_holds_a_backslash_is_opened_by_its_name(root):
    (root / "odd\\name").write_text("x")
    found = path_forms(root, "odd\\name")
    assert found.absolute == root / "odd\\name"
    assert found.forms == ("odd/name", "odd\\name")


def test_both_unicode_forms_are_tried(root):
    plain = unicodedata.normalize("NFD", "café.ts")
    assert path_forms(root, plain).forms == (plain, unicodedata.normalize("NFC", plain))


@pytest.mark.parametrize("path", ["/etc/passwd", "..", "../project-2/x", "/", "{root}x/a"])
def test_outside(root, path):
    path = path.replace("{root}", str(root))
    assert path_forms(root, path).forms == ()
    assert file_access(root, Rules(), path, route="read") is None


def test_the_root_itself_is_no_file_of_the_project(root):
    assert path_forms(root, ".").spelled == "."
    assert file_access(root, Rules(), ".", route="read") is None


parts = st.sampled_from(["..", ".", "src", "folder", "out", "a.ts", "link.ts", "", "é", "~", "x"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(parts, max_size=7), st.sampled_from(["/", "\\", "//"]))
def test_no_spelling_leads_out(root, words, slash):
    found = path_forms(root, slash.join(words) or ".")
    for form in found.forms:
        assert ".." not in form.split("/")
        assert not form.startswith("/")
    if found.inside_real:
        real = os.path.realpath(found.absolute)
        assert (real + "/").startswith(os.path.realpath(root) + "/")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(max_size=30))
def test_any_text_has_forms_or_is_no_path(root, path):
    try:
        found = path_forms(root, path)
    except ValueError:
        return
    assert all(form.encode() for form in found.forms)


def test_find_root(root, tmp_path):
    deep = root / "src" / "deep"
    assert find_root(None, str(deep)) == deep
    (root / ".tripwirerc.yml").write_text("")
    assert find_root(None, str(deep)) == root
    assert find_root(str(deep), str(root)) == deep
    with pytest.raises(UsageError):
        find_root(str(tmp_path / "none"), str(root))
    with pytest.raises(UsageError):
        find_root(str(root / "src" / "a.ts"), str(root))


def test_the_text_of_a_file_is_read_only_if_wanted(root):
    assert file_access(root, Rules(False), "src/a.ts", route="read").content is None
    assert file_access(root, Rules(), "src/a.ts", route="read").content == "old\n"


def test_proposed_text_is_added(root):
    both = file_access(root, Rules(), "src/a.ts", route="edit", proposed="new", writes=True)
    assert (both.content, both.writes, both.missing) == ("old\n\nnew", True, False)
    fresh = file_access(root, Rules(), "src/b.ts", route="write", proposed="new")
    assert (fresh.content, fresh.missing) == ("new", False)
    gone = file_access(root, Rules(), "src/b.ts", route="read")
    assert (gone.content, gone.missing) == (None, True)


def test_what_cannot_be_examined_is_neither_missing_nor_text(root, monkeypatch):
    monkeypatch.setattr(project, "MAX_EXAMINED", 3)
    os.mkfifo(root / "pipe")
    for path in ("src/a.ts", "pipe", "src", "out/hostname"):
        found = file_access(root, Rules(), path, route="read")
        assert (found.content, found.missing) == (None, False), path


def test_text_is_what_the_server_can_serve(root):
    strict = Rules(False, enforcement_mode=Enforcement.STRICT)
    (root / "image.png").write_bytes(b"\x89PNG\0\0")
    (root / "latin.txt").write_bytes(b"caf\xe9 and more")
    (root / "long.txt").write_bytes("é".encode() * 5000)
    expected = {"src/a.ts": True, "long.txt": True, "image.png": False, "latin.txt": False}
    expected |= {"src": False, "none": False}
    found = {p: file_access(root, strict, p, route="read").text for p in expected}
    assert found == expected
