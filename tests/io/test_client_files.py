"""A client's settings file: replaced in one step, kept beside, never through a link that leads out."""

import os

import pytest

from tripwire.errors import SettingsUnreadable
from tripwire.io.client_files import ClientFile


def test_the_first_text_is_kept_and_comes_back(tmp_path):
    file = ClientFile(tmp_path / "settings.json")
    file.path.write_text("one")
    file.path.chmod(0o640)
    file.write("two")
    file.write("three")
    assert (file.text(), file.backup.read_text()) == ("three", "one")
    assert file.path.stat().st_mode & 0o777 == 0o640
    file.restore()
    assert (file.text(), file.backup.exists()) == ("one", False)
    assert os.listdir(tmp_path) == ["settings.json"]


def test_a_new_file_has_no_backup_and_goes_with_its_folder(tmp_path):
    file = ClientFile(tmp_path / ".claude" / "settings.json")
    assert file.text() == ""
    file.write("{}")
    assert not file.backup.exists()
    file.remove()
    assert os.listdir(tmp_path) == []


def test_a_link_inside_the_home_is_written_through(tmp_path):
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "dotfiles" / "s.json").write_text("x")
    file = ClientFile(tmp_path / "settings.json")
    file.path.symlink_to(tmp_path / "dotfiles" / "s.json")
    file.check_inside(tmp_path)
    file.write("y")
    assert file.path.is_symlink()
    assert (tmp_path / "dotfiles" / "s.json").read_text() == "y"


def test_a_link_that_leads_out(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "out.json").write_text("x")
    file = ClientFile(tmp_path / "home" / "settings.json")
    file.path.symlink_to(tmp_path / "out.json")
    with pytest.raises(SettingsUnreadable, match="outside of your home"):
        file.check_inside(tmp_path / "home")


def test_what_is_no_text(tmp_path):
    file = ClientFile(tmp_path / "settings.json")
    file.path.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsUnreadable, match="not UTF-8"):
        file.text()
    folder = ClientFile(tmp_path)
    with pytest.raises(SettingsUnreadable, match=str(tmp_path)):
        folder.text()
