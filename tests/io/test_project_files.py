"""The walk over a project's files: what it names, and that nothing hides a neighbour."""

from __future__ import annotations

import os
from pathlib import Path

from tripwire.io.project_files import every_file, walk


def test_a_loop_of_links_hides_no_neighbour(tmp_path: Path) -> None:
    """search_files, lint and stale saw nothing of a directory that held a link to itself."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("1\n")
    (tmp_path / "src" / "loop").symlink_to("loop")
    (tmp_path / "there").symlink_to("back")
    (tmp_path / "back").symlink_to("there")
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "link").symlink_to("src/a.py")
    os.mkfifo(tmp_path / "pipe")
    assert sorted(walk(tmp_path, lambda _: False)) == ["link", "pipe", "src/a.py"]


def test_excluded_files_are_told_apart_also_beside_a_loop(tmp_path: Path) -> None:
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "b.js").write_text("")
    (tmp_path / "dist" / "loop").symlink_to("loop")
    (tmp_path / "a.py").write_text("")
    visible, hidden = every_file(tmp_path, lambda path: path.startswith("dist/"))
    assert (visible, hidden) == (["a.py"], ["dist/b.js"])
